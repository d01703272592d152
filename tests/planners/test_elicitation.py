"""The choice of an action: the scorer's opinion, and what a search makes of it."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue.acts import Kind
from dialogue.view import DialogueView
from language.llm.roles import open_roles
from planners.belief import load_profiles
from planners.dreams_settings import DreamsSettings
from planners.elicitation import ELNode
from planners.hypotheses import imagine
from planners.scorer import EmbeddedScorer
from planners.tools import PlannerTools
from rewards.total import make_reward
from search import SearchResult
from tests.planners.situations import GENRE, RECOMMEND, act, hear, view_of
from tests.small_world import films

FAST = DreamsSettings(n_el=12, goals=20)


def started(genre: int = 0) -> DialogueView:
    view = view_of(films())
    hear(view, act(Kind.LIKE, GENRE, genre), act(Kind.DISLIKE, GENRE, genre + 1))
    return view


def node(rules: DreamsSettings) -> ELNode:
    return ELNode(PlannerTools(films()), rules, make_reward(), open_roles(None))


def searched(rules: DreamsSettings, seed: int = 0, offer: int = -1) -> SearchResult:
    view, tools = started(), PlannerTools(films())
    profiles = load_profiles(rules.user_model)
    hypotheses = imagine(view, tools, rules.imagination, rules.goals, profiles, random.Random(seed))
    found = node(rules).search(view, hypotheses, offer, random.Random(seed))
    assert view.turn == 0
    assert not view.offers
    return found


@pytest.mark.parametrize("samples", [1, 3])
def test_without_a_search_the_scorer_speaks(samples: int) -> None:
    view = started()
    expected = EmbeddedScorer().scores(view)
    scores = node(replace(FAST, m=samples)).scores(view)
    shares = [score / sum(scores) for score in scores]
    assert shares == pytest.approx([score / sum(expected) for score in expected])


def test_dislikes_may_be_left_out() -> None:
    view = started()
    bare = view.fork()
    bare.state.dislikes = [()] * len(bare.asked)
    scores = node(replace(FAST, search_dislikes=False)).scores(view)
    assert scores == EmbeddedScorer().scores(bare)
    assert any(view.state.dislikes)


@settings(max_examples=10)
@given(seed=st.integers(0, 1000))
def test_a_search_visits_as_often_as_asked_and_touches_nothing(seed: int) -> None:
    found = searched(FAST, seed)
    assert sum(found.visits) == FAST.n_el
    assert found.action == searched(FAST, seed).action


def test_foresight_changes_what_later_offers_are_worth() -> None:
    far = replace(FAST, n_el=60)
    assert searched(far).values != searched(replace(far, foresight=False)).values


def test_the_offer_is_what_itemrec_is_worth() -> None:
    """An item that no imagined goal accepts is worth less than one that some accept."""
    rules = replace(FAST, n_el=200, goals=50)
    view, tools = started(), PlannerTools(films())
    profiles = load_profiles(rules.user_model)
    hypotheses = imagine(view, tools, rules.imagination, rules.goals, profiles, random.Random(1))
    items = range(len(view.catalog))
    best = max(items, key=hypotheses.acceptance.of)
    worst = min(items, key=hypotheses.acceptance.of)
    assert hypotheses.acceptance.of(worst) < hypotheses.acceptance.of(best)
    low, high = (
        node(rules).search(view, hypotheses, item, random.Random(1)).values[RECOMMEND]
        for item in (worst, best)
    )
    assert low is not None
    assert high is not None
    assert low < high
