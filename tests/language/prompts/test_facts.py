"""Facts in prompts: shortened, quoted, and encodable."""

import json

from language.prompts import facts
from tests.language.prompts.hostile import ORDER, TITLES, hostile_catalog, view_of
from tests.small_world import films


def test_items_are_told_by_name() -> None:
    catalog = films()
    told = facts.item_facts(catalog, catalog.item("moth").index)
    assert told == {
        "title": "Moth Song",
        "year": 1995,
        "genre": ["fantasy", "family", "musical"],
        "star": ["Mira Castell"],
        "director": ["W. Quill"],
    }


def test_plots_are_cut() -> None:
    catalog = hostile_catalog()
    told = facts.item_facts(catalog, 0)
    assert len(told["plot"]) == facts.PLOT
    assert told["plot"].endswith("…")
    assert "plot" not in facts.item_facts(catalog, 0, plot=False)


def test_only_short_vocabularies_are_listed() -> None:
    catalog = films()
    assert set(facts.vocabulary(catalog)) == {"genre"}
    assert facts.facet_lines(catalog.domain).count("\n") == 2


def test_data_is_json_that_utf8_can_hold() -> None:
    system, user = facts.chat("Do it.", {"titles": list(TITLES)})
    assert system["content"].startswith("Do it.")
    assert user["content"].encode("utf-8")
    read = json.loads(user["content"])["titles"]
    assert read[0] == ORDER
    assert "broken" in read[3]


def test_what_the_system_did() -> None:
    catalog = films()
    view = view_of(catalog)
    assert "begins" in facts.last_action(view)["action"]
    view.apply_system(1, -1)
    assert facts.last_action(view) == {"action": "StarInquiry", "facet": "star"}
    view.apply_system(catalog.domain.recommend, 3)
    assert facts.last_action(view)["item"]["title"] == catalog.items[3].title
