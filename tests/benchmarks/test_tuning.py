"""The tuning tool: what it draws, what it logs, how it goes on, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console

from benchmarks.tuning.__main__ import EPISODES, TRIALS, main, read_arguments, tune_planner
from benchmarks.tuning.errors import TuningError
from benchmarks.tuning.log import Trial, TrialLog
from benchmarks.tuning.rounds import ROUNDS, budget, tune
from benchmarks.tuning.space import MOVED, SPACES, candidates, changed, read_space, value_at
from benchmarks.tuning.trying import Bench
from conf.policies import check_policy, is_learning
from tests.command_line import composed

QUIET = Console(quiet=True)
SPACE: dict[str, list[Any]] = {"planner.first": [0, 1, 2, 3], "planner.order": ["topics", "people"]}


def tuned(log: Path, *arguments: str) -> list[Trial]:
    given = ("planner=tuned_rule", "trials=3", "episodes=2", *arguments, f"log={log}")
    return tune_planner(read_arguments(given), QUIET)


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


class Counting(Bench):
    """Notes the trials that are really made; their success is what a table says."""

    def __init__(self, wins: dict[int, list[float]]) -> None:
        super().__init__(composed("planner=tuned_rule"), SPACE, QUIET)
        self.wins = wins
        self.made: list[tuple[int, int]] = []

    def run(self, planned: Trial) -> Trial:
        self.made.append((planned.round, planned.trial))
        success = self.wins[planned.trial][planned.round]
        values = {name: getattr(planned, name) for name in Trial.__slots__}
        return Trial(**(values | {"success": success, "outcomes": "1" * planned.dialogues}))


# Spaces


@pytest.mark.parametrize("path", sorted(SPACES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_space_fits_its_planner(path: Path) -> None:
    """Its keys exist, every value makes a policy, and there is something to choose."""
    config, space = composed(f"planner={path.stem}"), read_space(path.stem)
    for key, values in space.items():
        assert len(values) > 1
        assert len({json.dumps(value) for value in values}) == len(values)
        value_at(config, key)
    if is_learning(config):
        return
    for key, values in space.items():
        for value in values:
            check_policy(changed(config, {key: value}))


def test_the_present_values_come_first_and_draws_repeat() -> None:
    config = composed("planner=tuned_rule")
    found = candidates(config, SPACE, 5, 0)
    assert found[0] == {key: value_at(config, key) for key in SPACE}
    assert found == candidates(config, SPACE, 5, 0)
    assert found != candidates(config, SPACE, 5, 1)
    assert len({json.dumps(settings) for settings in found}) == len(found) >= 5
    every = candidates(config, SPACE, 1000, 0)
    assert len(every) == 8 or (len(every) == 9 and found[0] not in every[1:])
    for settings in every[1:]:
        assert all(settings[key] in values for key, values in SPACE.items())


def test_a_draw_stays_near_the_present_values() -> None:
    config = composed("planner=tuned_rule")
    defaults, *drawn = candidates(config, read_space("tuned_rule"), 20, 0)
    moved = [sum(one[key] != value for key, value in defaults.items()) for one in drawn]
    assert max(moved) == MOVED
    assert min(moved) >= 1


def test_a_change_leaves_the_configuration_alone() -> None:
    config = {"planner": {"name": "x", "scorer": {"tired": 0.7, "ask": 2.0}}}
    before = json.dumps(config)
    found = changed(config, {"planner.scorer.tired": 0.5})
    assert found == {"planner": {"name": "x", "scorer": {"tired": 0.5, "ask": 2.0}}}
    assert json.dumps(config) == before
    with pytest.raises(TuningError, match=r"planner\.scorer\.tried"):
        changed(config, {"planner.scorer.tried": 0.5})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must map keys"),
        ("- a", "must map keys"),
        ("first: [1]", "'first' must be a planner's constant"),
        ("planner.first: 1", "must list the values"),
        ("planner.first: []", "must list the values"),
        (yaml.safe_dump({f"planner.k{i}": list(range(50)) for i in range(30)}), "too many"),
    ],
)
def test_a_malformed_space_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "odd.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(TuningError, match=message):
        read_space("odd", tmp_path)


def test_a_planner_without_a_space_is_refused() -> None:
    with pytest.raises(TuningError, match=r"ask_all has nothing to tune.*tuned_rule"):
        read_space("ask_all")


# Rounds


def test_the_best_few_are_tried_again_beside_the_defaults(no_data: str, tmp_path: Path) -> None:
    wins = {k: [k / 100] * 3 for k in range(13)} | {12: [0.9, 0.01, 0.0]}
    bench, log = Counting(wins), TrialLog(tmp_path / "log.jsonl")
    settings = [{"planner.first": k, "planner.order": "topics"} for k in range(13)]
    told: list[Trial] = []
    ranked = tune(bench, log, settings, 2, told.append)
    assert [one.trial for one in ranked] == [11, 10, 9, 0]
    by_round = [[t for r, t in bench.made if r == number] for number in range(len(ROUNDS))]
    assert by_round[0] == list(range(13))
    assert by_round[1] == [0, *range(5, 13)]
    assert by_round[2] == [0, 9, 10, 11]
    assert [(t.round, t.trial) for t in told] == bench.made
    spans = {(t.round, t.first, t.dialogues) for t in told}
    assert spans == {(0, 0, 2), (1, 2, 8), (2, 10, 20)}
    assert sum(t.dialogues for t in told) == budget(12, 2)


def test_return_decides_between_equal_successes(no_data: str, tmp_path: Path) -> None:
    trial = Counting({}).planned(0, 1, {}, 0, 5, 1.0)
    assert trial.objective == (0.0, 0.0)
    ranked = tuned(tmp_path / "log.jsonl")
    assert ranked == sorted(ranked, key=lambda t: (-t.success, -t.earned))


def test_an_interrupted_tuning_goes_on(no_data: str, tmp_path: Path) -> None:
    wins = {k: [k / 10] * 3 for k in range(4)}
    settings = [{"planner.first": k, "planner.order": "topics"} for k in range(4)]
    path, whole = tmp_path / "log.jsonl", Counting(wins)
    expected = tune(whole, TrialLog(path), settings, 2, lambda t: None)
    kept = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(kept[:6]) + kept[6][:20])  # killed while it wrote
    again = Counting(wins)
    assert tune(again, TrialLog(path), settings, 2, lambda t: None) == expected
    assert again.made == whole.made[6:]
    assert path.read_bytes() == b"".join(kept)
    third = Counting(wins)
    assert tune(third, TrialLog(path), settings, 2, lambda t: None) == expected
    assert third.made == []


# Whole tunings


def test_a_tuning_logs_every_trial(no_data: str, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "rule.jsonl"
    ranked = tuned(log)
    found = lines(log)
    assert len(found) == 3 * 4
    assert {row["trial"] for row in found} == {0, 1, 2, 3}
    for row in found:
        assert row["planner"] == "tuned_rule"
        assert row["env"] == "redial"
        assert row["items"] > 100
        assert len(row["outcomes"]) == row["dialogues"] == 2 * ROUNDS[row["round"]].times
        assert row["success"] == pytest.approx(row["outcomes"].count("1") / row["dialogues"])
        assert set(row["settings"]) == set(read_space("tuned_rule"))
        assert row["seconds"] >= 0
    assert ranked[0].success == max(row["success"] for row in found if row["round"] == 2)
    defaults = {key: value_at(composed("planner=tuned_rule"), key) for key in found[0]["settings"]}
    assert found[0]["settings"] == defaults
    before = log.read_bytes()
    assert tuned(log) == ranked
    assert log.read_bytes() == before


def test_the_same_settings_have_the_same_dialogues(no_data: str, tmp_path: Path) -> None:
    first, second = tuned(tmp_path / "a.jsonl"), tuned(tmp_path / "b.jsonl")
    assert [t.outcomes for t in first] == [t.outcomes for t in second]
    assert [t.earned for t in first] == [t.earned for t in second]


def test_a_log_of_another_tuning_is_refused(no_data: str, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    tuned(log)
    with pytest.raises(TuningError, match="log of another tuning"):
        tuned(log, "planner.explain=false")
    with pytest.raises(TuningError, match="log of another tuning"):
        tuned(log, "seed=7")
    log.write_text('{"round": 0}\n', encoding="utf-8")
    with pytest.raises(TuningError, match=r"log\.jsonl, line 1: no trial"):
        tuned(log)


def test_a_learning_agent_is_trained_for_a_trial(
    no_data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = tmp_path / "spaces"
    space.mkdir()
    (space / "ppo.yaml").write_text("planner.hyperparameters.ent_coef: [0.0, 0.1]\n")
    monkeypatch.setattr("benchmarks.tuning.space.SPACES", space)
    monkeypatch.setattr(read_space, "__defaults__", (space,))
    few = ("planner.total_timesteps=512", "planner.n_envs=2", "planner.hyperparameters.n_steps=16")
    small = ("planner.hyperparameters.batch_size=32", "planner.hyperparameters.n_epochs=1")
    log = tmp_path / "log.jsonl"
    given = ("planner=ppo", "trials=1", "episodes=1", f"log={log}", *few, *small)
    tune_planner(read_arguments(given), QUIET)
    assert {(row["round"], row["timesteps"]) for row in lines(log)} == {(0, 32), (1, 64), (2, 128)}


# The command line


def test_the_command_line() -> None:
    found = read_arguments(["planner=dreams", "env=redial"])
    assert (found.trials, found.episodes, found.log) == (TRIALS, EPISODES, None)
    assert found.overrides == ("planner=dreams", "env=redial")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["env=redial"], "say what to tune: planner=NAME"),
        (["planner=tuned_rule", "trials=0"], "trials must be a whole number of at least 1"),
        (["planner=tuned_rule", "episodes=many"], "episodes must be"),
        (["planner=tuned_rul"], "did you mean planner=tuned_rule"),
        (["planner=random"], "random has nothing to tune"),
        (["planner=tuned_rule", "llm=openai"], "embedded roles"),
        (["planner=tuned_rule", "env.id=envs:CRS/Nowhere-v0"], "not registered"),
    ],
)
def test_mistakes_end_in_one_line(arguments: list[str], message: str, no_data: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    text = ended.value.code
    assert isinstance(text, str)
    assert text.startswith("benchmarks.tuning: ")
    assert message in text
    assert "\n" not in text


def test_help_tells_what_it_does() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert "planner=tuned_rule" in str(ended.value.code)
