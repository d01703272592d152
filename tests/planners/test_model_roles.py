"""Dreams on a language model: the same decisions where it answers as the embedded roles do."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue.acts import Kind
from dialogue.view import SystemTurn
from envs.crs import CRSEnv
from envs.world import World
from language.llm.errors import DialogueFailed
from planners.dreams import Dreams
from planners.dreams_settings import DreamsSettings
from planners.model_rollouts import ModelImaginedUser, read_generator, write_generator
from planners.model_scorer import ModelScorer, summed
from planners.prior_only import PriorOnly
from planners.scorer import EmbeddedScorer, ScorerSettings
from tests.planners.situations import pool, reach
from tests.planners.stand_in import StandIn
from tests.small_world import PLAIN, env_of
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
    assert len(roles.sizes) == 3
    assert roles.sizes[0] == 5 >= max(roles.sizes)  # fewer where a rollout has ended


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


def imagined(env: CRSEnv, roles: StandIn, patience: float = 2.0) -> ModelImaginedUser:
    """A user that a search would imagine now, with so much patience."""
    view = env.view.fork()
    goal, acceptable = pool(view).draw(random.Random(0))
    made: Any = ModelImaginedUser  # the stand-in has what it needs of `Roles`
    user: ModelImaginedUser = made(
        view,
        goal,
        acceptable,
        replace(PLAIN, patience=patience, seen=1.0),
        random.Random(0),
        env.world.vague,
        env.world.seen,
        0.0,
        roles=roles,
        scorer=ScorerSettings(),
        numbers=count(),
    )
    return user


def says(*kinds: str) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """A model whose imagined users say always the same."""
    acts = [{"kind": kind, "facet": None, "value": None, "other": None} for kind in kinds]
    return lambda role, answer: {**answer, "meaning": acts}


def offers(user: ModelImaginedUser, env: CRSEnv, plies: int) -> list[Any]:
    """What it says to offers of what it does not want, until it leaves."""
    said: list[Any] = []
    unwanted = (i for i in range(len(env.catalog)) if not user.acceptable >> i & 1)
    while not user.left and len(said) < plies:
        said.append(user.respond(env.domain.recommend, next(unwanted)))
    return said


@pytest.fixture
def sample(no_data: str) -> CRSEnv:
    env = CRSEnv("redial", channel="acts", split="train", data_dir=no_data)
    env.reset(seed=0, options={"episode": 1})
    return env


def test_an_imagined_user_on_a_model_leaves_when_its_patience_is_spent(sample: CRSEnv) -> None:
    user = imagined(sample, StandIn(sample.world, spoil=says("REJECT")), patience=3.0)
    said = offers(user, sample, 9)
    assert len(said) == 3
    assert user.left
    assert said[-1][-1].kind == Kind.QUIT


def test_an_imagined_user_on_a_model_does_not_leave_before(sample: CRSEnv) -> None:
    user = imagined(sample, StandIn(sample.world, spoil=says("QUIT")), patience=9.0)
    assert all(act.kind != Kind.QUIT for act in user.respond(0, -1))
    assert not user.left


def test_an_imagined_user_on_a_model_takes_only_what_it_wants(sample: CRSEnv) -> None:
    user = imagined(sample, StandIn(sample.world, spoil=says("ACCEPT")), patience=9.0)
    for said in offers(user, sample, 3):
        assert all(act.kind != Kind.ACCEPT for act in said)


def test_the_model_is_told_what_its_user_knows(sample: CRSEnv) -> None:
    """Of items that everybody has seen it is told so before it answers."""
    told: list[bool] = []

    class Listening(StandIn):
        def ask(self, call: Any, fallback: Any) -> Any:
            told.append(json.loads(call.messages[1]["content"])["knows"])
            return super().ask(call, fallback)

    user = imagined(sample, Listening(sample.world), patience=50.0)
    offers(user, sample, 8)
    assert any(told)


def test_simulations_of_a_decision_are_independent_samples(sample: CRSEnv) -> None:
    numbers: list[int] = []

    class Counting(StandIn):
        def ask(self, call: Any, fallback: Any) -> Any:
            if call.role == "imagine":
                numbers.append(call.sample)
            return super().ask(call, fallback)

    decide(sample, FEW, 0, Counting(sample.world))
    assert len(set(numbers)) == 5


def test_a_search_that_fails_takes_its_refinement_along(sample: CRSEnv) -> None:
    """The future is waited for, so that what it cost is booked before the dialogue's end."""
    waited: list[str] = []

    class Failing(StandIn):
        def map(self, function: Any, jobs: list[Any]) -> list[Any]:
            raise DialogueFailed("too long", "context_overflow")

        def submit(self, function: Any) -> Any:
            future = super().submit(function)
            future.add_done_callback(lambda done: waited.append("done"))
            return future

    with pytest.raises(DialogueFailed):
        decide(sample, FEW, 0, Failing(sample.world))
    assert waited == ["done"]


def test_samples_weigh_the_same_whatever_their_scale() -> None:
    assert summed([(1.0, 3.0)]) == [1.0, 3.0]
    assert summed([(1.0, 3.0), (900_000.0, 0.0)]) == [1.25, 0.75]
