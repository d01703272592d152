"""Dialogues in threads: the same bytes in order, and ends that lose nothing and come at once."""

import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from baselines.references import AskAll
from evaluation.pool import AHEAD
from evaluation.records import RECORDS, TIMINGS, read_records
from evaluation.runner import EvaluationError, evaluate
from evaluation.threads import Abandoned, ThreadPool, Wanted
from language.llm.errors import RunStopped
from tests.command_line import composed, process_env
from tests.evaluation.fakes import FailingPolicy, FakeEnv, GuessPolicy, ModelPolicy

ROOT = Path(__file__).resolve().parents[2]


def run(run_dir: Path, policy: Any = GuessPolicy, env: Any = FakeEnv, **changes: Any) -> Any:
    settings: Any = {"episodes": 8, "seed": 3, "run_dir": run_dir} | changes
    return evaluate(env, policy, **settings)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The records of 8 episodes without threads."""
    folder = tmp_path_factory.mktemp("reference")
    run(folder)
    return (folder / RECORDS).read_bytes()


def dialogue_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("dialogue-")]


@pytest.mark.parametrize("threads", [2, 3, 20])
def test_any_number_of_threads_writes_the_same_bytes(
    tmp_path: Path, reference: bytes, threads: int
) -> None:
    seen: list[int] = []
    run(
        tmp_path,
        partial(GuessPolicy, 0.001),
        threads=threads,
        on_dialogue=[lambda record, timing: seen.append(record["episode"])],
    )
    assert (tmp_path / RECORDS).read_bytes() == reference
    assert seen == list(range(8))
    assert dialogue_threads() == []


@pytest.mark.parametrize("planner", ["ask_all", "dreams"])
def test_real_dialogues_do_not_depend_on_threads(
    tmp_path: Path, no_data: str, planner: str
) -> None:
    """They share one world and its caches; threads are made to alternate as often as they can."""
    make_env = partial(gym.make, "envs:CRS/Redial-v0", data_dir=no_data)
    made: Any = AskAll
    if planner == "dreams":
        from conf.policies import make_policy

        config = composed("planner=dreams", "planner.n_el=10", "planner.goals=20")
        made = partial(make_policy, config)
    run(tmp_path / "one", made, make_env, episodes=6)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        run(tmp_path / "four", made, make_env, episodes=6, threads=4)
    finally:
        sys.setswitchinterval(before)
    one, four = ((tmp_path / name / RECORDS).read_bytes() for name in ("one", "four"))
    assert one == four


def test_threads_wait_together(tmp_path: Path) -> None:
    """Eight dialogues of at least two turns, 50 ms each: half a second after one another."""
    begun = time.monotonic()
    run(tmp_path, partial(GuessPolicy, 0.05), threads=8)
    longest = max(record["n_turns"] for record in read_records(tmp_path))
    assert time.monotonic() - begun < 0.05 * longest + 0.4


def test_threads_resume(tmp_path: Path, reference: bytes) -> None:
    run(tmp_path, episodes=3, threads=2)
    assert run(tmp_path, threads=4, resume=True).resumed == 3
    assert (tmp_path / RECORDS).read_bytes() == reference


def test_a_failing_policy_ends_the_run_and_loses_nothing(tmp_path: Path, reference: bytes) -> None:
    with pytest.raises(EvaluationError, match=r"episode 4 .*ZeroDivisionError") as caught:
        run(tmp_path, partial(FailingPolicy, 4), threads=3)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert (tmp_path / RECORDS).read_bytes() == b"".join(reference.splitlines(True)[:4])
    assert dialogue_threads() == []
    run(tmp_path, resume=True)
    assert (tmp_path / RECORDS).read_bytes() == reference


@pytest.mark.parametrize("how", [{}, {"threads": 3}, {"workers": 2}])
def test_a_stopped_run_says_only_what_stopped_it(
    tmp_path: Path, reference: bytes, how: dict[str, int]
) -> None:
    with pytest.raises(RunStopped) as caught:
        run(tmp_path, partial(ModelPolicy, stopped=4), **how)
    assert str(caught.value) == "llm.max_calls=5 is spent; raise it and continue with resume=true"
    assert (tmp_path / RECORDS).read_bytes() == b"".join(reference.splitlines(True)[:4])
    run(tmp_path, resume=True, **how)
    assert (tmp_path / RECORDS).read_bytes() == reference


def test_who_waits_for_a_model_is_released_before_it_is_waited_for(tmp_path: Path) -> None:
    """Episode 1 would wait for 30 s; the failure of episode 0 lets it go."""
    waiting, released = threading.Event(), threading.Event()

    class Waiting(GuessPolicy):
        def decide(self, view: Any, rng: Any) -> Any:
            if view.env.key["episode"] == 0:
                assert waiting.wait(30)
                raise ZeroDivisionError
            waiting.set()
            assert released.wait(30)
            return super().decide(view, rng)

    begun = time.monotonic()
    with pytest.raises(EvaluationError, match="episode 0"):
        run(tmp_path, Waiting, threads=2, release=released.set)
    assert time.monotonic() - begun < 10
    assert dialogue_threads() == []
    released.clear()
    run(tmp_path, threads=2, resume=True, release=released.set)
    assert not released.is_set()


def test_a_failing_callback_is_not_swallowed(tmp_path: Path) -> None:
    def broken(record: Any, timing: Any) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        run(tmp_path, on_dialogue=[broken], threads=2)
    assert dialogue_threads() == []


@pytest.mark.parametrize("changes", [{"threads": 0}, {"threads": 2, "workers": 2}])
def test_senseless_numbers_are_refused(tmp_path: Path, changes: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"at least 1|one of them must be 1"):
        run(tmp_path, **changes)


def test_environments_are_one_per_thread_and_closed(tmp_path: Path) -> None:
    made: list[FakeEnv] = []
    closed: list[FakeEnv] = []

    class Closing(FakeEnv):
        def close(self) -> None:
            closed.append(self)

    def make() -> FakeEnv:
        made.append(Closing())
        return made[-1]

    run(tmp_path, env=make, threads=3)
    assert len(made) == 3
    assert {id(env) for env in closed} == {id(env) for env in made}


def test_work_ahead_of_a_slow_task_is_bounded() -> None:
    begun: list[int] = []
    released = threading.Event()

    def task(number: int, wanted: Wanted) -> int:
        begun.append(number)
        if number == 0:
            released.wait(5)
        return number

    with ThreadPool([task, task]) as pool:
        results = pool.completed(range(40))
        ahead = [next(results) for _ in range(2 * AHEAD - 1)]
        assert sorted(ahead) == list(range(1, 2 * AHEAD))
        time.sleep(0.05)
        assert max(begun) < 2 * AHEAD
        released.set()
        assert sorted([*ahead, *results]) == list(range(40))


def test_a_failure_abandons_what_comes_after_it() -> None:
    """The task that runs beside it ends when it asks, instead of going on for its 5 seconds."""
    ended: list[int] = []

    def task(number: int, wanted: Wanted) -> int:
        if number == 0:
            time.sleep(0.05)
            raise ZeroDivisionError
        for _ in range(500):
            time.sleep(0.01)
            if not wanted():
                ended.append(number)
                raise Abandoned
        return number

    begun = time.monotonic()
    with pytest.raises(ZeroDivisionError), ThreadPool([task, task]) as pool:
        list(pool.completed(range(4)))
    assert ended == [1]
    assert time.monotonic() - begun < 2


def test_ctrl_c_does_not_wait_for_an_answer(tmp_path: Path) -> None:
    """The first dialogue is recorded; the others wait for a minute that nobody waits for."""
    code = (
        "import sys\n"
        "from functools import partial\n"
        "from pathlib import Path\n"
        "from evaluation.runner import evaluate\n"
        "from tests.evaluation.fakes import FakeEnv, GuessPolicy\n"
        "class Slow(GuessPolicy):\n"
        "    def decide(self, view, rng):\n"
        "        self.pause = 60.0 if view.env.key['episode'] else 0.0\n"
        "        return super().decide(view, rng)\n"
        "try:\n"
        "    evaluate(FakeEnv, Slow, episodes=8, seed=3, run_dir=Path('.'), threads=3)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(130)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, env=process_env(tmp_path, PYTHONPATH=str(ROOT))
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / RECORDS).exists() or not (tmp_path / RECORDS).stat().st_size:
        assert process.poll() is None, "it ended before it could be interrupted"
        assert time.monotonic() < deadline, "nothing was recorded"
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    assert [record["episode"] for record in read_records(tmp_path)] == [0]
    assert (tmp_path / TIMINGS).read_bytes().count(b"\n") == 1
