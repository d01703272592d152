"""The dialogue record: names instead of numbers, complete, only what the seed determines."""

import json

import pytest

from baselines.references import AskAll
from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.state import PreferenceState
from envs.crs import CRSEnv
from envs.record import acts_json
from tests.dialogues import hold

KEYS = {
    "schema",
    "episode",
    "split",
    "seed",
    "goal_index",
    "goal",
    "persona",
    "targets",
    "opening",
    "turns",
    "outcome",
    "success",
    "n_turns",
    "return",
}
TURN_KEYS = {
    "turn",
    "action",
    "legal",
    "item",
    "system",
    "user",
    "said",
    "heard",
    "ranking",
    "retrieved",
    "query",
    "rewards",
    "search_changed",
    "trace",
    "state",
}


@pytest.fixture
def env(no_data: str) -> CRSEnv:
    return CRSEnv("redial", split="test", data_dir=no_data)


def test_a_finished_dialogue(env: CRSEnv) -> None:
    for episode in range(12):
        outcome = hold(env, AskAll(), 3, episode)
        record = env.dialogue_record()
        assert set(record) == KEYS
        assert record["schema"] == 1
        assert json.loads(json.dumps(record)) == record
        assert record["n_turns"] == len(record["turns"]) == outcome.turns
        assert record["return"] == pytest.approx(outcome.earned)
        assert record["success"] == (record["outcome"] == "accepted") == outcome.success
        ids = {item.id for item in env.catalog.items}
        assert set(record["targets"]) <= ids
        assert record["targets"]
        for number, turn in enumerate(record["turns"], start=1):
            assert set(turn) == TURN_KEYS
            assert turn["turn"] == number
            assert turn["action"] in env.domain.actions
            assert turn["system"]
            assert turn["user"]
            assert len(turn["retrieved"]) == 10
            assert (turn["action"] == "ItemRec") == bool(turn["ranking"])
            if turn["action"] == "ItemRec":
                assert turn["item"] == turn["ranking"][0] == turn["retrieved"][0]
            elif turn["action"] != "ItemExplanation":
                assert turn["item"] is None
            PreferenceState.from_json(turn["state"], env.catalog)
        assert record["turns"][-1]["state"] == env.view.state.to_json(env.catalog)
        if record["success"]:
            assert record["turns"][-1]["item"] in record["targets"]


def test_a_dialogue_that_is_still_running(env: CRSEnv) -> None:
    env.reset(seed=0, options={"episode": 0})
    record = env.dialogue_record()
    assert (record["outcome"], record["n_turns"], record["return"]) == ("running", 0, 0)


def test_without_steps_there_is_no_record(no_data: str) -> None:
    env = CRSEnv("redial", channel="acts", data_dir=no_data)
    env.reset(seed=0)
    env.step(0)
    with pytest.raises(ValueError, match=r"no record: .*keep_steps=False"):
        env.dialogue_record()


def test_acts_by_name(small: Catalog) -> None:
    drama, crime = (small.value_index(0, name) for name in ("drama", "crime"))
    vault = small.item("vault").index
    acts = (
        UserAct(Kind.LIKE, 0, drama),
        UserAct(Kind.VAGUE, 0, drama, crime),
        UserAct(Kind.CORRECT, 0, drama, crime),
        UserAct(Kind.EVADE, 1),
        UserAct(Kind.REJECT, 0, crime, vault),
        UserAct(Kind.REJECT, -1, -1, vault),
        UserAct(Kind.REJECT, 2, -1, vault),
        UserAct(Kind.SEEN, -1, -1, vault),
        UserAct(Kind.SIGH, 2),
        UserAct(Kind.QUIT),
    )
    assert acts_json(small, acts) == [
        ["LIKE", "genre", "drama", None],
        ["VAGUE", "genre", "drama", "crime"],
        ["CORRECT", "genre", "drama", "crime"],
        ["EVADE", "star", None, None],
        ["REJECT", "genre", "crime", "vault"],
        ["REJECT", None, None, "vault"],
        ["REJECT", "director", None, "vault"],
        ["SEEN", None, None, "vault"],
        ["SIGH", 2, None, None],
        ["QUIT", None, None, None],
    ]
