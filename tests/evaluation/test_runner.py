"""Running policies: streams, the seal, order, resuming, workers, failures."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from evaluation.records import RECORDS, TIMINGS, read_records, read_timings
from evaluation.run_dir import RunDirError, locked
from evaluation.runner import Evaluation, EvaluationError, evaluate
from tests.evaluation.fakes import (
    DyingPolicy,
    FailingPolicy,
    FakeEnv,
    FakeOracle,
    GuessPolicy,
    ObserverPolicy,
    PeekingPolicy,
    PlainEnv,
)

ROOT = Path(__file__).resolve().parents[2]


def run(
    run_dir: Path, policy: Any = GuessPolicy, env: Any = FakeEnv, episodes: Any = 8, **changes: Any
) -> Evaluation:
    return evaluate(
        env, policy, **({"episodes": episodes, "seed": 3, "run_dir": run_dir} | changes)
    )


def lines(run_dir: Path) -> bytes:
    return (run_dir / RECORDS).read_bytes()


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The records of an uninterrupted run of 8 episodes in one process."""
    folder = tmp_path_factory.mktemp("reference")
    run(folder)
    return lines(folder)


class WritingPolicy:
    """Writes to the view that it should only read."""

    def __init__(self, when: str, path: str, value: Any) -> None:
        self.when, self.path, self.value = when, path, value

    def _write(self, view: Any, when: str) -> None:
        if when == self.when:
            *parents, name = self.path.split(".")
            for parent in parents:
                view = getattr(view, parent)
            setattr(view, name, self.value)

    def reset(self, view: Any, rng: Any) -> None:
        self._write(view, "reset")

    def decide(self, view: Any, rng: Any) -> int:
        self._write(view, "decide")
        return 0


@pytest.mark.parametrize("when", ["reset", "decide"])
@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("turn", -5, "turn"),
        ("max_turns", 10**6, "max_turns"),
        ("offered", 1, "offered"),
        ("state.best", [-1.0] * 3, "preferences"),
        ("state.likes", [(0,), (), ()], "preferences"),
        ("retriever", None, "retriever"),
    ],
)
def test_a_policy_that_writes_to_the_view_is_stopped(tmp_path, no_data, when, path, value, named):
    """Else it could move the turn limit, or be paid for preferences that it wrote itself."""
    make_env = partial(gym.make, "envs:CRS/Redial-v0", data_dir=no_data)
    with pytest.raises(EvaluationError, match=f"WritingPolicy changed {named} of the view"):
        run(tmp_path, partial(WritingPolicy, when, path, value), make_env, episodes=1)
    assert lines(tmp_path) == b""


def test_a_run_directory_belongs_to_one_process(tmp_path):
    """Two runs that append to the same files would leave neither's records."""
    script = (
        "import sys, pathlib, evaluation.run_dir as run_dir\n"
        "with run_dir.locked(pathlib.Path(sys.argv[1])):\n"
        "    pass\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    with locked(tmp_path):
        busy = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert busy.returncode == 1
    assert "RunDirError: another process is running in" in busy.stderr
    assert list(tmp_path.iterdir()) == []
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    with locked(tmp_path):
        pass  # the lock went with its process


def test_records_are_in_order_and_complete(tmp_path, reference):
    done = run(tmp_path)
    assert [r["episode"] for r in done.records] == list(range(8))
    assert done.resumed == 0
    assert read_records(tmp_path) == done.records
    assert read_timings(tmp_path) == done.timings
    assert lines(tmp_path) == reference


def test_the_seed_matters(tmp_path, reference):
    run(tmp_path, seed=4)
    assert lines(tmp_path) != reference


def test_an_episode_does_not_depend_on_those_before_it(tmp_path, reference):
    run(tmp_path, episodes=[5, 2])
    wanted = reference.splitlines()
    assert lines(tmp_path).splitlines() == [wanted[5], wanted[2]]


def test_timings_book_each_side_its_own(tmp_path):
    timing = run(tmp_path, partial(GuessPolicy, 0.01), episodes=2).timings[0]
    assert timing["seconds_policy"] >= 0.01 * len(timing["seconds_turns"])
    assert timing["seconds_policy"] >= sum(timing["seconds_turns"])
    assert 0 < timing["seconds_environment"] < 0.01
    assert (timing["calls"], timing["tokens"], timing["retries"], timing["cost"]) == (0, 0, 0, 0)


def test_nothing_in_a_record_is_a_time(tmp_path):
    run(tmp_path, episodes=1)
    assert "second" not in lines(tmp_path).decode()


def test_the_goal_is_sealed_while_a_policy_decides(tmp_path):
    with pytest.raises(EvaluationError, match="episode 0") as caught:
        run(tmp_path, PeekingPolicy)
    assert isinstance(caught.value.__cause__, PermissionError)


def test_the_oracle_is_told(tmp_path):
    records = run(tmp_path, FakeOracle).records
    assert [r["n_turns"] for r in records] == [1] * 8
    assert all(r["success"] for r in records)


def test_a_policy_of_observations_runs_in_dialogues(tmp_path):
    records = run(tmp_path, ObserverPolicy, episodes=4).records
    assert all("turns" in r for r in records)
    assert all(t["action"] != "FailureReflection" for r in records for t in r["turns"])


def test_a_plain_environment_gives_generic_records(tmp_path):
    records = run(tmp_path, ObserverPolicy, PlainEnv, episodes=3).records
    keys = {"schema", "episode", "seed", "return", "length", "success"}
    assert all(set(r) == keys for r in records)
    assert all(r["length"] == 3 and isinstance(r["success"], bool) for r in records)
    assert len({r["return"] for r in records}) == 3, "each episode has a seed of its own"


def test_a_registered_environment_of_others_runs(tmp_path):
    make = partial(gym.make, "CartPole-v1", max_episode_steps=20)
    records = run(tmp_path, ObserverPolicy, make, episodes=2).records
    assert all(r["return"] == r["length"] and r["success"] is None for r in records)


def test_a_planner_in_a_plain_environment_is_told_what_is_missing(tmp_path):
    with pytest.raises(TypeError) as caught:
        run(tmp_path, GuessPolicy, PlainEnv)
    for part in ("GuessPolicy", "PlainEnv", "view", "play", "action_masks", "dialogue_record"):
        assert part in str(caught.value)


def test_something_that_is_no_policy_is_refused(tmp_path):
    with pytest.raises(TypeError, match="object is no policy"):
        run(tmp_path, object)


def test_a_decision_that_is_no_action_is_named(tmp_path):
    class Odd(GuessPolicy):
        def decide(self, view, rng):
            return "GenreInquiry"

    with pytest.raises(EvaluationError, match=r"Odd\.decide returned 'GenreInquiry'"):
        run(tmp_path, Odd)


@pytest.mark.parametrize("finished", range(9))
def test_a_run_cut_anywhere_resumes_to_the_same_lines(tmp_path, reference, finished):
    run(tmp_path)
    whole = (tmp_path / TIMINGS).read_bytes()
    cut = sum(len(line) for line in reference.splitlines(keepends=True)[:finished])
    (tmp_path / RECORDS).write_bytes(reference[: cut + 10])  # a torn line follows
    told = []
    done = run(tmp_path, resume=True, on_dialogue=[lambda r, t: told.append(r["episode"])])
    assert lines(tmp_path) == reference
    assert done.resumed == finished
    assert told == list(range(finished, 8))
    kept = whole.splitlines()[:finished]
    assert (tmp_path / TIMINGS).read_bytes().splitlines()[:finished] == kept


def test_a_finished_run_is_left_alone(tmp_path, reference):
    run(tmp_path)

    def never():
        raise AssertionError("nothing is left to run")

    assert run(tmp_path, never, never, resume=True).resumed == 8
    assert lines(tmp_path) == reference


def test_a_run_can_be_extended(tmp_path, reference):
    run(tmp_path, episodes=3)
    run(tmp_path, resume=True)
    assert lines(tmp_path) == reference


def test_records_are_never_overwritten(tmp_path, reference):
    run(tmp_path)
    with pytest.raises(RunDirError, match="resume=true"):
        run(tmp_path)
    assert lines(tmp_path) == reference


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 4}, "seed 3"),
        ({"split": "train"}, "split 'test'"),
        ({"episodes": [1, 0]}, "episode 0"),
        ({"episodes": 1}, "holds 2 episodes"),
    ],
)
def test_another_run_is_not_continued(tmp_path, changes, said):
    run(tmp_path, episodes=2)
    with pytest.raises(RunDirError) as caught:
        run(tmp_path, **({"resume": True} | changes))
    assert said in str(caught.value)
    assert "another run_dir" in str(caught.value)


@pytest.mark.parametrize(
    "changes", [{"seed": -1}, {"episodes": [1, 1]}, {"workers": 0}, {"episodes": [-1]}]
)
def test_senseless_arguments_are_refused(tmp_path, changes):
    with pytest.raises(ValueError, match=r"at least|twice"):
        run(tmp_path, **changes)


def test_progress_counts_what_an_earlier_run_did(tmp_path):
    run(tmp_path, episodes=2)
    seen = []
    run(tmp_path, episodes=4, resume=True, progress=lambda *counts: seen.append(counts))
    assert seen == [(2, 4), (3, 4), (4, 4)]


def test_two_workers_write_the_same_bytes(tmp_path, reference):
    run(tmp_path, workers=2)
    assert lines(tmp_path) == reference


def test_workers_resume(tmp_path, reference):
    run(tmp_path, episodes=3)
    assert run(tmp_path, workers=2, resume=True).resumed == 3
    assert lines(tmp_path) == reference


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_policy_ends_the_run_and_loses_nothing(tmp_path, reference, workers):
    with pytest.raises(EvaluationError, match=r"episode 4 .*ZeroDivisionError") as caught:
        run(tmp_path, partial(FailingPolicy, 4), workers=workers)
    chain = [caught.value.__cause__, getattr(caught.value.__cause__, "__cause__", None)]
    assert any("in decide" in str(e) or isinstance(e, ZeroDivisionError) for e in chain)
    assert lines(tmp_path) == b"".join(reference.splitlines(keepends=True)[:4])
    run(tmp_path, resume=True)
    assert lines(tmp_path) == reference


def test_a_killed_worker_ends_the_run_and_names_the_episode(tmp_path, reference):
    with pytest.raises(EvaluationError, match=r"episode 4 .*died \(exit code -9"):
        run(tmp_path, partial(DyingPolicy, 4), workers=2)
    assert reference.startswith(lines(tmp_path))
    run(tmp_path, resume=True, workers=2)
    assert lines(tmp_path) == reference


def test_workers_need_factories_that_travel(tmp_path):
    with pytest.raises(TypeError, match=r"module level .* workers=1"):
        run(tmp_path, lambda: GuessPolicy(), workers=2)


def test_a_failing_callback_is_not_swallowed(tmp_path):
    def broken(record, timing):
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        run(tmp_path, on_dialogue=[broken], workers=2)


def test_an_environment_that_ignores_the_episode_is_found_out(tmp_path):
    class Stubborn(FakeEnv):
        def reset(self, *, seed=None, options=None):
            return super().reset(seed=seed, options={"episode": 0, "split": "test"})

    with pytest.raises(EvaluationError, match="recorded episode 0 where 1 was asked for"):
        run(tmp_path, env=Stubborn)


@pytest.mark.parametrize("hash_seed", ["0", "12345"])
def test_the_hash_seed_does_not_matter(tmp_path, reference, hash_seed):
    start(tmp_path, workers=1, pause=0.0, hash_seed=hash_seed).wait(timeout=60)
    assert lines(tmp_path) == reference


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a POSIX signal")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_run_resumes_to_the_same_lines(tmp_path, reference, workers):
    process = start(tmp_path, workers, pause=0.1)
    deadline = time.monotonic() + 60
    while not (tmp_path / RECORDS).exists() or lines(tmp_path).count(b"\n") < 2:
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline, "nothing was recorded"
        time.sleep(0.02)
    children = descendants(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(timeout=10)
    assert len(children) >= workers if workers > 1 else True
    while any(alive(child) for child in children):
        assert time.monotonic() < deadline, "workers outlive their parent"
        time.sleep(0.05)
    assert lines(tmp_path).count(b"\n") < 8
    assert run(tmp_path, resume=True).resumed >= 2
    assert lines(tmp_path) == reference


def start(
    run_dir: Path, workers: int, pause: float, hash_seed: str = "0"
) -> subprocess.Popen[bytes]:
    """The reference run in a process of its own."""
    code = (
        "from functools import partial\n"
        "from pathlib import Path\n"
        "from evaluation.runner import evaluate\n"
        "from tests.evaluation.fakes import FakeEnv, GuessPolicy\n"
        "if __name__ == '__main__':\n"
        f"    evaluate(FakeEnv, partial(GuessPolicy, {pause}), episodes=8, seed=3,\n"
        f"             run_dir=Path({str(run_dir)!r}), workers={workers})\n"
    )
    script = run_dir.with_name(run_dir.name + ".py")
    script.write_text(code)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed}
    return subprocess.Popen([sys.executable, str(script)], cwd=ROOT, env=environment)


def descendants(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    pairs = [line.split() for line in listed.stdout.splitlines()]
    found = [pid]
    for parent in found:
        found += [int(child) for child, its in pairs if int(its) == parent]
    return found[1:]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_records_parse_as_plain_json(tmp_path):
    run(tmp_path, episodes=1)
    for line in (tmp_path / RECORDS).read_text(encoding="utf-8").splitlines():
        assert json.loads(line)["schema"] == 1
