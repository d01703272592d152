"""Learning policies on the command line, and environments of one's own."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from tests.command_line import FILES, refused, run_here, train

TINY = (
    "planner=maskable_ppo",
    "planner.total_timesteps=512",
    "planner.n_envs=2",
    "planner.hyperparameters.n_steps=64",
    "planner.hyperparameters.batch_size=64",
    "planner.hyperparameters.n_epochs=2",
    "episodes=6",
)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run directory of an agent trained for a moment, by the command line."""
    folder = tmp_path_factory.mktemp("learning")
    printed = train(folder, *TINY, "run_dir=out")
    assert "maskable_ppo" in printed
    assert {path.name for path in folder.iterdir()} == {"out"}
    return folder / "out"


def recorded(out: Path) -> list[dict[str, Any]]:
    lines = (out / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def events(out: Path) -> Any:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = EventAccumulator(str(out / "tensorboard"))
    found.Reload()
    return found


def test_it_trains_saves_and_evaluates(trained: Path) -> None:
    assert {path.name for path in trained.iterdir()} == {*FILES, "tensorboard", "agent.zip"}
    summary = json.loads((trained / "summary.json").read_text())
    assert summary["episodes"] == 6
    assert summary["search_changed_decision"] is None
    for record in recorded(trained):
        assert record["split"] == "test"
        assert all(turn["legal"] for turn in record["turns"])
        assert all(turn["user"] for turn in record["turns"])


def test_its_curves_are_read_back(trained: Path) -> None:
    found = events(trained)
    scalars = set(found.Tags()["scalars"])
    terms = ("explore", "retrieve", "attitude", "cost", "accept")
    for phase in ("train", "evaluation"):
        assert any(tag.startswith(f"{phase}/") and "return" in tag for tag in scalars), phase
        assert any(tag.startswith(f"{phase}/") and "success" in tag for tag in scalars), phase
        assert any(tag.startswith(f"{phase}/") and "turns" in tag for tag in scalars), phase
        for term in terms:
            assert any(tag.startswith(f"{phase}/") and term in tag for tag in scalars), term
    for tag in ("train/persona/eager_teen", "persona/eager_teen"):
        assert {f"{tag}/success_rate", f"{tag}/return"} <= scalars
    steps = [event.step for event in found.Scalars("evaluation/return")]
    assert steps == list(range(6))


def test_its_settings_and_dialogues_are_read_back(trained: Path) -> None:
    found = events(trained)
    tags = found.Tags()["tensors"]
    texts = [tag for tag in tags if tag.startswith("dialogue/")]
    assert texts
    shown = found.Tensors(texts[0])[0].tensor_proto.string_val[0].decode("utf-8")
    assert recorded(trained)[0]["turns"][0]["system"].split()[0] in shown
    plugins = found.summary_metadata
    hparams = [tag for tag, data in plugins.items() if data.plugin_data.plugin_name == "hparams"]
    assert hparams


def test_a_saved_agent_is_evaluated(
    trained: Path, tmp_path: Path, no_data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    load = f"planner.load='{trained / 'agent.zip'}'"
    run_here("planner=maskable_ppo", load, "episodes=6", "run_dir=out", "logger=none")
    again = (tmp_path / "out" / "records.jsonl").read_bytes()
    assert again == (trained / "records.jsonl").read_bytes()
    assert not (tmp_path / "out" / "agent.zip").exists()


def test_resuming_trains_nothing_anew(trained: Path, tmp_path: Path, no_data: str) -> None:
    before = {path.name: path.read_bytes() for path in trained.iterdir() if path.is_file()}
    run_here(*TINY, f"run_dir='{trained}'", "resume=true", "workers=1")
    after = {path.name: path.read_bytes() for path in trained.iterdir() if path.is_file()}
    assert after == before


def test_an_agent_of_another_algorithm_is_refused(
    trained: Path, tmp_path: Path, no_data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = refused("planner=ppo", f"planner.load='{trained / 'agent.zip'}'", "logger=none")
    assert "maskable_ppo" in told


# Environments of one's own

WALK = '''
"""A walk along a line, by somebody else."""

import gymnasium as gym
import numpy as np


class Walk(gym.Env):
    """Reach the right end; knows nothing of dialogues."""

    observation_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.turn = 0, 0
        return self.seen(), {}

    def step(self, action):
        self.turn += 1
        self.place += 1 if action else -1
        won = self.place >= 3
        return self.seen(), float(won), won, self.turn >= 8, {"is_success": won}

    def seen(self):
        return np.array([np.clip(self.place / 3, -1, 1)], np.float32)


gym.register(id="Theirs/Walk-v0", entry_point=Walk)
'''


@pytest.fixture
def theirs(tmp_path: Path, no_data: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module that registers an environment, in the working directory."""
    (tmp_path / "their_package.py").write_text(WALK)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("their_package", None)
    gym.registry.pop("Theirs/Walk-v0", None)


def test_an_agent_learns_somebody_elses_environment(theirs: Path) -> None:
    run_here(
        "env.id=their_package:Theirs/Walk-v0",
        "planner=ppo",
        *TINY[1:],
        "run_dir=out",
        "logger=none",
    )
    records = recorded(theirs / "out")
    assert len(records) == 6
    assert all(record["length"] <= 8 for record in records)
    summary = json.loads((theirs / "out" / "summary.json").read_text())
    assert summary["episodes"] == 6
    assert "catalog_items" not in summary


@pytest.mark.parametrize("planner", ["dreams", "ask_all"])
def test_a_planner_says_what_it_lacks(theirs: Path, planner: str) -> None:
    told = refused("env.id=their_package:Theirs/Walk-v0", f"planner={planner}", "run_dir=out")
    assert "their_package.Walk lacks" in told
    for name in ("view:", "play:", "action_masks:", "dialogue_record:"):
        assert name in told


DOMAIN = """
name: tea
noun: tea
nouns: teas
facets:
  - {name: flavour, match: all, inquiry: FlavourInquiry, singular: flavour, plural: flavours}
  - {name: grower, match: any, inquiry: GrowerInquiry, singular: grower, plural: growers}
"""


@pytest.mark.parametrize("planner", ["dreams", "random"])
def test_items_and_a_domain_of_your_own(
    planner: str, tmp_path: Path, no_data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tea.yaml").write_text(DOMAIN)
    rows = [
        f"t{i},Leaf {i},{('smoky', 'floral', 'malty')[i % 3]}|{('light', 'dark')[i % 2]},G{i % 4}"
        for i in range(40)
    ]
    (tmp_path / "tea.csv").write_text("id,title,flavour,grower\n" + "\n".join(rows) + "\n")
    own = ("env=custom", "env.domain=tea.yaml", "env.items=tea.csv")
    run_here(*own, f"planner={planner}", "episodes=3", "workers=1", "run_dir=out", "logger=none")
    for record in recorded(tmp_path / "out"):
        assert set(record["goal"]) == {"flavour", "grower"}
        actions = {turn["action"] for turn in record["turns"]}
        assert actions <= {
            "FlavourInquiry", "GrowerInquiry", "FailureReflection", "ItemRec", "ItemExplanation",
        }  # fmt: skip
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["catalog_items"] == 40
