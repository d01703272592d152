"""A fixed example of what each role is told, made as the program makes it."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, cast

from pydantic import BaseModel

from catalogs.catalog import Catalog
from catalogs.goal import Goal
from dialogue.acts import Kind, UserAct
from dialogue.streams import Role, Stream
from dialogue.view import DialogueView, Exchange, SystemTurn
from evaluation.judge import ModelJudge
from evaluation.transcript import Listener
from language.llm.call import Call, Message
from language.model_responder import ModelResponder
from language.model_tracker import ModelTracker
from language.prompts import facts, imagining, scoring, user
from language.prompts.refining import RefineResult, messages
from language.prompts.single_call import Situation, policy_call
from planners.strategies import STRATEGIES
from retrieval.structured import StructuredRetriever
from simulators.casting import Casting
from simulators.resume import moment_of
from simulators.user import EmbeddedUser, vague_partners
from tests.small_world import PLAIN, persona


class Told(NamedTuple):
    """What a model is told in a call, and the shape of the answer that it is asked for."""

    messages: tuple[Message, ...]
    result: type[BaseModel]


class _AskedError(Exception):
    """A call was made."""


class _Nobody:
    """Keeps the call, and answers nothing."""

    def __init__(self) -> None:
        self.calls: list[Call[Any]] = []

    def ask(self, call: Call[Any], fallback: Callable[[], Any]) -> Any:
        self.calls.append(call)
        raise _AskedError


def told(catalog: Catalog, text: str) -> dict[str, list[Told]]:
    """Examples for each role that has a prompt.

    Args:
        catalog: At least three items.
        text: What is said on both sides, and who the persona is.
    """
    return {
        "track": list(_track(catalog, text)),
        "score": [Told(scoring.messages(_view(catalog, text)), scoring.ScoreResult)],
        "user": list(_user(catalog, text)),
        "imagine": [_imagine(catalog, text)],
        "refine": [_refine(catalog, text)],
        "reply": list(_reply(catalog, text)),
        "policy": [_policy(catalog, text)],
        "judge": [_judge(catalog, text)],
    }


def _view(catalog: Catalog, text: str) -> DialogueView:
    """A wish was told, an item turned down with a reason, and another one asked about."""
    view = DialogueView(catalog, StructuredRetriever(catalog), "text", 10)
    recommend = catalog.domain.recommend
    said = (
        (-1, -1, (UserAct(Kind.LIKE, 0, 0),)),
        (recommend, 0, (UserAct(Kind.REJECT, 0, 1, 0),)),
        (recommend, 1, (UserAct(Kind.DETAILS, other=1), UserAct(Kind.SIGH, 1))),
    )
    for turn, (action, item, acts) in enumerate(said):
        if action >= 0:
            view.apply_system(action, item)
        view.apply_user(acts)
        spoken = text if action >= 0 else ""
        view.exchanges.append(Exchange(turn, action, item, (), spoken, text, acts))
    return view


def _answering(catalog: Catalog, text: str) -> DialogueView:
    """The same, before the user reacts to an item's details."""
    view = _view(catalog, text)
    view.apply_system(catalog.domain.explain, 1)
    return view


def _kept(use: Callable[[Any], object]) -> Told:
    """The call that is made by something that asks the given asker."""
    nobody = _Nobody()
    with suppress(_AskedError):
        use(nobody)
    (call,) = nobody.calls
    return Told(call.messages, call.result)


def _track(catalog: Catalog, text: str) -> Iterator[Told]:
    view, embedded = _answering(catalog, text), cast(Any, None)
    yield _kept(lambda asker: ModelTracker(catalog, embedded, asker).track(text, view))
    scorer = {"ask": 2.0}
    yield _kept(lambda asker: ModelTracker(catalog, embedded, asker, scorer).track(text, view))


def _reply(catalog: Catalog, text: str) -> Iterator[Told]:
    domain, view = catalog.domain, _view(catalog, text)
    for action, item in ((0, -1), (domain.reflect, -1), (domain.recommend, 2), (domain.explain, 1)):
        yield _kept(partial(_say, catalog, view, action, item))


def _say(catalog: Catalog, view: DialogueView, action: int, item: int, asker: Any) -> str:
    voice = ModelResponder(catalog, cast(Any, None), asker)
    return voice.respond(SystemTurn(action), item, view)


def _judge(catalog: Catalog, text: str) -> Told:
    embedded = cast(Any, None)
    lines = [("user", text), ("system", f"How about {catalog.items[0].label}?"), ("user", text)]
    listener = Listener(catalog)
    return _kept(lambda asker: ModelJudge(catalog, embedded, asker, listener).judge(lines))


def _user(catalog: Catalog, text: str) -> Iterator[Told]:
    """The opening in one call, and a turn in three."""
    goal = Goal(tuple((0,) for _ in catalog.domain.facets))
    someone = replace(persona(PLAIN), description=text)
    stream, wording = (Stream(0, 0, role, 11) for role in (Role.USER, Role.TEXT))
    played = EmbeddedUser(
        catalog, goal, PLAIN, 0b10, stream, vague_partners(catalog), acceptable=0b1
    )
    casting = Casting(played, someone)
    beginning = DialogueView(catalog, StructuredRetriever(catalog), "text", 10)
    start = moment_of(played, stream, wording)
    played.slip, played.asked_details = (0, 0, 1), 1
    moment = moment_of(played, stream, wording)
    opening = casting.data(beginning, "", -1, -1, start)
    later = casting.data(_answering(catalog, text), text, catalog.domain.explain, 1, moment)
    values = facts.vocabulary(catalog)
    thoughts: dict[str, str] = {}
    for step, data in (("all", opening), *((step, later) for step in user.STEPS)):
        chat = user.messages(catalog.domain, values, data, step, thoughts)
        yield Told(chat, user.RESULTS[step])
        if step in user.STEPS:
            thoughts[step] = text


def _imagine(catalog: Catalog, text: str) -> Told:
    goal = Goal(tuple((0,) for _ in catalog.domain.facets))
    plies = [{"action": catalog.domain.actions[0], "reply": text}]
    view = _answering(catalog, text)
    chat = imagining.messages(view, goal, 1.5, catalog.domain.explain, 1, True, plies)
    return Told(chat, imagining.PlyResult)


def _refine(catalog: Catalog, text: str) -> Told:
    view = _view(catalog, text)
    names = [strategy.name for strategy in STRATEGIES]
    return Told(messages(view, text, view.state, names, 2, 3), RefineResult)


def _policy(catalog: Catalog, text: str) -> Told:
    lines = (("user", text), ("system", text), ("user", text))
    legal = tuple(range(len(catalog.domain.actions)))
    call = policy_call(Situation(catalog, lines, (2, 1), 0b1, 0, legal), 9, 2, {})
    return Told(call.messages, call.result)
