"""The same seed gives the same dialogues: in any process, in any order, in both channels."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from baselines.references import AlwaysRecommend, AskAll, RandomPolicy
from envs.crs import CRSEnv
from tests.dialogues import hold

ROOT = Path(__file__).resolve().parents[2]
POLICIES = {policy.__name__: policy for policy in (RandomPolicy, AlwaysRecommend, AskAll)}
EPISODES = (0, 7, 31, 149)


def transcript(channel: Any, folder: str, episodes: tuple[int, ...] = EPISODES) -> dict[str, str]:
    """A hash per policy and episode over everything that the record says."""
    env = CRSEnv("redial", channel=channel, split="test", data_dir=folder, keep_steps=True)
    found = {}
    for name, policy in POLICIES.items():
        for episode in episodes:
            hold(env, policy(), 5, episode)
            line = json.dumps(env.dialogue_record(), ensure_ascii=False)
            found[f"{name} {episode}"] = hashlib.sha256(line.encode()).hexdigest()
    return found


@pytest.mark.parametrize("channel", ["text", "acts"])
def test_in_fresh_processes_with_other_hash_seeds(channel: str, no_data: str) -> None:
    here = transcript(channel, no_data)
    assert len(set(here.values())) > len(EPISODES) * 2  # two policies may agree on a dialogue
    for hash_seed in ("1", "4242"):
        done = subprocess.run(
            [sys.executable, "-m", "tests.envs.test_determinism", channel, no_data],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        assert json.loads(done.stdout) == here


def test_whatever_was_talked_about_before(no_data: str) -> None:
    """Caches, earlier dialogues and their order leave no trace."""
    forward = transcript("text", no_data)
    assert transcript("text", no_data, EPISODES[::-1]) == forward
    assert transcript("text", no_data, (12, *EPISODES)).items() >= forward.items()


def test_both_channels_end_alike(no_data: str) -> None:
    """Words are understood as they were meant, so success does not depend on the channel."""
    acts, text = (
        CRSEnv("redial", channel=channel, split="test", data_dir=no_data)
        for channel in ("acts", "text")
    )
    differ = 0
    for episode in range(150):
        outcomes = [hold(env, AskAll(), 0, episode) for env in (acts, text)]
        differ += outcomes[0].success != outcomes[1].success
    assert differ <= 3  # none when this was written


def test_both_channels_have_the_same_user(no_data: str) -> None:
    """The same random numbers: until something is misheard, the same is meant."""
    envs = [
        CRSEnv("redial", channel=channel, split="test", data_dir=no_data, keep_steps=True)
        for channel in ("acts", "text")
    ]
    for episode in range(30):
        records = []
        for env in envs:
            hold(env, AskAll(), 1, episode)
            records.append(env.dialogue_record())
        first, second = records
        assert first["opening"]["said"] == second["opening"]["said"]
        assert first["targets"] == second["targets"]
        for one, other in zip(first["turns"], second["turns"], strict=False):
            if one["action"] != other["action"] or one["item"] != other["item"]:
                break
            assert one["said"] == other["said"]


if __name__ == "__main__":
    print(json.dumps(transcript(sys.argv[1], sys.argv[2])))
