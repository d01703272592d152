"""Logging: what the event file holds when it is read back, and wandb without an account."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from evaluation.curves import EpisodeCurves, dialogue_text, flat_settings, summary_scalars
from evaluation.logging import RunLogger, make_logger
from evaluation.progress import progress_bar
from evaluation.runner import evaluate
from evaluation.summary import CatalogFacts, summarize
from evaluation.wandb import wandb_mode
from tests.evaluation.fakes import HOSTILE, FakeEnv, GuessPolicy, record, timing, turn
from tests.evaluation.test_metrics import RECORDS, TIMINGS

ROOT = Path(__file__).resolve().parents[2]
SUMMARY = summarize(RECORDS, TIMINGS, CatalogFacts(6583, "ReDial"))


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    """The events of an evaluation with training before it, read back with TensorBoard."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    folder = tmp_path_factory.mktemp("run")
    with make_logger("tensorboard", folder) as logger:
        logger.start({"seed": 3, "planner": {"name": HOSTILE, "n_el": 400, "trace": False}})
        logger.training({"train/return": 1.5}, timesteps=1000)
        done = evaluate(
            FakeEnv,
            GuessPolicy,
            episodes=7,
            seed=3,
            run_dir=folder,
            on_dialogue=[logger.dialogue],
        )
        summary = summarize(done.records, done.timings, None)
        logger.finish(summary)
    read = EventAccumulator(str(folder / "tensorboard"), size_guidance={"tensors": 0, "scalars": 0})
    read.Reload()
    return read, done.records, summary


def curve(events: Any, tag: str) -> list[tuple[int, Any]]:
    return [(event.step, event.value) for event in events.Scalars(tag)]


@pytest.mark.parametrize(
    ("tag", "of"),
    [
        ("evaluation/return", lambda r: r["return"]),
        ("evaluation/turns", lambda r: r["n_turns"]),
        ("evaluation/success", lambda r: float(r["success"])),
        ("evaluation/reward_cost", lambda r: sum(t["rewards"]["cost"] for t in r["turns"])),
        ("evaluation/reward_accept", lambda r: float(r["success"])),
        ("evaluation/reward_retrieve", lambda r: 0.0),
    ],
)
def test_every_episode_has_its_scalars(events, tag, of):
    read, records, _ = events
    assert curve(read, tag) == [(r["episode"], pytest.approx(of(r))) for r in records]


def test_personas_have_curves(events):
    read, records, _ = events
    wins = [float(r["success"]) for r in records if r["persona"] == "persona 0"]
    found = curve(read, "persona/persona_0/success_rate")
    assert [step for step, _ in found] == [0, 3, 6]
    assert found[-1][1] == pytest.approx(sum(wins) / 3)


def test_the_running_success_rate_ends_at_the_summary(events):
    read, _, summary = events
    assert curve(read, "evaluation/success_rate")[-1] == (6, pytest.approx(summary["success_rate"]))


def test_training_is_logged_by_timesteps(events):
    assert curve(events[0], "train/return") == [(1000, 1.5)]


def test_the_text_of_the_first_dialogues_is_there(events):
    read, records, _ = events
    tags = [tag for tag in read.Tags()["tensors"] if tag.startswith("dialogue/")]
    assert len(tags) == 5
    (event,) = read.Tensors("dialogue/2/text_summary")
    text = event.tensor_proto.string_val[0].decode()
    assert all(line.startswith("    ") for line in text.splitlines())
    assert f"system [{records[2]['turns'][0]['action']}]: system text" in text
    assert "<script>" in text, "a block of code shows mark-up as it is"


def test_hyperparameters_and_results_are_there(events):
    from tensorboard.plugins.hparams import plugin_data_pb2

    read, _, summary = events
    assert curve(read, "summary/return") == [(0, pytest.approx(summary["return"]))]
    content = read.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    start = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info
    assert start.hparams["planner.n_el"].number_value == 400
    assert start.hparams["seed"].number_value == 3
    assert start.hparams["planner.trace"].bool_value is False
    content = read.SummaryMetadata("_hparams_/experiment").plugin_data.content
    experiment = plugin_data_pb2.HParamsPluginData.FromString(content).experiment
    names = {metric.name.tag for metric in experiment.metric_infos}
    assert {"summary/success_rate", "summary/recall_at_1", "summary/cge2"} <= names
    assert "_hparams_/session_end_info" in read.summary_metadata


def test_a_resumed_run_continues_its_means():
    fresh, resumed = EpisodeCurves(), EpisodeCurves()
    whole = [fresh.add(entry) for entry in RECORDS]
    for entry in RECORDS[:2]:
        resumed.add(entry)
    assert [resumed.add(entry) for entry in RECORDS[2:]] == whole[2:]


def test_records_of_the_interrupted_run_are_not_logged_again():
    class Memory:
        def __init__(self) -> None:
            self.calls: list[Any] = []

        def __getattr__(self, name: str) -> Any:
            return lambda *values: self.calls.append((name, *values))

    sink = Memory()
    logger = RunLogger([sink], texts=3)
    logger.start({}, earlier=RECORDS[:2])
    logger.dialogue(RECORDS[2], TIMINGS[2])
    logger.dialogue(RECORDS[3], TIMINGS[3])
    assert [call[0] for call in sink.calls] == ["settings", "scalars", "text", "scalars"]
    assert sink.calls[1][1]["evaluation/success_rate"] == pytest.approx(1 / 3)


def test_episodes_without_dialogues_are_logged():
    generic = {"schema": 1, "seed": 0, "episode": 0, "return": 2.0, "length": 4, "success": None}
    assert EpisodeCurves().add(generic) == {"evaluation/return": 2.0, "evaluation/turns": 4.0}


def test_hostile_dialogues_stay_on_their_lines():
    text = dialogue_text(record(turn("GenreInquiry", system=HOSTILE, user=HOSTILE)))
    assert len(text.splitlines()) == 4
    text.encode("utf-8")


def test_settings_are_flat():
    settings = {"a": {"b": 1, "c": [1, 2]}, "d": None, "e": True}
    assert flat_settings(settings) == {"a.b": 1, "a.c": "[1, 2]", "d": "None", "e": True}


def test_a_summary_becomes_scalars():
    scalars = summary_scalars(SUMMARY)
    assert scalars["summary/recall_at_5"] == 0.5
    assert scalars["summary/episodes"] == 4.0
    assert not any("persona/" in key or "_ci" in key or "source" in key for key in scalars)


def test_no_logger_does_nothing(tmp_path):
    with make_logger("none", tmp_path) as logger:
        logger.start({"a": 1})
        logger.dialogue(record(), timing())
        logger.finish(SUMMARY)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_logger_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no logger 'tensorbored'; there are tensorboard"):
        make_logger("tensorbored", tmp_path)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "mode", "expected"),
    [
        (None, None, "offline"),
        ("secret", None, "online"),
        ("secret", "offline", "offline"),
        (None, "disabled", "disabled"),
    ],
)
def test_wandb_is_offline_without_a_key(monkeypatch, key, mode, expected):
    for name, value in (("WANDB_API_KEY", key), ("WANDB_MODE", mode)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert wandb_mode() == expected


def log_with_wandb(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Log a run in a process of its own: the library starts a service that outlives a test."""
    code = (
        "from pathlib import Path\n"
        "import evaluation.wandb\n"
        "from evaluation.logging import make_logger\n"
        "from tests.evaluation.test_logging import RECORDS, TIMINGS, SUMMARY\n"
        "evaluation.wandb.START_SECONDS = 1.0\n"
        f"with make_logger('wandb', Path({str(folder / 'run')!r})) as logger:\n"
        "    logger.start({'planner': {'n_el': 400}})\n"
        "    logger.training({'train/return': 1.0}, 1000)\n"
        "    for record, timing in zip(RECORDS, TIMINGS):\n"
        "        logger.dialogue(record, timing)\n"
        "    logger.finish(SUMMARY)\n"
    )
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("WANDB")}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=inherited | {"PYTHONPATH": str(ROOT), "HOME": str(folder)} | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
def test_wandb_logs_a_run_offline(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    done = log_with_wandb(tmp_path, HOME=str(home))
    assert list(home.iterdir()) == [], "nothing is left outside the run's directory"
    assert done.returncode == 0, done.stderr
    (log,) = (tmp_path / "run" / "wandb").glob("offline-run-*/run-*.wandb")
    content = log.read_bytes()
    for part in (b"evaluation/return", b"persona/one/success_rate", b"train/return", b"n_el"):
        assert part in content


@pytest.mark.slow
def test_wandb_goes_on_offline_when_no_server_answers(tmp_path):
    nobody = {"WANDB_API_KEY": "a" * 40, "WANDB_BASE_URL": "http://127.0.0.1:9"}
    done = log_with_wandb(tmp_path, **nobody)
    assert done.returncode == 0, done.stderr
    assert "cannot be reached" in done.stderr
    (log,) = (tmp_path / "run" / "wandb").glob("offline-run-*/run-*.wandb")
    assert b"evaluation/return" in log.read_bytes()


def test_nothing_heavy_is_imported_before_it_is_used():
    code = (
        "import sys\n"
        "import evaluation.runner, evaluation.summary, evaluation.table, evaluation.logging\n"
        "import evaluation.progress, evaluation.tensorboard, evaluation.wandb\n"
        "heavy = {'torch', 'wandb', 'tensorboard', 'scipy', 'stable_baselines3', 'sklearn'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or None)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_progress_bar_counts():
    file = io.StringIO()
    with progress_bar(Console(file=file, width=100)) as progress:
        progress(2, 4)
        progress(4, 4)
    assert "dialogues" in file.getvalue()
    assert "4/4" in file.getvalue()
