"""What a decision at a prefix is worth, and policies on all of them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from baselines.references import AlwaysRecommend, AskAll, Oracle, RandomPolicy
from dialogue.view import DialogueView, SystemTurn
from envs.conversation import HiddenError
from evaluation.prefixes import evaluate_prefixes
from evaluation.prefixes.data import Prefix
from evaluation.prefixes.dialogues import read_dialogues
from evaluation.prefixes.env import PrefixEnv
from evaluation.prefixes.gold import Gold
from evaluation.prefixes.scoring import prefix_tallies, score_decision
from evaluation.prefixes.worth import worth_of_gold
from planners.prior_only import PriorOnly

GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)
LABELS = ("right", "preferred", "useful", "redundant", "premature")


@pytest.fixture(scope="module")
def env() -> PrefixEnv:
    return PrefixEnv()


def scored(env: PrefixEnv, gold: Gold, turn: SystemTurn | int) -> set[str]:
    """The labels of a decision at the first prefix (an opening), were this its gold."""
    env.reset(options={"episode": 0})
    prefix = replace(env.conversation.prefix, gold=gold)
    turn = turn if isinstance(turn, SystemTurn) else SystemTurn(turn)
    found = score_decision(prefix, env.view, turn)
    return {label for label in LABELS if found[label]}


ASK = Gold((STAR, DIRECTOR), "question", False, (GENRE,))


def test_questions(env: PrefixEnv) -> None:
    assert scored(env, ASK, STAR) == {"right", "preferred", "useful"}
    assert scored(env, ASK, DIRECTOR) == {"right", "useful"}
    assert scored(env, ASK, GENRE) == {"redundant"}
    assert scored(env, replace(ASK, actions=(RECOMMEND,)), STAR) == set()


def test_offers_are_judged_by_what_is_offered(env: PrefixEnv) -> None:
    env.reset(options={"episode": 0})
    prefix = env.conversation.prefix
    target = (prefix.targets & -prefix.targets).bit_length() - 1
    miss = next(i for i in range(100) if not prefix.targets >> i & 1)
    offer = SystemTurn(RECOMMEND, ranking=(target, miss))
    wrong = SystemTurn(RECOMMEND, ranking=(miss, target))
    assert scored(env, ASK, offer) == {"right"}  # a target ends the dialogue well, gold or not
    assert scored(env, ASK, wrong) == {"premature"}
    only = Gold((RECOMMEND,), "target", False, ())
    assert scored(env, only, offer) == {"right", "preferred"}
    assert scored(env, only, wrong) == {"premature"}
    assert scored(env, replace(only, any_offer=True), wrong) == {"right", "preferred"}


def test_what_is_illegal_is_wrong_and_nothing_else(env: PrefixEnv) -> None:
    assert scored(env, replace(ASK, actions=(REFLECT, EXPLAIN)), REFLECT) == set()
    assert scored(env, replace(ASK, actions=(REFLECT, EXPLAIN)), EXPLAIN) == set()
    with pytest.raises(ValueError, match="action 6 does not exist"):
        scored(env, ASK, 6)


def test_the_denominators() -> None:
    def record(**labels: bool) -> dict[str, Any]:
        names = (*LABELS, "due", "asks", "legal")
        return {"legal": True, **{k: labels.get(k, k == "legal") for k in names}}

    records = [
        record(due=True, asks=True, right=True, useful=True),
        record(due=True, premature=True),
        record(asks=True, redundant=True),
        record(right=True, preferred=True),
        record(legal=False, due=True),
    ]
    values = {name: tally.value for name, tally in prefix_tallies(records).items()}
    assert values == {
        "next_action_accuracy": 2 / 5,
        "next_action_preferred": 1 / 5,
        "useful_ask": 1 / 3,
        "redundant_question": 1 / 2,
        "premature_recommendation": 1 / 5,
        "illegal_action": 1 / 5,
    }
    assert prefix_tallies([record()])["redundant_question"].value is None


def test_references() -> None:
    """The oracle is always right; always offering is right only where an offer is."""
    oracle = evaluate_prefixes(Oracle)
    assert oracle.values["next_action_accuracy"] == 1.0
    assert oracle.values["premature_recommendation"] == 0.0
    assert oracle.values["redundant_question"] is None
    always = evaluate_prefixes(AlwaysRecommend)
    assert always.values["useful_ask"] == 0.0
    accuracy = always.values["next_action_accuracy"]
    premature = always.values["premature_recommendation"]
    assert accuracy is not None
    assert premature is not None
    assert accuracy + premature == pytest.approx(1.0)
    rules = [evaluate_prefixes(policy).values for policy in (RandomPolicy, AskAll, PriorOnly)]
    scores = [values["next_action_accuracy"] or 0.0 for values in rules]
    assert scores == sorted(scores)
    assert scores[0] + 0.1 < scores[2] < 1.0
    low, high = oracle.intervals["next_action_accuracy"] or (0.0, 0.0)
    assert (low, high) == (1.0, 1.0)


def test_the_same_seed_gives_the_same_decisions() -> None:
    first, again, other = (evaluate_prefixes(RandomPolicy, seed).records for seed in (0, 0, 1))
    assert first == again
    assert [r["action"] for r in first] != [r["action"] for r in other]


class Spy:
    """A policy that looks for the gold where it should not be."""

    def __init__(self, env: PrefixEnv) -> None:
        self.env = env

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        pass

    def decide(self, view: DialogueView, rng: np.random.Generator) -> int:
        return self.env.conversation.prefix.gold.actions[0]


def test_the_gold_is_sealed_while_a_policy_decides(env: PrefixEnv) -> None:
    from evaluation.episode import Session

    with pytest.raises(HiddenError, match="gold"):
        Session(env, Spy(env), 0, "test")(0)
    env.reset(options={"episode": 3})
    assert not any(isinstance(getattr(env.view, name, None), Prefix) for name in dir(env.view))


def test_it_is_an_environment(env: PrefixEnv) -> None:
    check_env(env, skip_render_check=True)
    _, info = env.reset(options={"episode": 7})
    assert info["action_mask"].tolist() == env.view.mask()
    _, reward, terminated, truncated, info = env.step(GENRE)
    assert (terminated, truncated) == (True, False)
    assert reward == float(info["is_success"])
    with pytest.raises(ValueError, match=r"prefixes 0\.\.139"):
        env.reset(options={"episode": 140})
    with pytest.raises(ValueError, match="split 'test'"):
        env.reset(options={"split": "train"})


def test_dialogues_end_better_after_gold(env: PrefixEnv) -> None:
    prefixes = [env_prefix(env, number) for number in range(0, 140, 3)]
    found = worth_of_gold(prefixes, read_dialogues(), PriorOnly)
    assert found["preferred"][0] > found["other"][0] + 0.05


def env_prefix(env: PrefixEnv, number: int) -> Prefix:
    env.reset(options={"episode": number})
    return env.conversation.prefix
