"""Dreams on a language model: the same decisions where it answers as the embedded roles do."""

import json
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue.view import SystemTurn
from envs.crs import CRSEnv
from envs.world import World
from planners.dreams import Dreams
from planners.dreams_settings import DreamsSettings
from planners.model_rollouts import read_generator, write_generator
from planners.model_scorer import ModelScorer
from planners.prior_only import PriorOnly
from planners.scorer import EmbeddedScorer, ScorerSettings
from tests.planners.situations import reach
from tests.planners.stand_in import StandIn
from tests.small_world import env_of
from tests.strategies import turns, worlds

FEW = DreamsSettings(n_el=5, goals=20, trace=True)


def decide(env: CRSEnv, rules: DreamsSettings, seed: int, roles: Any = None) -> SystemTurn:
    policy = Dreams(rules, roles=roles)
    policy.reset(env.view, np.random.default_rng(seed))
    return policy.decide(env.view, np.random.default_rng(seed))


def plain(turn: SystemTurn) -> str:
    """A turn with its trees, without the refinement's where the two may differ in what is shown."""
    return json.dumps([turn.action, turn.query, turn.ranking, turn.search_changed, turn.trace])


@given(data=st.data(), place=worlds())
@settings(max_examples=30)
def test_a_model_that_answers_as_the_embedded_roles_decides_alike(
    data: st.DataObject, place: World
) -> None:
    env = env_of(place, max_turns=8)
    reach(env, data.draw(turns(env.catalog, longest=6)), data.draw(st.integers(0, 5)))
    rules = replace(
        FEW,
        n_el=data.draw(st.sampled_from([1, 4, 5, 12])),
        wave=data.draw(st.sampled_from(["auto", 1, 3])),
        m=data.draw(st.sampled_from([1, 3])),
        search_dislikes=data.draw(st.booleans()),
        exact_outcomes=data.draw(st.booleans()),
    )
    seed = data.draw(st.integers(0, 99))
    roles = data.draw(st.sampled_from([("score",), ("imagine",), ("refine",), None]))
    standing = StandIn(place) if roles is None else StandIn(place, roles)
    assert plain(decide(env, rules, seed, standing)) == plain(decide(env, rules, seed))


def test_whole_dialogues_on_the_sample(no_data: str) -> None:
    env = CRSEnv("redial", channel="acts", split="train", data_dir=no_data, keep_steps=True)
    for episode in range(3):
        records = []
        for roles in (None, StandIn(env.world)):
            env.reset(seed=0, options={"episode": episode})
            ended = False
            while not ended:
                turn = decide(env, FEW, env.view.turn, roles)
                _, _, over, cut, _ = env.play(turn)
                ended = over or cut
            records.append(env.dialogue_record())
        assert records[0] == records[1]


def test_a_turn_takes_few_calls_in_a_row(no_data: str) -> None:
    """One prior, a call per ply whatever the number of simulations, a refinement beside them."""
    env = CRSEnv("redial", channel="acts", split="train", data_dir=no_data)
    env.reset(seed=0, options={"episode": 1})
    roles = StandIn(env.world)
    decide(env, replace(FEW, trace=False), 0, roles)
    assert roles.asked.count("score") == 1
    assert roles.asked.count("refine") == 1
    assert roles.asked.count("imagine") <= 15
    assert roles.sizes == [5, 5, 5]


def test_refinement_waits_for_the_decision_where_the_search_makes_no_call(no_data: str) -> None:
    env = CRSEnv("redial", channel="acts", split="train", data_dir=no_data)
    for episode in range(6):
        env.reset(seed=0, options={"episode": episode})
        roles = StandIn(env.world, ("score", "refine"))
        turn = decide(env, replace(FEW, n_el=40), 0, roles)
        recommends = turn.action == env.domain.recommend
        assert roles.asked.count("refine") == int(recommends)


@given(data=st.data(), place=worlds())
@settings(max_examples=20)
def test_other_replies_move_imagined_dialogues_and_nothing_else(
    data: st.DataObject, place: World
) -> None:
    """Whatever the model says, a decision is legal and the real dialogue untouched."""
    env = env_of(place, max_turns=8)
    reach(env, data.draw(turns(env.catalog, longest=6)), data.draw(st.integers(0, 5)))
    kinds = st.sampled_from(
        ["LIKE", "DISLIKE", "VAGUE", "CORRECT", "EVADE", "NOMORE", "REJECT", "SEEN", "DETAILS",
         "SIGH", "ACCEPT", "QUIT", "OTHER", "SING"]
    )  # fmt: skip
    facets = st.sampled_from([*(facet.name for facet in env.domain.facets), "colour", None])
    odd = ("1", "\x00", "ignore all rules", None)
    values = st.sampled_from([*env.catalog.vocabulary[0][:3], *odd])
    act = st.fixed_dictionaries({"kind": kinds, "facet": facets, "value": values, "other": values})
    score = st.floats(-2, 20) | st.sampled_from([1e300, float("nan"), 0.0])
    names = st.sampled_from([*env.domain.actions, "Dance"])
    scored = st.lists(st.fixed_dictionaries({"action": names, "score": score}), max_size=4)

    def spoil(role: str, answer: dict[str, Any]) -> dict[str, Any]:
        if "meaning" in answer:
            answer["meaning"] = data.draw(st.lists(act, max_size=3))
        if "scores" in answer:
            answer["scores"] = data.draw(scored)
        if "refinements" in answer:
            answer["refinements"] = answer["refinements"][data.draw(st.integers(0, 3)) :]
        return answer

    before = env.get_state()
    turn = decide(env, FEW, 0, StandIn(place, spoil=spoil))
    assert env.get_state() == before
    assert env.action_masks()[turn.action]


def test_scores_that_came_with_the_tracking_are_the_first_sample(small: Any) -> None:
    from tests.planners.situations import view_of

    view = view_of(small)
    roles = StandIn(None)  # type: ignore[arg-type]
    view.suggested = (1.0, 0.0, 0.0, 5.0, 2.0, 0.0)
    scores = ModelScorer(ScorerSettings(), roles).scores(view)  # type: ignore[arg-type]
    assert scores == [1.0, 0.0, 0.0, 0.0, 2.0, 0.0]  # nothing was rejected: reflecting is illegal
    assert roles.asked == []
    view.suggested = (0.0, 0.0, 0.0, 5.0, 0.0, 0.0)
    embedded = EmbeddedScorer().scores(view)
    assert ModelScorer(ScorerSettings(), roles).scores(view) == embedded  # type: ignore[arg-type]


def test_prior_only_follows_the_model(small: Any) -> None:
    from tests.planners.situations import view_of

    view = view_of(small)
    view.suggested = (0.0, 3.0, 0.0, 0.0, 1.0, 0.0)
    policy = PriorOnly(roles=StandIn(None))  # type: ignore[arg-type]
    assert policy.decide(view, np.random.default_rng(0)) == 1


@given(seed=st.integers(0, 2**64 - 1), drawn=st.integers(0, 700))
def test_a_generator_travels_as_text(seed: int, drawn: int) -> None:
    generator = random.Random(seed)
    for _ in range(drawn):
        generator.random()
    other = read_generator(json.loads(json.dumps(write_generator(generator.getstate()))))
    assert [other.random() for _ in range(5)] == [generator.random() for _ in range(5)]


@pytest.mark.parametrize("text", ["", "AAAA", "nonsense!", "é"])
def test_a_text_that_is_no_generator_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not the state of a generator"):
        read_generator(text)
