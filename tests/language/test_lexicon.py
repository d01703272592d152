"""Surface forms of values, and how words of a text are read."""

from __future__ import annotations

import pytest

from language.lexicon import build_lexicon
from language.spelling import Speller
from language.text import COMMA, HIDDEN, NO_BREAK, STOP, fold_key, read_words
from tests.language.samples import awkward_catalog, small_catalog

CATALOG = small_catalog()
LEXICON = build_lexicon(CATALOG)


def meanings(form: str) -> set[str]:
    return {CATALOG.value(sense.facet, sense.value) for sense in LEXICON.senses.get(form, ())}


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("sci fi", "sci-fi"),
        ("scifi", "sci-fi"),
        ("comedies", "comedy"),
        ("thrillers", "thriller"),
        ("love stories", "romance"),
        ("jeremiah stonegate", "Jeremiah Stonegate"),
        ("corvo", "Ines Corvo"),
    ],
)
def test_forms(form: str, value: str) -> None:
    assert meanings(form) == {value}


def test_every_value_is_found_under_its_own_name() -> None:
    for catalog in (CATALOG, awkward_catalog()):
        lexicon = build_lexicon(catalog)
        for facet, names in enumerate(catalog.vocabulary):
            for value, name in enumerate(names):
                found = {(s.facet, s.value) for s in lexicon.senses[fold_key(name)]}
                assert (facet, value) in found


def test_vague_words_by_pair() -> None:
    action, thriller = CATALOG.value_index(0, "action"), CATALOG.value_index(0, "thriller")
    assert (
        LEXICON.vague(0, action, thriller) == LEXICON.vague(0, thriller, action) == ("thrilling",)
    )
    assert LEXICON.vague(0, action, CATALOG.value_index(0, "romance")) == ()


def test_synonyms_that_mean_two_values_are_not_offered_for_paraphrase() -> None:
    assert meanings("romcom") == {"romance", "comedy"}
    for name in ("romance", "comedy"):
        assert "romcom" not in LEXICON.synonyms(0, CATALOG.value_index(0, name))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Zoë O'Hara-Lindqvist", "zoe ohara lindqvist"),
        ("Łukasz Øster", "lukasz oster"),
        ("J.R.R.  Tolkien", "j r r tolkien"),
        ("???", ""),
    ],
)
def test_folding(text: str, key: str) -> None:
    assert fold_key(text) == key


def test_words_pauses_and_masks() -> None:
    words = read_words('No, not "War Horse". Sci-fi by J. Doe')
    assert words.folded == ["no", "not", HIDDEN, HIDDEN, "sci", "fi", "by", "j", "doe"]
    expected = [NO_BREAK, COMMA, COMMA, NO_BREAK, STOP, NO_BREAK, NO_BREAK, NO_BREAK, NO_BREAK]
    assert words.breaks[:-1] == expected
    assert words.passage(4, 6) == "Sci-fi"


def test_spelling_reaches_one_letter_or_two_in_long_words() -> None:
    speller = Speller(["comedy", "romance", "winterbourne", "war"])
    assert speller.near("comdey") == ("comedy",)
    assert speller.near("romanc") == ("romance",)
    assert speller.near("wintrebuorne") == ("winterbourne",)
    assert speller.near("comely" * 3) == ()
    assert speller.near("camel") == ()
    assert speller.near("wra") == ()
