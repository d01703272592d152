"""What both methods that search keep to: SAPIENT-LLM and T-EPL."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
import yaml

from baselines.sapient_llm import SapientLLM, SapientSettings
from baselines.steps import Player
from baselines.t_epl import TEPL, TEPLSettings
from benchmarks.tuning.space import SPACES
from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.view import DialogueView, SystemTurn
from envs.crs import CRSEnv
from language.llm.call import Call
from tests.baselines.served import served_answer
from tests.baselines.t_epl.past import base_of, experience
from tests.baselines.texts_only import Players, opened, say
from tests.command_line import composed
from tests.dialogues import hold
from tests.language.prompts.hostile import ORDER, hostile_catalog
from tests.small_world import films

Make = Callable[[Player | None], Any]
RECOMMEND, EXPLAIN = 4, 5
ANSWERS = ("Crime.", "Tell me more about it.", "No, no horror.", "B. Tash.", "Seen it.", "Hm.")
MEMORY = base_of(
    experience(opened(films()), 0, 1, True),
    experience(opened(films(), "A thriller with Ada Lind."), 1, RECOMMEND, True),
    experience(opened(films(), "Hm."), 2, RECOMMEND, False),
)
METHODS: dict[str, Make] = {
    "sapient_llm": lambda roles: SapientLLM(SapientSettings(simulations=20, trace=True), roles),
    "t_epl": lambda roles: TEPL(TEPLSettings(simulations=20, trace=True), roles, MEMORY),
}


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture(params=METHODS)
def make(request: pytest.FixtureRequest) -> Make:
    return METHODS[request.param]


def played(view: DialogueView, policy: Any, user: str) -> SystemTurn:
    """Let the policy decide, and the user answer; offers are rejected, so that all acts open."""
    turn: SystemTurn = policy.decide(view, rng())
    item = turn.ranking[0] if turn.ranking else -1
    acts = (UserAct(int(Kind.REJECT), -1, -1, item),) if item >= 0 else ()
    say(view, turn.action, item, turn.text or "", user, acts)
    return turn


def test_what_is_tracked_makes_no_difference(make: Make, small: Catalog) -> None:
    view, other = opened(small, "A western."), opened(small, "A western.")
    value = small.value_index(0, "horror")
    other.apply_user((UserAct(int(Kind.LIKE), 0, value),))
    for user in ANSWERS:
        assert played(view, make(None), user) == played(other, make(None), user)


def test_one_that_held_the_dialogue_decides_as_one_that_meets_it(
    make: Make, small: Catalog
) -> None:
    view, policy = opened(small, "A western."), make(None)
    for user in ANSWERS:
        expected = make(None).decide(view, rng())
        assert played(view, policy, user) == expected


def test_the_last_turn_is_an_offer(make: Make, small: Catalog) -> None:
    view = opened(small, "Hello.")
    view.turn = view.max_turns - 1
    assert make(None).decide(view, rng()).action == RECOMMEND


def test_an_offer_is_explained_once_when_asked(make: Make, small: Catalog) -> None:
    policy, view = make(None), opened(small, "A western by C. Ashdown.")
    while (turn := played(view, policy, "Tell me more about it.")).action != RECOMMEND:
        pass
    told = played(view, policy, "Tell me more about it.")
    assert told.action == EXPLAIN
    assert told.text is not None
    assert small.items[turn.ranking[0]].label in told.text  # type: ignore[index]
    assert policy.decide(view, rng()).action != EXPLAIN


def test_an_embedded_role_makes_no_call(make: Make, small: Catalog) -> None:
    class NoModels(Players):
        def is_model(self, role: str) -> bool:
            return False

    players = NoModels(lambda call: pytest.fail("an embedded role was asked"))
    assert make(players).decide(opened(small), rng()) == make(None).decide(opened(small), rng())


def test_every_call_is_named_and_counted_in_its_turn(make: Make, small: Catalog) -> None:
    players = Players(lambda call: served_answer(small, call))
    view, policy = opened(small, "A thriller."), make(players)
    for number, user in enumerate(ANSWERS, start=1):
        before = len(players.calls)
        played(view, policy, user)
        made = players.calls[before:]
        assert {call.turn for call in made} == {number}
        assert " ".join(call.prompt for call in made) == policy.prompts["policy"]


@pytest.mark.parametrize("wrong", [None, [], {}, {"reply": " \n"}, {"reply": 3}, {"named": []}])
def test_a_useless_answer_falls_back_to_the_rules(make: Make, small: Catalog, wrong: Any) -> None:
    view = opened(small, "A thriller.")
    played(view, make(None), "No.")
    players = Players(lambda call: wrong)
    assert make(players).decide(view, rng()) == make(None).decide(view, rng())
    assert players.fallbacks == len(players.calls) == 2


def test_books(make: Make, no_data: str) -> None:
    """Two facets: the same methods, and the same from a server."""
    env = CRSEnv("opendialkg_book", channel="text", split="train", data_dir=no_data)
    players = Players(lambda call: served_answer(env.world.catalog, call))
    for episode in range(4):
        outcome = hold(env, make(None), 0, episode, "train")
        assert hold(env, make(players), 0, episode, "train") == outcome
        assert env.view.invalid == 0
        for turn in outcome.decisions:
            assert isinstance(turn, SystemTurn)
            json.dumps(turn.trace, allow_nan=False)
    assert (players.fallbacks, players.errors) == (0, [])


def test_titles_and_lines_stay_data(make: Make) -> None:
    """Texts that give orders are in the data, one JSON value; instructions never change."""
    catalog = hostile_catalog()
    systems: dict[str, set[str]] = {}

    def give(call: Call[Any]) -> Any:
        system, user = (message["content"] for message in call.messages)
        systems.setdefault(call.prompt, set()).add(system)
        assert ORDER not in system
        user.encode()
        assert isinstance(json.loads(user), dict)
        return served_answer(catalog, call)

    players = Players(give)
    view = opened(catalog, ORDER)
    for user in (ORDER, "Drama.", f"{ORDER} 0", "No.", "Tell me more about it.", ORDER):
        assert make(players).decide(view, rng()) == make(None).decide(view, rng())
        turn = played(view, make(None), user)
        assert turn.text
        turn.text.encode()
    assert players.fallbacks == 0
    assert all(len(found) == 1 for found in systems.values())


@pytest.mark.parametrize("settings", [SapientSettings, TEPLSettings])
def test_the_configuration_says_what_the_code_says(settings: Any) -> None:
    name = "sapient_llm" if settings is SapientSettings else "t_epl"
    planner = composed(f"planner={name}")["planner"]
    constants = {key: value for key, value in planner.items() if key not in ("name", "parallel")}
    assert constants == asdict(settings())
    tuning = yaml.safe_load((SPACES / f"{name}.yaml").read_text(encoding="utf-8"))
    for key, values in tuning.items():
        group, _, field = key.partition(".")
        assert group == "planner"
        assert constants[field] in values
        for value in values:
            settings(**{field: value})
