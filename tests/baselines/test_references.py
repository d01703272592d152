"""The references: what each one does, and that they are policies."""

import numpy as np
import pytest

from baselines.references import AlwaysRecommend, AskAll, Oracle, RandomPolicy
from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.policy import Policy
from dialogue.streams import Role, generator
from dialogue.view import DialogueView, SystemTurn
from envs.crs import CRSEnv
from retrieval.structured import StructuredRetriever
from tests.dialogues import hold
from tests.small_world import index

ALL = (RandomPolicy, AlwaysRecommend, AskAll, Oracle)
RNG = np.random.default_rng(0)


@pytest.fixture
def view(small: Catalog) -> DialogueView:
    return DialogueView(small, StructuredRetriever(small), "acts", 10)


@pytest.fixture
def env(no_data: str) -> CRSEnv:
    return CRSEnv("redial", channel="acts", split="test", data_dir=no_data, keep_steps=True)


@pytest.mark.parametrize("policy", ALL)
def test_each_is_a_policy(policy: type) -> None:
    assert isinstance(policy(), Policy)


@pytest.mark.parametrize("policy", ALL)
def test_only_legal_actions(policy: type, env: CRSEnv) -> None:
    for episode in range(40):
        hold(env, policy(), 0, episode)
        assert env.view.invalid == 0


def test_random_is_uniform_over_the_legal_actions(view: DialogueView) -> None:
    policy = RandomPolicy()
    drawn = [policy.decide(view, generator(0, 0, Role.POLICY, t)) for t in range(4000)]
    counts = np.bincount(drawn, minlength=6)
    assert counts[[3, 5]].tolist() == [0, 0]
    assert np.all(np.abs(counts[[0, 1, 2, 4]] / 4000 - 0.25) < 0.04)
    again = [policy.decide(view, generator(0, 0, Role.POLICY, t)) for t in range(50)]
    assert again == drawn[:50]


def test_always_recommend(view: DialogueView, small: Catalog) -> None:
    policy = AlwaysRecommend()
    assert policy.decide(view, RNG) == 4
    view.offered = small.everything
    view.offers = [(0, int(Kind.REJECT))]
    assert policy.decide(view, RNG) == 5


def test_ask_all(view: DialogueView) -> None:
    """Each facet once, in order; then offers; a request for details comes first."""
    policy = AskAll()
    decisions = []
    for item in (-1, -1, -1, 3, 4):
        decisions.append(policy.decide(view, RNG))
        view.apply_system(decisions[-1], item)
        view.apply_user((UserAct(Kind.REJECT, -1, -1, item),) if item >= 0 else ())
    assert decisions == [0, 1, 2, 4, 4]
    view.apply_user((UserAct(Kind.DETAILS, -1, -1, 4),))
    assert policy.decide(view, RNG) == 5
    view.apply_user(())
    view.offered = view.catalog.everything
    assert policy.decide(view, RNG) == 5


def test_the_oracle_offers_a_target_and_explains(view: DialogueView, small: Catalog) -> None:
    policy = Oracle()
    vault, quay = index(small, "vault"), index(small, "quay")
    policy.inform(1 << vault | 1 << quay)
    turn = policy.decide(view, RNG)
    assert isinstance(turn, SystemTurn)
    assert turn.ranking is not None
    assert turn.ranking[0] == vault
    assert len(turn.ranking) == len(set(turn.ranking)) == 10
    view.apply_system(4, vault)
    view.apply_user((UserAct(Kind.DETAILS, -1, -1, vault),))
    assert policy.decide(view, RNG) == 5
    view.apply_user(())
    turn = policy.decide(view, RNG)
    assert isinstance(turn, SystemTurn)
    assert turn.ranking is not None
    assert turn.ranking[0] == quay


def test_the_oracle_succeeds_at_once(env: CRSEnv) -> None:
    assert Oracle.privileged
    found = [hold(env, Oracle(), 1, k) for k in range(150)]
    assert np.mean([outcome.success for outcome in found]) >= 0.97
    assert np.mean([outcome.turns for outcome in found]) < 1.8


def test_a_policy_carries_nothing_over(env: CRSEnv) -> None:
    """One object for many dialogues decides as a new one for each."""
    for policy in (RandomPolicy, AlwaysRecommend, AskAll):
        veteran = policy()
        for episode in range(10):
            assert hold(env, veteran, 0, episode) == hold(env, policy(), 0, episode)
