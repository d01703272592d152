"""Success and recall on dialogues with known answers. The target is ``t``."""

from typing import Any

import pytest

from evaluation.recommendation import offered, recall_last_ranking, recall_last_turn, succeeded
from tests.evaluation.fakes import record, turn


def offer(item: str, ranking: list[str] | None = None, **changes: Any) -> dict[str, Any]:
    return turn("ItemRec", item=item, ranking=ranking or [item], **changes)


ACCEPTED = {"outcome": "accepted", "success": True}


def test_success_is_an_accepted_target():
    assert succeeded(record(turn("GenreInquiry"), offer("a"), offer("t"), **ACCEPTED))
    assert succeeded(record(offer("t"), turn("ItemExplanation", item="t"), **ACCEPTED))
    assert not succeeded(record(offer("a"), offer("b")))
    assert not succeeded(record())


def test_a_claimed_acceptance_is_not_success():
    assert not succeeded(record(offer("a"), **ACCEPTED))
    assert not succeeded(record(offer("t"), offer("a"), **ACCEPTED))


def test_a_target_left_undecided_is_offered_but_no_success():
    dialogue = record(offer("t"), turn("GenreInquiry"), outcome="left")
    assert offered(dialogue)
    assert not succeeded(dialogue)


def test_a_target_that_is_only_ranked_or_explained_is_no_offer():
    assert not offered(record(offer("a", ["a", "t"])))
    assert not offered(record(offer("a"), turn("ItemExplanation", item="t")))


RANKED = ["a", "b", "c", "d", "t", "f"]


@pytest.mark.parametrize(("k", "found"), [(1, False), (4, False), (5, True), (10, True)])
def test_recall_takes_the_last_ranking(k, found):
    dialogue = record(offer("t"), offer("a", RANKED), turn("GenreInquiry"))
    assert recall_last_ranking(dialogue, k) is found
    assert recall_last_turn(dialogue, k) is False, "the last turn ranks nothing"


def test_recall_at_the_last_turn():
    assert recall_last_turn(record(offer("a"), offer("t")), 1)
    assert not recall_last_turn(record(offer("t"), offer("a")), 1)


def test_recall_without_a_ranking_is_zero():
    for dialogue in (record(), record(turn("GenreInquiry", retrieved=["t"]))):
        assert not recall_last_ranking(dialogue, 10)
        assert not recall_last_turn(dialogue, 10)
