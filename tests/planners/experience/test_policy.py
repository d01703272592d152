"""Dreams(EA): decisions with cases, on rules and on a model that is shown them."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue.experience import ExperienceBase
from dialogue.view import SystemTurn
from envs.crs import CRSEnv
from envs.world import World
from language.llm.call import Call
from planners.dreams import Dreams
from planners.dreams_settings import DreamsSettings
from planners.experience import DreamsEA, EASettings
from planners.experience.choice import ChoiceSettings
from planners.experience.outlook import OutlookSettings
from planners.experience.recording import RecordingDreams, experiences_of
from planners.exploitation import RefinementSettings
from serving.advising import advise
from tests.planners.experience.cases import ACTIONS, FACETS, base, case, facet_state, facts, several
from tests.planners.situations import RECOMMEND, STAR, reach
from tests.replay import record_dialogue, replayed_decisions
from tests.small_world import PLAIN, env_of, goal, persona, world
from tests.strategies import turns, worlds

FEW = OutlookSettings(RefinementSettings(iterations=2), goals=20)
RULES = EASettings(outlook=FEW, trace=True)


class Scripted:
    """A model at the role ``score`` that answers what a function says.

    Attributes:
        calls: What was asked.
    """

    def __init__(self, answer: Callable[[Call[Any]], Any]) -> None:
        self._answer = answer
        self.calls: list[Call[Any]] = []
        self.fallbacks = 0

    def is_model(self, role: str) -> bool:
        return role == "score"

    def ask(self, call: Call[Any], fallback: Callable[[], Any]) -> Any:
        self.calls.append(call)
        try:
            return call.read(call.result.model_validate_json(json.dumps(self._answer(call))))
        except ValueError:
            self.fallbacks += 1
            return fallback()


def films_env(**behaviour: Any) -> CRSEnv:
    from dataclasses import replace

    from tests.small_world import films

    catalog = films()
    wanted = goal(catalog, "thriller|crime|drama", "Ada Lind", "I. Corvo")
    user = replace(PLAIN, opens_topic=1.0, **behaviour)
    return env_of(world(catalog, [wanted], [persona(user)]), channel="text")


def decide(
    env: CRSEnv,
    experience: ExperienceBase,
    roles: Any = None,
    seed: int = 0,
    rules: EASettings = RULES,
) -> SystemTurn:
    policy = DreamsEA(rules, experience, roles)
    policy.reset(env.view, np.random.default_rng(seed))
    return policy.decide(env.view, np.random.default_rng(seed))


def plain(turn: SystemTurn) -> str:
    return json.dumps([turn.action, turn.query, turn.ranking, turn.search_changed, turn.trace])


def one_action(action: str) -> ExperienceBase:
    """A success that did one thing, and a failure that did another."""
    other = "GenreInquiry" if action != "GenreInquiry" else "ItemRec"
    return base([
        case(0, action=action, search={action: 1.0}),
        case(1, success=False, action=other, search={other: 1.0}),
    ])  # fmt: skip


def test_rules_follow_the_successful_case() -> None:
    env = films_env()
    env.reset(seed=0)
    assert decide(env, one_action("StarInquiry")).action == STAR
    turn = decide(env, one_action("ItemRec"))
    assert turn.action == RECOMMEND
    assert turn.ranking
    assert len(turn.ranking) <= 10
    assert turn.query is not None
    assert turn.search_changed is None


def test_the_trace_names_the_cases_and_holds_no_search() -> None:
    env = films_env()
    env.reset(seed=0)
    trace = decide(env, one_action("ItemRec")).trace
    assert trace is not None
    told: Any = trace["experience"]
    assert [one["episode"] for one in (*told["successes"], *told["failures"])] == [0, 1]
    assert told["actions"] == list(ACTIONS)
    assert "exploitation" in trace
    assert "elicitation" not in trace


def test_it_is_a_function_of_view_and_stream() -> None:
    env = films_env()
    reach(env, [1, RECOMMEND], 0)
    assert plain(decide(env, several(), seed=3)) == plain(decide(env, several(), seed=3))


def test_a_second_policy_object_enters_in_the_middle() -> None:
    env = films_env()
    env.reset(seed=0, options={"episode": 0})
    policy = DreamsEA(RULES, several())
    policy.reset(env.view, np.random.default_rng(0))
    while env.view.turn < 3:
        turn = policy.decide(env.view, np.random.default_rng(env.view.turn))
        assert plain(turn) == plain(decide(env, several(), seed=env.view.turn))
        if any(env.play(turn)[2:4]):
            break


@pytest.mark.parametrize("channel", ["acts", "text"])
def test_another_goal_with_the_same_replies_changes_nothing(channel: str, no_data: str) -> None:
    env = CRSEnv("redial", channel=channel, split="test", data_dir=no_data)  # type: ignore[arg-type]
    experience = several()

    def make() -> DreamsEA:
        return DreamsEA(RULES, experience)

    for episode in range(3):
        recorded = record_dialogue(make, env, seed=2, episode=episode)
        assert replayed_decisions(make, env, recorded) == recorded.decisions


def test_a_base_of_one_outcome_is_enough() -> None:
    env = films_env()
    env.reset(seed=0)
    for experience in (base([case(0)]), base([case(0, success=False)]), base([])):
        assert decide(env, experience).action < len(ACTIONS)


def test_another_domains_base_is_refused() -> None:
    env = films_env()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"has the actions A, B, not the domain's"):
        decide(env, base([], actions=["A", "B"]))
    with pytest.raises(RuntimeError, match="before reset"):
        DreamsEA(RULES, several()).decide(env.view, np.random.default_rng(0))


def want(genre: str, text: str) -> dict[str, Any]:
    return {
        "parent": -1,
        "strategy": "formalise",
        "query": text,
        "want": [{"facet": "genre", "value": genre}],
        "avoid": [],
        "doubt": [],
        "unsure": [],
    }


def test_a_model_decides_and_refines_in_one_call() -> None:
    env = films_env()
    reach(env, [STAR], 0)
    answer = {"action": "ItemRec", "refinements": [want("western", "a western, please")]}
    model = Scripted(lambda call: answer)
    turn = decide(env, one_action("StarInquiry"), model)
    assert (turn.action, model.fallbacks, len(model.calls)) == (RECOMMEND, 0, 1)
    trace: Any = turn.trace
    tree = trace["exploitation"]["tree"]
    assert [child["query"] for child in tree["children"]] == ["a western, please"]
    call = model.calls[0]
    assert (call.role, call.prompt, call.turn) == ("score", "advise/1", 2)


def test_the_model_is_shown_both_cases_and_the_situation() -> None:
    env = films_env()
    env.reset(seed=0)
    model = Scripted(lambda call: {"action": "StarInquiry", "refinements": []})
    assert decide(env, several(), model).action == STAR
    data = json.loads(model.calls[0].messages[1]["content"])
    assert len(data["successful"]) == len(data["failed"]) == 1
    assert data["successful"][0]["action"] in ACTIONS
    assert data["now"]["preferences"]["genre"] != "unknown"
    assert "ItemExplanation" not in data["legal_actions"]


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "FailureReflection", "refinements": []},
        {"action": "Quit", "refinements": []},
        {"action": "ItemRec"},
        {"action": "ItemRec", "refinements": [{**want("drama", "x"), "strategy": "magic"}]},
        {"action": "ItemRec", "refinements": [{**want("drama", "x"), "parent": 4}]},
        {"action": "ItemRec", "refinements": [want("drama", "x" * 3000)]},
        {"action": "ItemRec", "refinements": [want("drama", str(k)) for k in range(3)]},
        "ItemRec",
    ],
    ids=str,
)
def test_the_rules_stand_in_for_a_bad_answer(answer: Any) -> None:
    env = films_env()
    env.reset(seed=0)
    model = Scripted(lambda call: answer)
    turn = decide(env, one_action("ItemRec"), model)
    assert model.fallbacks == 1
    embedded = decide(env, one_action("ItemRec"))
    assert (turn.action, turn.query, turn.ranking) == (
        embedded.action, embedded.query, embedded.ranking,
    )  # fmt: skip


@given(data=st.data(), place=worlds())
@settings(max_examples=40)
def test_a_model_that_answers_as_the_rules_decides_alike(data: st.DataObject, place: World) -> None:
    """The answer is computed from what an endpoint would get, by what the endpoint runs."""
    env = env_of(place, max_turns=8)
    reach(env, data.draw(turns(env.catalog, longest=6)), data.draw(st.integers(0, 5)))
    names = env.catalog.domain.actions
    facets = [facet.name for facet in env.catalog.domain.facets]
    experience = base(
        [
            case(
                k,
                success=k % 2 == 0,
                action=action,
                search={action: 0.7, names[0]: 0.3},
                state={facet: facet_state() for facet in facets},
                facts=renamed(facts(turn=k % 4), facets),
            )
            for k, action in enumerate(
                data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=6))
            )
        ],
        actions=list(names),
    )
    rules = EASettings(
        pairs=data.draw(st.integers(1, 3)),
        choice=ChoiceSettings(neighbours=data.draw(st.integers(1, 4))),
        outlook=OutlookSettings(
            RefinementSettings(iterations=data.draw(st.integers(0, 4))), goals=20
        ),
        trace=True,
    )
    model = Scripted(lambda call: advise(json.loads(json.dumps(call.inputs())), place))
    seed = data.draw(st.integers(0, 9))
    embedded = decide(env, experience, None, seed, rules)
    assert plain(decide(env, experience, model, seed, rules)) == plain(embedded)
    assert (len(model.calls), model.fallbacks) == (1, 0)


def renamed(found: dict[str, float], facets: list[str]) -> dict[str, float]:
    """Facts of another domain's facets."""
    kept = {name: value for name, value in found.items() if name.rpartition(".")[2] not in FACETS}
    for facet in facets:
        kept |= {f"asked.{facet}": 0, f"confidence.{facet}": 0.0, f"reason.{facet}": 0}
    return kept


def recorded(env: CRSEnv, episodes: int = 2, **settings: Any) -> list[dict[str, Any]]:
    policy = RecordingDreams(Dreams(DreamsSettings(n_el=5, goals=20, **settings)), FEW)
    found = []
    for episode in range(episodes):
        env.reset(seed=0, options={"episode": episode, "split": "heldout"})
        policy.reset(env.view, np.random.default_rng(episode))
        over = False
        while not over:
            rng = np.random.default_rng([episode, env.view.turn])
            over = any(env.play(policy.decide(env.view, rng))[2:4])
        found.append(env.dialogue_record())
    return found


def test_records_become_experiences() -> None:
    env = films_env(details=1.0)
    records = recorded(env)
    found = list(experiences_of(records, 0.95))
    assert len(found) == sum(record["n_turns"] for record in records)
    for experience, turn in zip(found, records[0]["turns"], strict=False):
        assert (experience.split, experience.episode) == ("heldout", 0)
        assert (experience.turn, experience.action) == (turn["turn"], turn["action"])
        assert experience.query == turn["query"]
        assert experience.success == records[0]["success"]
        assert len(experience.lines) == 2 * turn["turn"] - 1
        assert sum(experience.search.values()) == pytest.approx(1.0)
        assert "simulations" in experience.reason
        assert set(experience.state) == set(FACETS)
    last = records[0]["turns"][-1]["rewards"]
    assert found[records[0]["n_turns"] - 1].reward == pytest.approx(sum(last.values()))


def test_the_return_discounts_all_but_the_acceptance() -> None:
    records = recorded(films_env())
    terms = [turn["rewards"] for turn in records[0]["turns"]]
    first = next(experiences_of(records, 0.5)).reward
    rest = [sum(value for name, value in one.items() if name != "accept") for one in terms]
    accept = sum(one["accept"] for one in terms)
    assert first == pytest.approx(accept + sum(r * 0.5**k for k, r in enumerate(rest)))


def test_experiences_tell_nothing_of_goals_personas_and_targets() -> None:
    env = films_env()
    env.reset(seed=0)
    keys = {"goal", "persona", "targets", "said", "goal_index"}
    for experience in experiences_of(recorded(env), 0.95):
        assert not keys & set(vars(experience))
        assert "tester" not in json.dumps(vars(experience))


def test_a_turn_that_was_not_searched_says_so() -> None:
    found = list(experiences_of(recorded(films_env(), first_inquiries=2), 0.95))
    assert found[0].search == {}
    assert found[0].reason.startswith("not searched; ")


def test_dialogues_that_failed_are_left_out() -> None:
    failed = {"outcome": "failed", "failure": {"reason": "unreachable"}, "turns": [{}]}
    assert list(experiences_of([failed], 0.95)) == []
