"""A simulated user as plain JSON values, and back: at any turn, with its random numbers.

This is what a process that plays the user for another one is told (``llm=server``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from catalogs.catalog import Catalog
from catalogs.goal import Goal
from dialogue.streams import Role, Stream
from language.style import Style
from simulators.behaviour import parse_behaviour
from simulators.user import EmbeddedUser


class StreamKey(NamedTuple):
    """What the streams of one dialogue are made from.

    Attributes:
        seed: Run seed.
        episode: Episode number.
        turns: Rows of each stream.
    """

    seed: int
    episode: int
    turns: int


class Moment(NamedTuple):
    """A user just before it speaks.

    Attributes:
        state: ``EmbeddedUser.get_state()``.
        at: Counters of the user's stream.
        wording_at: Counters of the stream that words its text.
    """

    state: dict[str, Any]
    at: tuple[int, int]
    wording_at: tuple[int, int]


def moment_of(user: EmbeddedUser, stream: Stream, wording: Stream) -> Moment:
    """The present moment of a user and its two streams."""
    return Moment(user.get_state(), stream.tell(), wording.tell())


def user_to_inputs(
    user: EmbeddedUser, style: Style, key: StreamKey, moment: Moment
) -> dict[str, Any]:
    """Persona, goal, seen items, state and streams; :func:`user_from_inputs` reads them back."""
    return {
        "persona": {"style": asdict(style), "behaviour": asdict(user.behaviour)},
        "goal": [list(values) for values in user.goal.values],
        # Not as numbers: those of more than 4,300 digits cannot be written as JSON.
        "seen": hex(user.seen),
        "acceptable": hex(user.acceptable),
        "state": moment.state,
        "stream": {**key._asdict(), "at": list(moment.at)},
        "wording": {**key._asdict(), "at": list(moment.wording_at)},
    }


def user_from_inputs(
    catalog: Catalog,
    inputs: Mapping[str, Any],
    vague: tuple[dict[int, tuple[int, ...]], ...],
) -> tuple[EmbeddedUser, Stream]:
    """The user of :func:`user_to_inputs` and the stream that words its text, both where they were.

    Args:
        catalog: The same catalogue.
        inputs: The mapping, which may have been through JSON and may hold more keys.
        vague: ``simulators.user.vague_partners`` of the catalogue.

    Raises:
        KeyError: A key is missing.
        ValueError: The behaviour or a stream is malformed.
    """
    user = EmbeddedUser(
        catalog,
        Goal(tuple(tuple(values) for values in inputs["goal"])),
        parse_behaviour(inputs["persona"]["behaviour"], "inputs: persona"),
        int(inputs["seen"], 16),
        _stream(inputs["stream"], Role.USER),
        vague,
        int(inputs["acceptable"], 16),
    )
    user.set_state(inputs["state"])
    return user, _stream(inputs["wording"], Role.TEXT)


def style_from_inputs(inputs: Mapping[str, Any]) -> Style:
    """How the user of :func:`user_to_inputs` sounds."""
    style = inputs["persona"]["style"]
    return Style(style["emotion"], style["age"])


def _stream(saved: Mapping[str, Any], role: Role) -> Stream:
    stream = Stream(saved["seed"], saved["episode"], role, saved["turns"])
    stream.seek((saved["at"][0], saved["at"][1]))
    return stream
