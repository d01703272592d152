"""Models' words must let later turns tell what was done; what breaks that is told to them."""

from dataclasses import replace

import pytest

from baselines.act_words import Act, Words, check_words, saying
from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import load_domain
from language.prompts.reply_checks import check_asks, check_no_title, check_said, check_titles
from language.prompts.single_call import Situation
from retrieval.situation import spoken_situation
from tests.baselines.texts_only import opened
from tests.small_world import films, index

FILMS = films()
VAULT, MOTH = index(FILMS, "vault"), index(FILMS, "moth")


def offered(catalog: Catalog, *items: int) -> Situation:
    view = opened(catalog)
    for item in items:
        view.apply_system(catalog.domain.recommend, item)
    return spoken_situation(view)


def test_words_about_an_item_name_it_and_no_other() -> None:
    situation = offered(FILMS, MOTH)
    check_titles(situation, VAULT, "Try Vault Street, or else nothing.")
    with pytest.raises(ValueError, match="must name the title as written: 'Vault Street'"):
        check_titles(situation, VAULT, "Try VAULT STREET.")
    with pytest.raises(ValueError, match="must name the title"):
        check_titles(situation, VAULT, "Try Vault Streets.")
    with pytest.raises(ValueError, match=r"must not name the title 'Moth Song \(1995\)'"):
        check_titles(situation, VAULT, "Vault Street beats Moth Song (1995).")


def test_other_words_name_no_offer() -> None:
    check_no_title(offered(FILMS), "Not like Moth Song (1995).")
    with pytest.raises(ValueError, match="must not name the title"):
        check_no_title(offered(FILMS, MOTH), "Not like Moth Song (1995).")
    for text in ("", " \n"):
        with pytest.raises(ValueError, match="is empty"):
            check_no_title(offered(FILMS), text)
        with pytest.raises(ValueError, match="is empty"):
            check_said(text)


def test_titles_that_are_words_or_values_are_no_titles() -> None:
    rows = [
        ItemRow("1", "It", None, (("horror",), ("S. King",))),
        ItemRow("2", "S. King", None, (("drama",), ("A. Lee",))),
    ]
    situation = offered(build_catalog(load_domain("book"), rows, "titles like words"), 0, 1)
    check_no_title(situation, "It is not S. King, then?")


def test_a_question_names_its_facet_first() -> None:
    situation = offered(FILMS)
    check_asks(situation, 1, "Which actor, of any genre?")
    for text in ("Which genre, with which actor?", "Who?"):
        with pytest.raises(ValueError, match="'actor' or 'actors' before any other facet's"):
            check_asks(situation, 1, text)


CASES: list[tuple[Act, int, str, str]] = [
    ("recommend", -1, "Quay Nights it is.", "Something nice."),
    ("explain", -1, "Moth Song is a musical.", "It is a musical."),
    ("ask", 0, "Which genre?", "What else?"),
    ("clarify", 2, "Which director is it?", "Which of the two?"),
    ("ask_instead", 1, "Which actor instead?", "Who instead?"),
    ("ask_instead", -1, "What instead?", "What instead of Moth Song (1995)?"),
]


@pytest.mark.parametrize(("act", "facet", "right", "wrong"), CASES)
def test_every_act_is_checked(act: Act, facet: int, right: str, wrong: str) -> None:
    situation = replace(offered(FILMS, MOTH), candidates=(index(FILMS, "quay"),))
    given = saying(FILMS, act, facet)
    check_words(situation, given, Words(reply=right))
    with pytest.raises(ValueError, match="the text must"):
        check_words(situation, given, Words(reply=wrong))
