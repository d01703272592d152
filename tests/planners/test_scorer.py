"""The embedded scorer: which acts fit the moment, from the public view alone."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs.catalog import Catalog
from dialogue.acts import Kind
from dialogue.view import DialogueView
from envs.world import World
from planners.prior_only import PriorOnly
from planners.scorer import EmbeddedScorer, ScorerSettings
from tests.planners.situations import (
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
from tests.small_world import env_of, index
from tests.strategies import turns, worlds

RULES = ScorerSettings()


def scores(view: DialogueView, settings: ScorerSettings = RULES) -> list[float]:
    return EmbeddedScorer(settings).scores(view)


@given(data=st.data(), place=worlds())
@settings(max_examples=80)
def test_at_any_view(data: st.DataObject, place: World) -> None:
    """Scores are finite and non-negative, one is positive, and a positive one is legal."""
    env = env_of(place, max_turns=12)
    env.reset(seed=1, options={"episode": data.draw(st.integers(0, 5))})
    for turn in [None, *data.draw(turns(env.catalog))]:
        if turn is not None and any(env.play(turn)[2:4]):
            break
        before = env.get_state()
        found = scores(env.view)
        assert found == scores(env.view)
        assert env.get_state() == before
        assert len(found) == len(env.domain.actions)
        assert max(found) > 0
        assert min(found) >= 0
        assert np.isfinite(found).all()
        mask = env.view.mask()
        assert all(legal for legal, score in zip(mask, found, strict=True) if score > 0)


def test_it_depends_on_public_facts_alone(small: Catalog) -> None:
    """A fork has the same public facts and none of the history."""
    view = view_of(small)
    hear(view, act(Kind.LIKE, GENRE, 0))
    go_on(view, STAR, act(Kind.EVADE, STAR))
    assert scores(view.fork()) == scores(view)


def test_nothing_known_asks_or_recommends(small: Catalog) -> None:
    found = scores(view_of(small))
    assert found[REFLECT] == found[EXPLAIN] == 0
    assert found[GENRE] == found[STAR] == found[DIRECTOR] == RULES.ask
    assert RULES.recommend_least < found[RECOMMEND] < RULES.recommend


def test_a_closed_facet_is_not_asked_about(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    go_on(view, STAR, act(Kind.NOMORE, STAR))
    assert scores(view)[STAR] == 0
    assert scores(view)[GENRE] > 0


def test_what_is_known_lowers_what_is_asked(small: Catalog) -> None:
    view = view_of(small)
    hear(view, act(Kind.LIKE, GENRE, 0), act(Kind.VAGUE, DIRECTOR, 0, 1))
    view.state.evasions[STAR] = 2
    found = scores(view)
    assert found[GENRE] == RULES.again
    assert found[DIRECTOR] == RULES.clarify
    assert found[STAR] == RULES.ask * 0.25


def test_questions_in_a_row_tire(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    fresh = scores(view)
    go_on(view, GENRE, act(Kind.EVADE, GENRE))
    assert scores(view)[STAR] == pytest.approx(fresh[STAR] * RULES.tired)
    go_on(view, STAR, act(Kind.EVADE, STAR))
    assert scores(view)[DIRECTOR] == pytest.approx(fresh[DIRECTOR] * RULES.tired**2)
    go_on(view, RECOMMEND, act(Kind.DETAILS, other=0), item=0)
    assert scores(view)[DIRECTOR] == fresh[DIRECTOR]


def test_details_call_for_an_explanation(small: Catalog) -> None:
    view = view_of(small)
    hear(view)
    go_on(view, RECOMMEND, act(Kind.DETAILS, other=0), item=0)
    found = scores(view)
    assert found[EXPLAIN] == max(found) == RULES.explain
    go_on(view, EXPLAIN, act(Kind.OTHER), item=0)
    assert scores(view)[EXPLAIN] == 0


@pytest.mark.parametrize(("facet", "score"), [(GENRE, RULES.reflect), (-1, RULES.reflect_blind)])
def test_a_rejection_calls_for_reflection(small: Catalog, facet: int, score: float) -> None:
    view = view_of(small)
    hear(view)
    go_on(view, RECOMMEND, act(Kind.REJECT, facet, -1, 0), item=0)
    assert scores(view)[REFLECT] == score
    go_on(view, STAR, act(Kind.EVADE, STAR))
    assert scores(view)[REFLECT] == 0


@pytest.mark.parametrize("factor", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("reason", [GENRE, -1])
def test_a_stated_reason_can_hold_back_questions_elsewhere(
    small: Catalog, reason: int, factor: float
) -> None:
    view = view_of(small)
    hear(view)
    go_on(view, RECOMMEND, act(Kind.REJECT, reason, -1, 0), item=0)
    free = scores(view)
    held = EmbeddedScorer(ScorerSettings(elsewhere=factor)).scores(view)
    assert held[STAR] == free[STAR] * (1.0 if reason < 0 else factor)
    held[STAR], held[DIRECTOR] = free[STAR], free[DIRECTOR]
    assert held == free


def test_the_sharper_the_candidates_the_more_it_recommends(small: Catalog) -> None:
    view = view_of(small)
    vague = scores(view)[RECOMMEND]
    hear(view, act(Kind.LIKE, GENRE, small.value_index(GENRE, "horror")))
    assert view.assess().entropy == 0
    assert scores(view)[RECOMMEND] == RULES.recommend > vague


def test_all_offered_and_all_closed_still_leaves_an_act(small: Catalog) -> None:
    view = view_of(small)
    view.offered = small.everything
    view.state.closed = [True] * 3
    found = scores(view)
    assert found[RECOMMEND] == 0
    assert max(found) > 0


def test_constants_reach_the_scores(small: Catalog) -> None:
    view = view_of(small)
    changed = scores(view, replace(RULES, ask=7.0, recommend_least=2.0))
    assert changed[GENRE] == 7.0
    assert changed[RECOMMEND] > 2.0


def test_prior_only_takes_the_best_score(small: Catalog) -> None:
    view, rng = view_of(small), np.random.default_rng(0)
    hear(view)
    policy = PriorOnly(replace(RULES, ask=0.1))
    policy.reset(view, rng)
    assert policy.decide(view, rng) == RECOMMEND
    eager = PriorOnly(replace(RULES, ask=50.0))
    eager.reset(view, rng)
    assert eager.decide(view, rng) == GENRE
    item = index(small, "moth")
    go_on(view, RECOMMEND, act(Kind.DETAILS, other=item), item=item)
    assert policy.decide(view, rng) == EXPLAIN
