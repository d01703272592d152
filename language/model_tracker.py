"""The tracker as a language model: text to acts, and scores of the next action in the same call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalogs.catalog import Catalog
from dialogue.acts import OTHER, UserAct, UserActs
from dialogue.snapshot import view_state
from dialogue.view import DialogueView
from language.context import context_of
from language.llm.asking import Asker
from language.llm.call import Call
from language.prompts import facts, tracking
from language.prompts.acts import read_acts
from language.prompts.scoring import legal_after, read_scores
from language.prompts.situation import LINES, preferences, situation
from language.tracker import Tracker

_Answer = tuple[UserActs, tuple[float, ...] | None]


class ModelTracker:
    """Reads utterances with a language model; where that fails, with the embedded tracker.

    Args:
        catalog: The items whose values can be understood.
        embedded: Stands in where the model's answer cannot be used.
        roles: Where the role ``track`` is asked.
        scorer: Constants of the embedded scorer (``planners.scorer.ScorerSettings``) when actions
            are to be scored in the same call, else None.
    """

    def __init__(
        self,
        catalog: Catalog,
        embedded: Tracker,
        roles: Asker,
        scorer: Mapping[str, Any] | None = None,
    ) -> None:
        self._catalog = catalog
        self._embedded = embedded
        self._roles = roles
        self._scorer = None if scorer is None else dict(scorer)
        self._values = facts.vocabulary(catalog)

    def track(self, text: str, view: DialogueView) -> UserActs:
        """Acts of an utterance in the order in which they were said.

        With a scorer, a good answer also leaves its scores in ``view.suggested``; actions that turn
        out to be illegal may have one.
        """
        view.suggested = None
        acts, scores = self._roles.ask(
            self._call(text, view), lambda: (self._embedded.track(text, view), None)
        )
        view.suggested = scores
        return acts

    def _call(self, text: str, view: DialogueView) -> Call[_Answer]:
        scored = self._scorer is not None
        context = context_of(view)

        def read(answer: Any) -> _Answer:
            acts = read_acts(self._catalog, answer.acts, context.item)
            if not acts and not context.opening:
                acts = (UserAct(OTHER),)
            if not scored:
                return acts, None
            scores = read_scores(self._catalog.domain, answer.scores)
            if legal_after(scores, view, acts) is None:
                raise ValueError("at least one action that is possible then needs a positive score")
            return acts, scores

        return Call(
            role="track",
            prompt=tracking.PROMPT,
            messages=tracking.messages(
                self._catalog.domain, self._values, self._data(text, view), scored
            ),
            result=tracking.TrackedAndScored if scored else tracking.Tracked,
            read=read,
            inputs=lambda: {
                "catalog": dict(self._catalog.origin),
                "view": view_state(view, texts=False),
                "text": text,
                "scorer": self._scorer,
            },
            turn=view.turn,
        )

    def _data(self, text: str, view: DialogueView) -> dict[str, Any]:
        before = (
            situation(view)
            if self._scorer is not None
            else {
                "preferences": preferences(view.state, self._catalog),
                "last_lines": [list(line) for line in view.transcript()[-LINES:]],
            }
        )
        return {
            "before": before,
            "system_did": facts.last_action(view),
            "utterance": facts.shortened(text, facts.LINE),
        }
