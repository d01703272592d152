"""A stand-in for the facade: answers of a function, read as the call says."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from catalogs.catalog import Catalog
from dialogue.acts import UserActs
from dialogue.snapshot import set_view_state
from dialogue.view import DialogueView, SystemTurn
from language.llm.call import Call, T
from language.prompts.acts import write_acts
from language.prompts.scoring import write_scores
from language.responder import EmbeddedResponder
from language.tracker import EmbeddedTracker
from language.voice import UserVoice
from planners.scorer import EmbeddedScorer, ScorerSettings
from retrieval.structured import StructuredRetriever
from simulators.resume import style_from_inputs, user_from_inputs
from simulators.user import vague_partners

J = TypeVar("J")
R = TypeVar("R")

Give = Callable[[Call[Any]], Any]
"""From a call to the answer: JSON-compatible values, or an error to raise."""


class Script:
    """Answers with what a function gives; a bad answer is repaired once, then falls back."""

    def __init__(self, give: Give) -> None:
        self.give = give
        self.calls: list[Call[Any]] = []
        self.errors: list[str] = []
        self.fallbacks = 0

    def ask(self, call: Call[T], fallback: Callable[[], T]) -> T:
        self.calls.append(call)
        for _ in range(2):
            given = self.give(call)
            if isinstance(given, Exception):
                raise given
            try:
                return call.read(call.result.model_validate_json(json.dumps(given)))
            except ValidationError as error:
                self.errors.append(str(error))
            except ValueError as error:
                self.errors.append(str(error))
        self.fallbacks += 1
        return fallback()

    def map(self, function: Callable[[J], R], jobs: Sequence[J]) -> list[R]:
        """Results in the order of the jobs, which must not depend on each other: the last first."""
        return [function(job) for job in reversed(jobs)][::-1]


class EmbeddedServer:
    """What ``llm=server`` does: the embedded answer from ``call.inputs()`` alone, through JSON."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.retriever = StructuredRetriever(catalog)
        self.tracker = EmbeddedTracker(catalog)
        self.responder = EmbeddedResponder(catalog)
        self.voice = UserVoice(catalog)
        self.vague = vague_partners(catalog)

    def __call__(self, call: Call[Any]) -> dict[str, Any]:
        inputs = json.loads(json.dumps(call.inputs(), allow_nan=False))
        view = self.view(inputs)
        if call.role == "track":
            return self.track(inputs, view)
        if call.role == "reply":
            turn = SystemTurn(inputs["action"])
            return {"reply": self.responder.respond(turn, inputs["item"], view)}
        return self.user(inputs, view)

    def view(self, inputs: Mapping[str, Any]) -> DialogueView:
        view = DialogueView(self.catalog, self.retriever, "text", 10)
        set_view_state(view, inputs["view"])
        return view

    def track(self, inputs: Mapping[str, Any], view: DialogueView) -> dict[str, Any]:
        acts = self.tracker.track(inputs["text"], view)
        answer: dict[str, Any] = {"acts": write_acts(self.catalog, acts)}
        if inputs["scorer"] is not None:
            view.apply_user(acts)
            scorer = EmbeddedScorer(ScorerSettings(**inputs["scorer"]))
            answer["scores"] = write_scores(self.catalog.domain, scorer.scores(view))
        return answer

    def user(self, inputs: Mapping[str, Any], view: DialogueView) -> dict[str, Any]:
        user, wording = user_from_inputs(self.catalog, inputs, self.vague)
        action, item = inputs["action"], inputs["item"]
        acts: UserActs = user.open() if action < 0 else user.respond(action, item)
        text = self.voice.say(acts, style_from_inputs(inputs), view, wording)
        answer = {
            "feeling": "Fine.",
            "insight": "Go on.",
            "meaning": write_acts(self.catalog, acts),
            "reply": text,
        }
        step = inputs["step"]
        if step == "all":
            return answer
        return {key: answer[key] for key in (("meaning", "reply") if step == "reply" else (step,))}
