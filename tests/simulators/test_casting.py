"""What a model that plays a user is told."""

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import load_domain
from catalogs.goal import Goal
from dialogue.streams import Role, Stream
from language.prompts.user import habits
from simulators.casting import SEEN_TITLES, Casting
from simulators.personas import Persona, bundled_personas
from simulators.resume import moment_of
from simulators.user import EmbeddedUser, vague_partners
from tests.language.prompts.hostile import ORDER, hostile_catalog, view_of
from tests.simulators.people import RECOMMEND, crime
from tests.small_world import PLAIN, films

TEEN = bundled_personas()[0]


def told(
    catalog: Catalog,
    goal: Goal,
    seen: int = 0,
    action: int = -1,
    item: int = -1,
    text: str = "",
    persona: Persona = TEEN,
) -> dict[str, Any]:
    """The data of one call."""
    stream, wording = (Stream(0, 0, role, 11) for role in (Role.USER, Role.TEXT))
    user = EmbeddedUser(catalog, goal, persona.behaviour, seen, stream, vague_partners(catalog))
    view = view_of(catalog)
    moment = moment_of(user, stream, wording)
    return Casting(user, persona).data(view, text, action, item, moment)


def test_the_opening_tells_character_wish_and_what_is_left_to_say() -> None:
    catalog = films()
    data = told(catalog, crime(catalog))
    assert data["character"]["who"] == TEEN.description
    assert data["character"]["emotion"] == "excitement"
    assert TEEN.name not in json.dumps(data)
    assert data["wish"]["genre"] == {"all of these": ["thriller", "crime", "drama"]}
    assert data["wish"]["director"] == {"at least one of these": ["B. Tash"]}
    assert data["not_said_yet"]["star"] == ["Ada Lind", "Tom Hollis"]
    assert data["patience_left"] == TEEN.behaviour.patience
    assert "offered" not in data
    assert "begin" in data["dialogue"]


def test_an_offer_comes_with_what_the_catalogue_knows() -> None:
    catalog = films()
    data = told(catalog, crime(catalog), 1 << 2, RECOMMEND, 2, "How about this?")
    assert data["offered"]["title"] == "Love, Mostly"
    assert data["offered"]["wishes_met"] == {"genre": False, "star": True, "director": False}
    assert data["offered"]["seen"] is True
    assert data["dialogue"] == [["system", "How about this?"]]
    assert data["have_seen"] == ["Love, Mostly (1993)"]


def test_titles_seen_are_few_and_the_likeliest_offers_first() -> None:
    rows = [
        ItemRow(str(k), f"Film {k}", None, (("drama",) if k < 90 else ("crime",), (), ()),
                popularity=100.0 - k)
        for k in range(100)
    ]  # fmt: skip
    catalog = build_catalog(load_domain("movie"), rows, "many films")
    goal = Goal(((catalog.value_index(0, "crime"),), (), ()))
    seen = catalog.everything & ~(1 << 99)
    data = told(catalog, goal, seen)
    assert data["have_seen"][:9] == [f"Film {k}" for k in range(90, 99)]
    assert data["have_seen"][9:] == [f"Film {k}" for k in range(SEEN_TITLES - 9)]
    offered = told(catalog, goal, seen, RECOMMEND, 80)
    assert offered["have_seen"][0] == "Film 80"
    assert len(offered["have_seen"]) == SEEN_TITLES
    assert told(catalog, goal, seen, RECOMMEND, 99)["have_seen"] == data["have_seen"]


def test_a_slip_is_remembered() -> None:
    catalog = films()
    stream, wording = (Stream(0, 0, role, 11) for role in (Role.USER, Role.TEXT))
    user = EmbeddedUser(catalog, crime(catalog), PLAIN, 0, stream, vague_partners(catalog))
    user.slip = (1, catalog.value_index(1, "Ada Lind"), catalog.value_index(1, "Lee Park"))
    data = Casting(user, TEEN).data(view_of(catalog), "", 0, -1, moment_of(user, stream, wording))
    assert data["said_by_mistake"] == {"said": "Lee Park", "meant": "Ada Lind"}


@pytest.mark.parametrize("domain", ["movie", "book"])
def test_hostile_texts_are_values_of_the_data(domain: str) -> None:
    catalog = hostile_catalog(domain)
    goal = Goal(tuple((0,) for _ in catalog.domain.facets))
    someone = replace(TEEN, description=ORDER)
    action = catalog.domain.recommend
    data = told(catalog, goal, 0b10, action, 0, ORDER, someone)
    assert data["offered"]["title"] == ORDER
    assert data["dialogue"] == [["system", ORDER]]
    assert data["character"]["who"] == ORDER


@pytest.mark.parametrize("persona", bundled_personas(), ids=lambda persona: persona.name)
def test_habits_say_the_numbers_in_words(persona: Persona) -> None:
    text = "\n".join(habits(asdict(persona.behaviour)))
    assert f"bears {persona.behaviour.patience:g} rejected" in text
    assert f"bears {persona.behaviour.fatigue} questions" in text
    assert "0." not in text.replace(f"{persona.behaviour.patience:g}", "")


def test_chances_have_an_order() -> None:
    chances = (0, 0.1, 0.3, 0.5, 1)
    words = [habits(asdict(replace(PLAIN, reason=c)))[-1].split(" gives")[0] for c in chances]
    assert words == ["never", "rarely", "sometimes", "often", "almost always"]
