"""What the system says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.view import DialogueView, SystemTurn
from language.responder import EmbeddedResponder
from tests.language.samples import awkward_catalog, fresh_view, other_domain_catalog, small_catalog

CATALOG = small_catalog()
RESPONDER = EmbeddedResponder(CATALOG)


def genre(name: str) -> int:
    return CATALOG.value_index(0, name)


def response(action: int, view: DialogueView, item: int = -1) -> str:
    return RESPONDER.respond(SystemTurn(action), item, view)


def test_inquiries_name_their_facet() -> None:
    view = fresh_view(CATALOG)
    for turn in range(4):
        view.turn = turn
        for facet, described in enumerate(CATALOG.domain.facets):
            text = response(facet, view)
            assert described.singular in text or described.plural in text
            assert text.endswith("?")


def test_an_ambiguity_is_asked_about() -> None:
    view = fresh_view(CATALOG)
    low, high = sorted((genre("action"), genre("thriller")))
    view.apply_user((UserAct(int(Kind.VAGUE), 0, low, high),))
    text = response(0, view)
    assert "action" in text
    assert "thriller" in text


def test_known_values_are_not_asked_for_again() -> None:
    view = fresh_view(CATALOG)
    view.apply_user((UserAct(int(Kind.LIKE), 0, genre("comedy")),))
    assert "comedy" in response(0, view)


def test_reflection_names_the_reason() -> None:
    view = fresh_view(CATALOG)
    view.apply_system(CATALOG.domain.recommend, 0)
    value = CATALOG.items[0].values[0][0]
    view.apply_user((UserAct(int(Kind.REJECT), 0, value, 0),))
    for turn in range(2):
        view.turn = turn
        assert CATALOG.value(0, value) in response(CATALOG.domain.reflect, view)
    view.apply_user((UserAct(int(Kind.REJECT), 1, -1, 0),))
    assert "actor" in response(CATALOG.domain.reflect, view)
    view.apply_user((UserAct(int(Kind.REJECT), -1, -1, 0),))
    assert response(CATALOG.domain.reflect, view)


def test_an_offer_says_what_fits_and_nothing_else() -> None:
    view = fresh_view(CATALOG)
    item = next(item for item in CATALOG.items if item.title == "Crime")
    view.apply_user(
        (UserAct(int(Kind.LIKE), 0, genre("drama")), UserAct(int(Kind.LIKE), 0, genre("comedy")))
    )
    text = response(CATALOG.domain.recommend, view, item.index)
    assert item.label in text
    assert "drama" in text
    assert "comedy" not in text
    assert "thriller" not in text


def test_an_explanation_tells_all_attributes() -> None:
    view = fresh_view(CATALOG)
    for item in CATALOG.items:
        text = response(CATALOG.domain.explain, view, item.index)
        for facet, values in enumerate(item.values):
            assert all(CATALOG.value(facet, value) in text for value in values)


@pytest.mark.parametrize("build", [small_catalog, awkward_catalog, other_domain_catalog])
def test_every_action_has_a_text(build: Callable[[], Catalog]) -> None:
    catalog = build()
    responder = EmbeddedResponder(catalog)
    view = fresh_view(catalog)
    for action in range(len(catalog.domain.actions)):
        for item in (-1, 0):
            for turn in range(3):
                view.turn = turn
                text = responder.respond(SystemTurn(action), item, view)
                assert text.strip()
                assert text == responder.respond(SystemTurn(action), item, view)
