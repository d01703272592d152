"""A user as JSON, and back, in the middle of a dialogue."""

import json
from dataclasses import asdict

import pytest

from dialogue.streams import Role, Stream
from simulators.behaviour import Behaviour
from simulators.resume import (
    StreamKey,
    moment_of,
    style_from_inputs,
    user_from_inputs,
    user_to_inputs,
)
from simulators.user import EmbeddedUser
from tests.simulators.people import GENRE, RECOMMEND, REFLECT, STAR, crime
from tests.small_world import PLAIN, films, index, persona, world


def test_the_user_is_rebuilt_from_json_at_any_turn() -> None:
    catalog = films()
    place = world(catalog, [crime(catalog)], [persona(PLAIN)])
    behaviour = Behaviour(**{**asdict(PLAIN), "vague": 0.5, "slip": 0.3, "two_values": 0.7})
    stream, wording = (Stream(1, 4, role, 11) for role in (Role.USER, Role.TEXT))
    user = EmbeddedUser(catalog, crime(catalog), behaviour, 0b1001, stream, place.vague)
    user.shuffle()
    for turn, action in enumerate((-1, GENRE, STAR, RECOMMEND, REFLECT)):
        stream.start(turn)
        wording.start(turn)
        wording.random()
        key = StreamKey(1, 4, 11)
        style = place.personas[0].style
        inputs = user_to_inputs(user, style, key, moment_of(user, stream, wording))
        again, words = user_from_inputs(catalog, json.loads(json.dumps(inputs)), place.vague)
        item = index(catalog, "love") if action == RECOMMEND else -1
        expected = user.open() if action < 0 else user.respond(action, item)
        assert expected == (again.open() if action < 0 else again.respond(action, item))
        assert again.get_state() == user.get_state()
        assert words.random() == wording.random()
        assert style_from_inputs(inputs) == style
        assert (again.seen, again.acceptable) == (user.seen, user.acceptable)


def test_what_is_missing_is_named() -> None:
    catalog = films()
    stream, wording = (Stream(1, 4, role, 11) for role in (Role.USER, Role.TEXT))
    place = world(catalog, [crime(catalog)], [persona(PLAIN)])
    user = EmbeddedUser(catalog, crime(catalog), PLAIN, 0, stream, place.vague)
    moment = moment_of(user, stream, wording)
    inputs = user_to_inputs(user, place.personas[0].style, StreamKey(1, 4, 11), moment)
    for key in inputs:
        lacking = {name: value for name, value in inputs.items() if name != key}
        with pytest.raises(KeyError, match=key):
            user_from_inputs(catalog, lacking, place.vague)
