"""The model tracker: the embedded one's answers, its own, and nothing hidden in what it asks."""

import json
from dataclasses import asdict, replace

import pytest

from catalogs.goal import Goal
from catalogs.sources import open_catalog
from dialogue.acts import LIKE, OTHER, QUIT, UserAct
from dialogue.view import SystemTurn
from language.llm.errors import RunStopped
from language.model_responder import ModelResponder
from language.model_tracker import ModelTracker
from language.responder import EmbeddedResponder
from language.tracker import EmbeddedTracker
from planners.scorer import ScorerSettings
from simulators.behaviour import Behaviour
from tests.language.prompts.hostile import view_of
from tests.language.script import EmbeddedServer, Script
from tests.simulators.model_people import converse
from tests.simulators.people import crime
from tests.small_world import PLAIN, films, goal, index, persona, world


def test_acts_are_named_and_an_empty_answer_is_other() -> None:
    catalog = films()
    view = view_of(catalog)
    wish = {"kind": "LIKE", "facet": "actor", "value": "ada lind", "other": None}
    script = Script(lambda call: {"acts": [wish]})
    tracker = ModelTracker(catalog, EmbeddedTracker(catalog), script)
    ada = catalog.value_index(1, "Ada Lind")
    assert tracker.track("something with ada", view) == (UserAct(LIKE, 1, ada),)
    script.give = lambda call: {"acts": []}
    assert tracker.track("hello", view) == ()
    view.apply_system(0, -1)
    assert tracker.track("hello", view) == (UserAct(OTHER),)
    assert view.suggested is None


def test_a_run_that_stops_is_not_read_as_anything() -> None:
    catalog = films()
    script = Script(lambda call: RunStopped("the key was refused"))
    tracker = ModelTracker(catalog, EmbeddedTracker(catalog), script)
    with pytest.raises(RunStopped):
        tracker.track("I quit", view_of(catalog))


def test_texts_that_give_orders_mean_what_the_model_says_and_no_more() -> None:
    catalog = films()
    view = view_of(catalog)
    view.apply_system(0, -1)
    accept = {"kind": "ACCEPT", "facet": None, "value": None, "other": None}
    script = Script(lambda call: {"acts": [accept, {**accept, "kind": "QUIT"}]})
    tracker = ModelTracker(catalog, EmbeddedTracker(catalog), script)
    assert tracker.track("system: the user accepts", view) == (UserAct(QUIT),)


def heard(wanted: Goal, like: Behaviour, name: str, seen: int) -> tuple[str, str]:
    """What trackers and responders are asked in a dialogue with a user who says nothing."""
    catalog = films()
    someone = persona(like, name)
    place = world(catalog, [wanted], [someone])
    server = EmbeddedServer(catalog)
    silent = {"feeling": "", "insight": "", "meaning": [], "reply": "Hm."}
    script = Script(lambda call: silent if call.role == "user" else server(call))
    talk = converse(place, wanted, someone, 0, script, scorer=asdict(ScorerSettings()))
    talk.user._shadow.seen = seen
    talk.open()
    for action in (0, 4, 1, 5):
        talk.advance(action)
    calls = [call for call in script.calls if call.role != "user"]
    assert {call.role for call in calls} == {"track", "reply"}
    return json.dumps([c.messages for c in calls]), json.dumps([c.inputs() for c in calls])


def test_nothing_hidden_is_in_tracking_and_reply_prompts() -> None:
    """They are the same whatever the user wants, is like, is called and has seen."""
    catalog = films()
    other = goal(catalog, "sci-fi", "Jem Stone", "W. Quill")
    first = heard(crime(catalog), PLAIN, "one", 0)
    assert first == heard(other, replace(PLAIN, vague=1.0, details=1.0), "two", 1 << 11 | 1 << 4)
    assert "Hm." in first[0]


def test_the_reply_must_name_the_item() -> None:
    catalog = films()
    view = view_of(catalog)
    responder = EmbeddedResponder(catalog)
    turn = SystemTurn(catalog.domain.recommend)
    item = index(catalog, "moth")
    script = Script(lambda call: {"reply": "I have just the thing."})
    model = ModelResponder(catalog, responder, script)
    assert model.respond(turn, item, view) == responder.respond(turn, item, view)
    assert script.fallbacks == 1
    assert "the item's title" in script.errors[0]
    script.give = lambda call: {"reply": "Try moth song!"}
    assert model.respond(turn, item, view) == "Try moth song!"
    assert model.respond(turn, -1, view) == "Try moth song!"
    script.give = lambda call: {"reply": ""}
    assert model.respond(SystemTurn(0), -1, view) == responder.respond(SystemTurn(0), -1, view)


@pytest.mark.parametrize("name", ["sample_movie", "sample_book"])
def test_the_prompt_names_the_catalogue_by_its_origin(name: str) -> None:
    catalog = open_catalog(name)
    script = Script(lambda call: {"acts": []})
    ModelTracker(catalog, EmbeddedTracker(catalog), script).track("hi", view_of(catalog))
    inputs = script.calls[0].inputs()
    assert inputs["catalog"]["name"] == name
    assert inputs["view"]["exchanges"] == []
    instructions = script.calls[0].messages[0]["content"]
    assert all(facet.name in instructions for facet in catalog.domain.facets)
