"""Users over the small catalogue, with scripted or pseudo-random numbers."""

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from catalogs.catalog import Catalog
from catalogs.goal import Goal
from dialogue.acts import Kind, UserActs
from dialogue.streams import Uniform
from simulators.behaviour import Behaviour
from simulators.user import EmbeddedUser, vague_partners
from tests.small_world import PLAIN, goal

GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)
YES, NO = 0.0, 0.999


class Script:
    """Numbers in a given order; asking for one more is an error of the test."""

    def __init__(self, *numbers: float) -> None:
        self.numbers = list(numbers)

    def random(self) -> float:
        return self.numbers.pop(0)


def crime(catalog: Catalog) -> Goal:
    """Two films meet it: "vault" and "quay"."""
    return goal(catalog, "thriller|crime|drama", "Ada Lind|Tom Hollis", "B. Tash")


def user(
    catalog: Catalog,
    stream: Iterable[float] | int = 0,
    wanted: Goal | None = None,
    known: int = 0,
    like: Behaviour = PLAIN,
    **behaviour: Any,
) -> EmbeddedUser:
    """A plain user, with some parameters changed; an integer seeds its numbers.

    ``known`` is the bit set of the items already seen.
    """
    numbers: Uniform
    if isinstance(stream, int):
        numbers = random.Random(stream)
    else:
        numbers = Script(*stream)
    return EmbeddedUser(
        catalog,
        wanted or crime(catalog),
        replace(like, **behaviour),
        known,
        numbers,
        vague_partners(catalog),
    )


def kinds(acts: UserActs) -> list[Kind]:
    return [Kind(act.kind) for act in acts]


def share(flags: Iterable[bool]) -> float:
    """The share of true ones."""
    found = list(flags)
    return sum(found) / len(found)
