"""A model that says what the embedded user says leads to the embedded run, bit by bit."""

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialogue.acts import ACCEPT, QUIT, Kind
from envs.conversation import Conversation
from envs.world import World
from language.llm.errors import DialogueFailed
from planners.scorer import EmbeddedScorer, ScorerSettings
from simulators.behaviour import Behaviour
from simulators.model_user import ModelUser
from simulators.resume import StreamKey
from tests.language.script import EmbeddedServer, Give, Script
from tests.simulators.model_people import converse
from tests.simulators.people import GENRE, RECOMMEND, STAR, crime
from tests.small_world import PLAIN, films, persona, world
from tests.strategies import turns, worlds

IN_TURN = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def play(talk: Conversation, actions: list[Any]) -> list[Any]:
    """Everything that happened, as plain values."""
    talk.open()
    course: list[Any] = [talk.opening_said, state_of(talk)]
    for action in actions:
        if talk.terminated or talk.truncated:
            break
        course.append(talk.advance(action))
        course.append(state_of(talk))
    return course


def state_of(talk: Conversation) -> dict[str, Any]:
    """The state but for what is noted about models only."""
    state = talk.get_state()
    for noted in (state["user"], *state["steps"]):
        assert not noted.pop("overruled", None)
    assert not state.pop("opening_overruled")
    state["user"].pop("text", None)
    state["view"].pop("suggested")
    return state


@IN_TURN
@given(worlds(), st.data(), st.integers(0, 50), st.sampled_from([1, 3]))
def test_embedded_answers_make_the_embedded_run(
    place: World, data: st.DataObject, episode: int, calls: int
) -> None:
    _, goal, someone = place.episode("test", episode)
    actions = data.draw(turns(place.catalog))
    script = Script(EmbeddedServer(place.catalog))
    expected = play(converse(place, goal, someone, episode), actions)
    talk = converse(place, goal, someone, episode, script, calls, asdict(ScorerSettings()))
    assert play(talk, actions) == expected
    assert (script.errors, script.fallbacks) == ([], 0)
    assert talk.user.overruled == ()


@IN_TURN
@given(worlds(), st.data(), st.integers(0, 50))
def test_a_model_that_never_answers_leaves_the_embedded_run(
    place: World, data: st.DataObject, episode: int
) -> None:
    _, goal, someone = place.episode("test", episode)
    actions = data.draw(turns(place.catalog))
    script = Script(lambda call: {})
    expected = play(converse(place, goal, someone, episode), actions)
    assert play(converse(place, goal, someone, episode, script), actions) == expected
    assert script.fallbacks == len(script.calls) > 0


def test_scores_of_the_tracking_call_reach_the_view() -> None:
    place = world(films(), [crime(films())], [persona(PLAIN)])
    rules = ScorerSettings(ask=3.25)
    script = Script(EmbeddedServer(place.catalog))
    goal = place.splits.test[0]
    talk = converse(place, goal, place.personas[0], 0, script, 1, asdict(rules))
    talk.open()
    assert talk.view.suggested == tuple(EmbeddedScorer(rules).scores(talk.view))
    talk.advance(RECOMMEND)
    assert talk.view.suggested == tuple(EmbeddedScorer(rules).scores(talk.view))
    script.give = lambda call: {}
    talk.advance(GENRE)
    assert talk.view.suggested is None


def talk_of(give: Give, calls: int = 1, **behaviour: Any) -> tuple[Conversation, Script]:
    """A conversation about the crime goal with a user that a function plays."""
    catalog = films()
    like = Behaviour(**{**asdict(PLAIN), **behaviour})
    place = world(catalog, [crime(catalog)], [persona(like)])
    script = Script(lambda call: give(call) if call.role == "user" else server(call))
    server = EmbeddedServer(catalog)
    talk = converse(place, crime(catalog), place.personas[0], 0, script, calls, speaks=False)
    return talk, script


def test_three_calls_a_turn_build_on_each_other() -> None:
    server = EmbeddedServer(films())
    talk, script = talk_of(server, 3)
    talk.open()
    talk.advance(GENRE)
    steps = [call.inputs()["step"] for call in script.calls]
    assert steps == ["feeling", "insight", "reply"] * 2
    assert "Fine." in script.calls[4].messages[1]["content"]
    assert "Go on." in script.calls[5].messages[1]["content"]
    assert "Fine." not in script.calls[3].messages[1]["content"]


@pytest.mark.parametrize("step", ["feeling", "insight", "reply"])
def test_a_step_without_an_answer_is_the_embedded_turn(step: str) -> None:
    server = EmbeddedServer(films())
    talk, script = talk_of(lambda call: {} if call.inputs()["step"] == step else server(call), 3)
    plain, _ = talk_of(server)
    assert play(talk, [GENRE, RECOMMEND, STAR]) == play(plain, [GENRE, RECOMMEND, STAR])
    assert script.fallbacks == 4
    per_turn = {"feeling": 1, "insight": 2, "reply": 3}[step]
    assert len(script.calls) == 4 * per_turn


def test_an_error_is_raised_and_the_account_is_as_it_was() -> None:
    failed = DialogueFailed("reply: the context is too long", "context_overflow")
    talk, script = talk_of(EmbeddedServer(films()))
    talk.open()
    before = talk.user.get_state()
    script.give = lambda call: failed
    with pytest.raises(DialogueFailed):
        talk.advance(RECOMMEND)
    assert talk.user.get_state() == before
    assert not talk.user.left


def test_the_model_hears_the_system_and_the_system_the_model() -> None:
    words = {"meaning": [], "feeling": "", "insight": "", "reply": "I love crime films."}
    talk, script = talk_of(lambda call: words)
    talk.open()
    talk.advance(GENRE)
    last = talk.view.exchanges[-1]
    assert last.user_text == words["reply"]
    assert last.system_text
    assert last.system_text in script.calls[-1].messages[1]["content"]
    assert [Kind(act.kind) for act in last.acts] == [Kind.LIKE]


@IN_TURN
@given(worlds(), st.data(), st.integers(0, 50))
def test_a_state_is_returned_to_with_all_that_a_model_left(
    place: World, data: st.DataObject, episode: int
) -> None:
    """Scores that came with a text, what was overruled, and what was said are part of it."""
    _, goal, someone = place.episode("test", episode)
    taken = data.draw(turns(place.catalog))
    server = EmbeddedServer(place.catalog)
    accept = {"kind": "ACCEPT", "facet": None, "value": None, "other": None}

    def eager(call: Any) -> dict[str, Any]:
        answer = server(call)
        return {**answer, "meaning": [accept]} if call.role == "user" else answer

    talk = converse(place, goal, someone, episode, Script(eager), 1, asdict(ScorerSettings()))
    talk.open()
    states, happened = [json.dumps(talk.get_state())], []
    for action in taken:
        if talk.terminated or talk.truncated:
            break
        happened.append(talk.advance(action))
        states.append(json.dumps(talk.get_state()))
    assert json.loads(states[0])["view"]["suggested"] is not None
    assert json.loads(states[0])["opening_overruled"] == ["false_accept"]
    again = converse(place, goal, someone, episode, Script(eager), 1, asdict(ScorerSettings()))
    cut = data.draw(st.integers(0, len(happened)))
    for found in (talk, again):  # the same conversation, and one that never was opened
        found.set_state(json.loads(states[cut]))
        assert json.dumps(found.get_state()) == states[cut]
        assert [found.advance(action) for action in taken[cut : len(happened)]] == happened[cut:]
        assert json.dumps(found.get_state()) == states[-1]


def test_two_calls_are_refused() -> None:
    talk, _ = talk_of(EmbeddedServer(films()))
    model: ModelUser = talk.user
    with pytest.raises(ValueError, match="1 or 3"):
        ModelUser(
            model._shadow, model._persona, talk.view, model._voice, model._wording,
            StreamKey(0, 0, 11), Script(lambda call: {}), 2,
        )  # fmt: skip


@IN_TURN
@given(worlds(), st.data(), st.integers(0, 50))
def test_whatever_a_model_says_the_catalogue_decides(
    place: World, data: st.DataObject, episode: int
) -> None:
    """Random acts at every turn: only targets end in acceptance, and nobody outstays patience."""
    names = [kind.name for kind in Kind]
    catalog = place.catalog
    facets = [facet.name for facet in catalog.domain.facets]
    values = [name for names_of in catalog.vocabulary for name in names_of]

    def answer(call: Any) -> dict[str, Any]:
        if call.role != "user":
            return {}
        act = st.fixed_dictionaries({
            "kind": st.sampled_from(names),
            "facet": st.sampled_from([None, *facets]),
            "value": st.sampled_from([None, "1", "2", "none such", *values]),
            "other": st.sampled_from([None, *values]),
        })  # fmt: skip
        acts = data.draw(st.lists(act, max_size=4))
        return {"feeling": "", "insight": "", "meaning": acts, "reply": "Hm."}

    _, goal, someone = place.episode("test", episode)
    talk = converse(place, goal, someone, episode, Script(answer))
    talk.open()
    for action in data.draw(turns(catalog)):
        if talk.terminated or talk.truncated:
            break
        talk.advance(action)
        step = talk.steps[-1]
        said = {act.kind for act in step.said}
        item = step.exchange.item
        target = item >= 0 and bool(talk.user.acceptable >> item & 1)
        assert talk.accepted == (ACCEPT in said) == (target and ACCEPT in said)
        assert talk.user.left == (QUIT in said)
        state = talk.user.get_state()
        assert state["left"] == (QUIT in said)
        if not talk.accepted:
            assert state["left"] == (state["patience"] <= 0)
        if target and step.exchange.action == len(catalog.domain.facets) + 1:
            assert talk.accepted or Kind.DETAILS in said
        assert step.exchange.user_text
    assert talk.terminated == (talk.accepted or talk.user.left)
