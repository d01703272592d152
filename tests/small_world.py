"""Hand-made catalogues, and environments over any catalogue."""

from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import load_domain
from catalogs.goal import Goal
from catalogs.goals import GoalSplits
from envs.crs import CRSEnv
from envs.world import World
from language.style import Style
from retrieval.structured import StructuredRetriever
from simulators.behaviour import Behaviour
from simulators.personas import Persona

PLAIN = Behaviour(
    opens_topic=0.0,
    opens_person=0.0,
    evade_topic=0.0,
    evade_person=0.0,
    two_values=0.0,
    vague=0.0,
    slip=0.0,
    volunteer=0.0,
    details=0.0,
    reason=0.0,
    seen=0.0,
    patience=5.0,
    fatigue=10,
)
"""Answers one value per question, rejects without a reason, has seen nothing."""

_ROWS = (
    (
        "harbour",
        "Harbour of Glass",
        1991,
        "thriller|crime|drama",
        "Ada Lind|Tom Hollis",
        "I. Corvo",
    ),
    ("parade", "The Long Parade", 1992, "war|drama|history", "Tom Hollis|Mira Castell", "B. Tash"),
    ("love", "Love, Mostly", 1993, "comedy|romance|drama", "Ada Lind|Lee Park", "I. Corvo"),
    ("vault", "Vault Street", 1994, "thriller|crime|drama", "Otto Brand|Ada Lind", "B. Tash"),
    ("moth", "Moth Song", 1995, "fantasy|family|musical", "Mira Castell", "W. Quill"),
    ("clown", "The Sad Clown", 1996, "comedy|drama|romance", "Lee Park|Bea Tash", "I. Corvo"),
    ("moons", "Nine Moons", 1997, "sci-fi|adventure|action", "Jem Stone|Tom Hollis", "W. Quill"),
    ("dust", "Dust and Rope", 1998, "western|action|drama", "Jem Stone|Anna Park", "C. Ashdown"),
    ("cellar", "Cellar", 1999, "horror|mystery|thriller", "Otto Brand|Anna Park", "W. Quill"),
    ("vault2", "Vault Street", 1995, "thriller|crime", "Otto Brand", "B. Tash"),
    ("paper", "Paper Fox", 2001, "animation|family|adventure", "Lee Park", "I. Corvo"),
    ("quay", "Quay Nights", 2002, "thriller|crime|drama", "Tom Hollis|Lee Park", "B. Tash"),
)


def films() -> Catalog:
    """Twelve made-up films, most familiar first; "vault" and "vault2" are rows of one work."""
    rows = [
        ItemRow(
            key,
            title,
            year,
            tuple(tuple(part.split("|")) for part in values),
            popularity=float(len(_ROWS) - i),
        )
        for i, (key, title, year, *values) in enumerate(_ROWS)
    ]
    return build_catalog(load_domain("movie"), rows, "small test films")


def goal(catalog: Catalog, *values: str) -> Goal:
    """A goal by names, a text ``one|two`` per facet; an empty text wants nothing."""
    return Goal(
        tuple(
            tuple(catalog.value_index(f, name) for name in names.split("|") if name)
            for f, names in enumerate(values)
        )
    )


def index(catalog: Catalog, item_id: str) -> int:
    """Index of an item by its identifier."""
    return catalog.item(item_id).index


def persona(behaviour: Behaviour, name: str = "tester") -> Persona:
    """A persona of a behaviour."""
    return Persona(name, "A test.", Style("trust", "adults"), behaviour)


def world(
    catalog: Catalog, goals: Sequence[Goal], personas: Sequence[Persona] = (persona(PLAIN),)
) -> World:
    """A world in which every split holds the same goals."""
    retriever = StructuredRetriever(catalog)
    splits = GoalSplits(tuple(goals), tuple(goals), tuple(goals), "test goals")
    return World(catalog, splits, tuple(personas), retriever, retriever)


def env_of(place: World, **settings: Any) -> CRSEnv:
    """An environment over a world that no file describes."""
    with patch("envs.crs.open_world", return_value=place):
        return CRSEnv(**{"channel": "acts", "split": "test", "keep_steps": True, **settings})
