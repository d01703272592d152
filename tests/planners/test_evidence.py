"""What hand-made exchanges show of a user."""

import math
from dataclasses import replace
from typing import Any

import pytest

from catalogs.catalog import Catalog
from dialogue.acts import Kind
from dialogue.view import DialogueView
from planners.evidence import LEVEL_HIT, Evidence, gather, log_likelihood, patience_likelihood
from simulators.behaviour import PROBABILITIES
from simulators.wear import wear
from tests.planners.situations import (
    AVERAGE,
    DIRECTOR,
    EXPLAIN,
    GENRE,
    RECOMMEND,
    REFLECT,
    STAR,
    act,
    go_on,
    hear,
    view_of,
)


def counts(view: DialogueView) -> dict[str, Any]:
    """By name ``(taken, chances)``, where there was a chance."""
    found = gather(view)
    return {
        name: (found.taken[name], found.chances[name])
        for name in PROBABILITIES
        if found.chances[name]
    }


def test_no_exchange_shows_nothing(small: Catalog) -> None:
    assert counts(view_of(small)) == {}


def test_the_opening(small: Catalog) -> None:
    view = view_of(small)
    hear(view, act(Kind.VAGUE, GENRE, 0, 1), act(Kind.LIKE, STAR, 0))
    assert counts(view) == {"opens_topic": (1, 1), "opens_person": (1, 2)}


def test_answers(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    go_on(view, STAR, act(Kind.EVADE, STAR))
    go_on(view, GENRE, act(Kind.LIKE, GENRE, 0), act(Kind.VAGUE, GENRE, 1, 2))
    go_on(view, STAR, act(Kind.LIKE, STAR, 0), act(Kind.LIKE, DIRECTOR, 0))
    found = counts(view)
    assert found["evade_person"] == (1, 2)
    assert found["evade_topic"] == (0, 1)
    assert found["two_values"] == (1, 2)
    assert found["vague"] == (1, 2)
    assert found["volunteer"] == (1, 2)
    assert found["slip"] == (0, 3)


def test_nothing_more_to_say_is_no_evasion(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    go_on(view, STAR, act(Kind.CORRECT, GENRE, 0, 1), act(Kind.NOMORE, STAR))
    found = counts(view)
    assert "evade_person" not in found
    assert found["slip"] == (1, 1)


def test_reactions(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    go_on(view, RECOMMEND, act(Kind.SEEN, other=0), item=0)
    go_on(view, RECOMMEND, act(Kind.DETAILS, other=1), item=1)
    go_on(view, EXPLAIN, act(Kind.REJECT, GENRE, 0, 1), item=1)
    go_on(view, RECOMMEND, act(Kind.REJECT, other=2), item=2)
    found = counts(view)
    familiar = sum(2 * small.familiarity[item] for item in (0, 1, 2))
    assert found["seen"] == (1, pytest.approx(familiar))
    assert found["details"] == (1, 2)
    assert found["reason"] == (1, 2)


def test_reflections_show_no_habit(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    go_on(view, RECOMMEND, act(Kind.REJECT, GENRE, 0, 0), item=0)
    before = counts(view)
    go_on(view, REFLECT, act(Kind.LIKE, GENRE, 1))
    assert counts(view) == before


def test_the_likelihood_is_that_of_trials() -> None:
    found = Evidence()
    for evaded in (True, True, False):
        found.count("evade_topic", evaded)
    expected = 2 * math.log(0.1) + math.log(0.9)
    assert log_likelihood(found, replace(AVERAGE, evade_topic=0.1), 3) == pytest.approx(expected)
    rates = [log_likelihood(found, replace(AVERAGE, evade_topic=p), 3) for p in (0.0, 0.3, 0.66)]
    assert rates == sorted(rates)
    assert all(map(math.isfinite, rates))


def test_a_known_item_not_seen_weighs_more() -> None:
    fan, novice = replace(AVERAGE, seen=0.5), replace(AVERAGE, seen=0.1)

    def advantage(weight: float) -> float:
        found = Evidence()
        found.count("seen", False, weight)
        return log_likelihood(found, novice, 3) - log_likelihood(found, fan, 3)

    assert advantage(1.8) > advantage(0.2) > 0


def test_impatience_tells_patience_apart(small: Catalog) -> None:
    """One rejection and a sigh of level 1.

    A patience of 2 predicts it, a patience of 6 does not.
    """
    view = view_of(small)
    hear(view)
    go_on(view, RECOMMEND, act(Kind.REJECT, other=0), act(Kind.SIGH, 1), item=0)
    found = gather(view)
    assert wear(view.exchanges, 3, 3) == [0, 1]
    assert patience_likelihood(found, 2.0, 3, 3) == pytest.approx(math.log(LEVEL_HIT))
    assert patience_likelihood(found, 6.0, 3, 3) < math.log(1 - LEVEL_HIT)


def test_staying_calm_is_evidence_too(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    go_on(view, RECOMMEND, act(Kind.REJECT, other=0), item=0)
    found = gather(view)
    assert patience_likelihood(found, 6.0, 3, 3) > patience_likelihood(found, 1.5, 3, 3)


def test_leaving_fits_the_patience_that_ran_out(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    for item, level in enumerate((1, 2)):
        go_on(view, RECOMMEND, act(Kind.REJECT, other=item), act(Kind.SIGH, level), item=item)
    go_on(view, RECOMMEND, act(Kind.REJECT, other=2), act(Kind.QUIT), item=2)
    found = gather(view)
    course = {p: patience_likelihood(found, p, 3, 3) for p in (1.0, 2.0, 3.0, 4.0, 5.0)}
    assert max(course, key=course.__getitem__) == 3.0


def test_tiring_of_questions_tells_fatigue_apart(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    for turn in range(3):
        sigh = [act(Kind.SIGH, turn)] if turn else []
        go_on(view, turn, act(Kind.EVADE, turn), *sigh)
    found = gather(view)
    fits = {f: patience_likelihood(found, 3.0, f, 3) for f in (0, 1, 3)}
    assert max(fits, key=fits.__getitem__) == 1
