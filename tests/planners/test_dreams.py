"""Dreams as a policy: what it decides, what it tells, and what its options do."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue.streams import Role, generator
from dialogue.view import SystemTurn
from envs.crs import CRSEnv
from envs.world import World
from planners.dreams import Dreams
from planners.dreams_settings import DreamsSettings
from planners.exploitation import RefinementSettings
from search import UCTSettings
from tests.dialogues import Outcome, hold
from tests.planners.situations import reach
from tests.small_world import env_of
from tests.strategies import turns, worlds

ROOT = Path(__file__).resolve().parents[2]
FAST = DreamsSettings(n_el=12, goals=20)


@pytest.fixture
def env(no_data: str) -> CRSEnv:
    return CRSEnv("redial", channel="acts", split="train", data_dir=no_data)


def talk(env: CRSEnv, episodes: int = 4, first: int = 0, **changes: Any) -> list[Outcome]:
    policy = Dreams(replace(FAST, **changes))
    return [hold(env, policy, 0, first + k, "train") for k in range(episodes)]


def turns_of(outcomes: list[Outcome]) -> list[SystemTurn]:
    found = [turn for outcome in outcomes for turn in outcome.decisions]
    assert all(isinstance(turn, SystemTurn) for turn in found)
    return found  # type: ignore[return-value]


@given(data=st.data(), place=worlds())
@settings(max_examples=40)
def test_at_any_view(data: st.DataObject, place: World) -> None:
    """A legal turn, an item not offered yet, the real dialogue untouched, whatever the domain."""
    env = env_of(place, max_turns=8)
    reach(env, data.draw(turns(env.catalog, longest=6)), data.draw(st.integers(0, 5)))
    before = env.get_state()
    policy = Dreams(replace(FAST, trace=True))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    with env.conversation.sealed():
        policy.reset(env.view, rng)
        turn = policy.decide(env.view, rng)
    assert env.get_state() == before
    assert env.view.mask()[turn.action]
    if turn.action == env.domain.recommend:
        assert turn.ranking
        assert not any(env.view.offered >> item & 1 for item in turn.ranking)
    else:
        assert turn.ranking is None
    json.dumps(turn.trace, allow_nan=False)
    env.play(turn)


def test_deciding_before_reset_says_so(env: CRSEnv) -> None:
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="before reset"):
        Dreams(FAST).decide(env.view, np.random.default_rng(0))


def test_the_same_stream_decides_the_same(env: CRSEnv) -> None:
    assert talk(env) == talk(env)
    env.reset(seed=0, options={"episode": 3})
    policy = Dreams(FAST)
    policy.reset(env.view, generator(0, 3, Role.POLICY, 0))
    draws = [policy.decide(env.view, generator(0, 3, Role.POLICY, 1)) for _ in range(2)]
    assert draws[0] == draws[1]


def test_dialogues_do_not_lean_on_each_other(env: CRSEnv) -> None:
    """The order of episodes is of no account, so workers may share them out."""
    assert talk(env, episodes=4)[2:] == talk(env, episodes=2, first=2)


SCRIPT = """
import sys
from envs.crs import CRSEnv
from tests.planners.test_dreams import talk
print(talk(CRSEnv("redial", channel="acts", split="train", data_dir=sys.argv[1]), 3, trace=True))
"""


def test_another_process_decides_the_same(env: CRSEnv, no_data: str) -> None:
    for seed in ("1", "4711"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, no_data],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PATH": "", "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == repr(talk(env, 3, trace=True))


def test_traces_tell_both_trees(env: CRSEnv) -> None:
    found = turns_of(talk(env, trace=True, trace_visits=1))
    actions = list(env.domain.actions)
    for turn in found:
        trace: Any = json.loads(json.dumps(turn.trace, allow_nan=False))
        elicitation, refinement = trace["elicitation"], trace["exploitation"]
        assert elicitation["chosen"] == turn.action
        assert elicitation["actions"] == actions
        assert sum(elicitation["visits"]) == elicitation["simulations"] == 12
        assert len(elicitation["values"]) == len(actions)
        assert sum(elicitation["priors"]) == pytest.approx(1.0)
        assert elicitation["changed_decision"] == turn.search_changed
        assert {"visits", "value", "priors", "actions"} <= set(elicitation["tree"])
        first = elicitation["tree"]["actions"][0]
        assert {"action", "visits", "value", "prior", "outcomes"} <= set(first)
        assert sum(trace["belief"]) == pytest.approx(1.0)
        nodes = list(_flat(refinement["tree"]))
        assert refinement["tree"]["strategy"] == "raw"
        best = max(nodes, key=lambda node: node["score"])
        assert refinement["chosen"] == best["strategy"]
        if turn.ranking is not None:
            assert best["top"] == env.catalog.items[turn.ranking[0]].id
            assert turn.query == best["query"]


def _flat(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(inner for child in node["children"] for inner in _flat(child))]


def test_a_trace_changes_no_decision(env: CRSEnv) -> None:
    plain = turns_of(talk(env))
    assert all(turn.trace is None for turn in plain)
    traced = [replace(turn, trace=None) for turn in turns_of(talk(env, trace=True))]
    assert traced == plain


def test_search_changed_is_told(env: CRSEnv) -> None:
    """Told by every searched turn: whether the prior alone would have chosen otherwise."""
    told = set()
    for turn in turns_of(talk(env, episodes=8, trace=True)):
        priors: Any = turn.trace["elicitation"]["priors"]  # type: ignore[index]
        assert turn.search_changed == (turn.action != priors.index(max(priors)))
        told.add(turn.search_changed)
    assert told == {True, False}


def test_without_a_weight_the_search_only_breaks_ties(env: CRSEnv) -> None:
    prior = UCTSettings(w_tree=0.0, w_prior=1.0)
    for turn in turns_of(talk(env, search=prior, trace=True)):
        priors: Any = turn.trace["elicitation"]["priors"]  # type: ignore[index]
        assert priors[turn.action] == max(priors)


def test_records_carry_what_was_told(no_data: str) -> None:
    env = CRSEnv("redial", channel="text", split="train", data_dir=no_data)
    decisions = hold(env, Dreams(replace(FAST, trace=True)), 0, 1, "train").decisions
    record = env.dialogue_record()
    assert len(record["turns"]) == len(decisions)
    for line, turn in zip(record["turns"], decisions, strict=True):
        assert isinstance(turn, SystemTurn)
        assert line["search_changed"] == turn.search_changed
        assert line["trace"] == turn.trace
        assert line["action"] == env.domain.actions[turn.action]


def test_the_papers_budget(env: CRSEnv) -> None:
    policy = Dreams(replace(FAST, n_el=5))
    for episode in range(4):
        hold(env, policy, 0, episode, "train")
        assert policy.last_search is not None
        assert policy.last_search.simulations == 5
    for on_model in (True, False):
        assert DreamsSettings(n_el=7).simulations(on_model) == 7
    assert DreamsSettings().simulations(True) == 5
    assert DreamsSettings().simulations(False) == 400


@pytest.mark.parametrize(("n_el", "wave"), [(1, 5), (5, 5), (10, 5), (11, 1), (400, 1)])
def test_waves_depend_on_the_number_of_simulations_alone(n_el: int, wave: int) -> None:
    """Not on who plays the rollouts: an embedded search decides as one on a model does."""
    assert DreamsSettings().uct(n_el).wave == wave
    assert DreamsSettings(wave=3).uct(n_el).wave == 3


@pytest.mark.parametrize("first", [1, 2, 3, 5])
def test_first_inquiries(env: CRSEnv, first: int) -> None:
    for outcome in talk(env, first_inquiries=first):
        asked = [turn.action for turn in outcome.decisions[:first]]  # type: ignore[union-attr]
        assert asked[:3] == list(range(min(first, 3)))[: len(asked)]


def test_force_reflection(env: CRSEnv) -> None:
    """After a rejection it reflects; nothing is searched then."""
    policy, reflected = Dreams(replace(FAST, force_reflection=True)), 0
    for episode in range(6):
        env.reset(seed=0, options={"episode": episode})
        policy.reset(env.view, generator(0, episode, Role.POLICY, 0))
        over, turn = False, 0
        while not over:
            turn += 1
            rejected = env.view.just_rejected
            decided = policy.decide(env.view, generator(0, episode, Role.POLICY, turn))
            if rejected:
                reflected += 1
                assert decided == SystemTurn(env.domain.reflect)
            over = any(env.play(decided)[2:4])
    assert reflected > 0


def test_the_search_may_forget_dislikes(env: CRSEnv) -> None:
    """The option changes the search, not the dialogue's own state."""
    env.reset(seed=0, options={"episode": 0})
    view = env.view
    comedy = env.catalog.value_index(0, "comedy")
    view.state.dislikes[0] = (comedy,)
    view.state.doubts[0] = (comedy + 1,)
    before, results = env.get_state(), []
    for keep in (True, False):
        policy = Dreams(replace(FAST, search_dislikes=keep, n_el=100))
        policy.reset(view, generator(0, 0, Role.POLICY, 0))
        policy.decide(view, generator(0, 0, Role.POLICY, 1))
        assert policy.last_search is not None
        results.append(policy.last_search.values)
        assert env.get_state() == before
    assert results[0] != results[1]


OPTIONS = [
    {"user_model": "generic"},
    {"look": 0},
    {"m": 3},
    {"search": UCTSettings(selection="puct", normalize=True)},
    {"search": UCTSettings(wave=4)},
    {"search": UCTSettings(depth=1)},
    {"refinement": RefinementSettings(iterations=0, rerank=False)},
]


@pytest.mark.parametrize("changes", OPTIONS, ids=str)
def test_other_options_run(env: CRSEnv, changes: dict[str, Any]) -> None:
    outcomes = talk(env, **changes)
    assert outcomes == talk(env, **changes)
    assert all(turn.search_changed is not None for turn in turns_of(outcomes))


@pytest.mark.parametrize("name", ["n_el", "goals", "m"])
@pytest.mark.parametrize("value", [0, -1, 2.5, "many"])
def test_numbers_out_of_range_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"planner\.{name} must be a whole number in 1\.\."):
        DreamsSettings(**{name: value})


def test_an_unknown_user_model_is_refused() -> None:
    with pytest.raises(ValueError, match=r"user_model: no 'persona'"):
        Dreams(DreamsSettings(user_model="persona"))
