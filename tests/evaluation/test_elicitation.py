"""CGE2 and FGE2 on dialogues with known answers. The target is ``t``."""

from typing import Any

import pytest

from evaluation.elicitation import cge2, fge2
from evaluation.reading import wanted_values
from evaluation.records import RecordError
from tests.evaluation.fakes import record, turn


@pytest.mark.parametrize(
    ("played", "errors", "counted"),
    [
        (turn("GenreInquiry", retrieved=["t", "a"]), 1, 1),  # ask while right
        (turn("GenreInquiry", retrieved=["a", "b"]), 0, 1),  # ask while wrong
        (turn("StarInquiry", retrieved=[]), 0, 1),
        (turn("FailureReflection", retrieved=["t"]), 1, 1),  # it ends in a question
        (turn("ItemRec", item="t"), 0, 1),  # recommend while right
        (turn("ItemRec", item="a", retrieved=["t"]), 1, 1),  # the offer counts, not the retriever
        (turn("ItemExplanation", item="a", retrieved=["t"]), 0, 0),  # another turn
    ],
)
def test_cge2_of_one_turn(played, errors, counted):
    assert cge2(record(played)) == (errors, counted)


@pytest.mark.parametrize(
    ("played", "errors"),
    [
        (turn("GenreInquiry", retrieved=["a", "b", "c", "d", "t"]), 1),
        (turn("GenreInquiry", retrieved=["a", "b", "c", "d", "e", "t"]), 0),
        (turn("ItemRec", item="a", ranking=["a", "b", "c", "d", "t"]), 0),
        (turn("ItemRec", item="a", ranking=["a", "b", "c", "d", "e", "t"]), 1),
    ],
)
def test_cge2_in_the_top_five(played, errors):
    assert cge2(record(played), k=5) == (errors, 1)


def test_an_illegal_action_counts_as_the_turn_it_became():
    assert cge2(record(turn("GenreInquiry", legal=False, retrieved=["t"]))) == (1, 1)


def test_cge2_adds_up_over_turns():
    dialogue = record(
        turn("GenreInquiry", retrieved=["t"]),
        turn("StarInquiry", retrieved=["a"]),
        turn("ItemRec", item="b"),
        turn("ItemExplanation", item="b"),
        turn("ItemRec", item="t"),
    )
    assert cge2(dialogue) == (2, 4)


def after_rejection(follow_up: dict[str, Any], *said: Any, opening: Any = ()) -> dict[str, Any]:
    """A dialogue in which an offer is answered by acts and then by a follow-up turn."""
    first = turn("ItemRec", item="a", said=[list(act) for act in said])
    opened = {"user": "hello", "said": [list(act) for act in opening], "heard": []}
    return record(first, follow_up, opening=opened)


GENRE = ("REJECT", "genre", "horror", "a")
STAR = ("REJECT", "star", "Dan", "a")


def offer(**values: list[str]) -> dict[str, Any]:
    return turn("ItemRec", item="b", item_values={"genre": [], "star": [], "director": []} | values)


@pytest.mark.parametrize(
    ("follow_up", "said", "errors"),
    [
        (turn("GenreInquiry"), [GENRE], 0),  # asks about what was complained about
        (turn("StarInquiry"), [GENRE], 1),  # asks about something else
        (turn("FailureReflection"), [GENRE], 0),
        (turn("ItemExplanation", item="a"), [GENRE], 0),
        (offer(genre=["horror"]), [GENRE], 1),  # repeats it
        (offer(genre=["comedy"]), [GENRE], 0),
        (offer(star=["Dan", "Eve"]), [STAR], 1),
        (offer(star=["Eve"]), [STAR], 0),
        (turn("StarInquiry"), [GENRE, STAR], 0),  # about one of two reasons
        (turn("DirectorInquiry"), [GENRE, STAR], 1),
        (offer(genre=["comedy"], star=["Dan"]), [GENRE, STAR], 1),  # must respect both
    ],
)
def test_fge2_of_one_follow_up(follow_up, said, errors):
    assert fge2(after_rejection(follow_up, *said)) == (errors, 1)


@pytest.mark.parametrize(
    ("follow_up", "errors"),
    [
        (offer(genre=["comedy", "drama", "war"]), 0),
        (offer(genre=["comedy"]), 1),  # all wanted genres are needed
        (offer(genre=[]), 1),
    ],
)
def test_fge2_of_an_item_that_misses_what_was_asked_for(follow_up, errors):
    opening = [("LIKE", "genre", "comedy", None)]
    said = [GENRE, ("LIKE", "genre", "drama", None)]
    assert fge2(after_rejection(follow_up, *said, opening=opening)) == (errors, 1)


@pytest.mark.parametrize(
    ("follow_up", "errors"),
    [(offer(star=["Ann"]), 0), (offer(star=["Eve"]), 1), (offer(star=["Ann", "Dan"]), 1)],
)
def test_fge2_needs_one_wanted_star(follow_up, errors):
    opening = [("LIKE", "star", "Ann", None), ("LIKE", "star", "Bob", None)]
    assert fge2(after_rejection(follow_up, STAR, opening=opening)) == (errors, 1)


def test_fge2_judges_only_the_facets_complained_about():
    opening = [("LIKE", "star", "Ann", None)]
    assert fge2(after_rejection(offer(genre=["drama"]), GENRE, opening=opening)) == (0, 1)


def test_a_reason_may_name_only_the_facet():
    reason = ("REJECT", "star", None, "a")
    wanted = [("LIKE", "star", "Ann", None)]
    assert fge2(after_rejection(offer(star=["Dan"]), reason)) == (0, 1)
    assert fge2(after_rejection(offer(star=["Dan"]), reason, opening=wanted)) == (1, 1)
    assert fge2(after_rejection(turn("GenreInquiry"), reason)) == (1, 1)


@pytest.mark.parametrize(
    "said",
    [
        ("SEEN", None, None, "a"),
        ("REJECT", None, None, "a"),
        ("DETAILS", None, None, "a"),
        ("SIGH", 2, None, None),
        ("DISLIKE", "genre", "horror", None),
    ],
)
def test_fge2_counts_only_rejections_with_a_reason(said):
    assert fge2(after_rejection(turn("StarInquiry"), said)) == (0, 0)


def test_a_rejection_that_nothing_follows_does_not_count():
    assert fge2(record(turn("ItemRec", item="a", said=[list(GENRE)]))) == (0, 0)


def test_what_is_wanted_follows_corrections():
    acts: list[list[Any]] = [
        ["LIKE", "genre", "war", None],
        ["LIKE", "genre", "drama", None],
        ["CORRECT", "genre", "comedy", "war"],
        ["DISLIKE", "genre", "drama", None],
        ["VAGUE", "genre", "horror", "crime"],
        ["SIGH", 2, None, None],
    ]
    assert wanted_values(acts) == {"genre": ["comedy"]}


def test_a_record_that_was_not_completed_is_named():
    dialogue = after_rejection(offer(), GENRE)
    del dialogue["facets"]
    with pytest.raises(RecordError, match=r"episode 0 has no 'facets'.*complete_record"):
        fge2(dialogue)
    dialogue = after_rejection(offer(), GENRE)
    del dialogue["turns"][1]["item_values"]
    with pytest.raises(RecordError, match=r"item 'b'.*complete_record"):
        fge2(dialogue)
