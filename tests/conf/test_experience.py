"""The experience base of a run: made when missing, reused while it fits, whole or not there."""

import io
import multiprocessing
import os
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from conf import experience, experience_identity
from conf.environments import make_env
from conf.experience import experience_file, experience_hash
from conf.policies import check_policy, make_policy, policy_factory
from conf.run_errors import RunError
from dialogue.experience import read_base
from evaluation.runner import evaluate
from planners.experience import EASettings
from tests.command_line import composed, run_here
from tests.conf.bases import FEW, configured
from tests.model_runs import refusal, rows, run, samples

__all__ = ["samples"]  # a fixture


def found(config: dict[str, Any]) -> tuple[Path, str]:
    """The base's file, and what was told of it."""
    env, told = make_env(config), io.StringIO()
    file = experience_file(config, env, Console(file=told, width=1000))
    assert file is not None
    return file, told.getvalue()


@pytest.fixture(scope="module")
def made(samples: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base of three users."""
    return found(configured(tmp_path_factory.mktemp("bases")))[0]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Splits of the dialogues that are held while this test runs."""
    held: list[str] = []

    def counting(*args: Any, **settings: Any) -> Any:
        held.append(settings["split"])
        return evaluate(*args, **settings)

    monkeypatch.setattr(experience, "evaluate", counting)
    return held


def test_the_base_holds_the_first_held_out_users(made: Path) -> None:
    base = read_base(made)
    assert {(one.split, one.episode) for one in base.experiences} == {
        ("heldout", 0), ("heldout", 1), ("heldout", 2),
    }  # fmt: skip
    assert base.header["dialogues"] == 3
    assert base.header["config"]["planner"]["n_el"] == 3
    assert base.header["catalog"]["name"] == "redial"
    assert {"base.jsonl", "lock"} == {entry.name for entry in made.parent.iterdir()}


def test_neither_goals_nor_personas_are_in_it(made: Path, samples: None) -> None:
    text = made.read_text(encoding="utf-8")
    world: Any = make_env(composed(*FEW)).unwrapped
    assert not any(persona.name in text for persona in world.world.personas)
    for key in ('"goal"', '"targets"', '"persona"', '"said"'):
        assert key not in text


def test_it_is_reused_while_it_fits(made: Path, counted: list[str]) -> None:
    before = made.read_bytes()
    file, told = found(configured(made.parent.parent))
    assert file == made
    assert counted == []
    assert made.read_bytes() == before
    assert re.search(r"Experience: \d+ decisions of 3 dialogues", told)


def test_it_is_the_same_wherever_it_is_made(made: Path, tmp_path: Path) -> None:
    config = configured(tmp_path) | {"workers": 2, "seed": 7}
    file, _ = found(config)
    assert file.read_bytes() == made.read_bytes()


def test_rebuild_makes_it_anew_once_a_process(
    made: Path, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experience, "_REBUILT", set())
    before = made.stat().st_ino, made.read_bytes()
    config = configured(made.parent.parent, rebuild=True)
    found(config)
    assert counted == ["heldout"]
    assert (made.stat().st_ino, made.read_bytes()) != before
    assert made.read_bytes() == before[1]
    found(config)
    assert counted == ["heldout"]  # the next run of a sweep


def test_rebuild_does_not_touch_what_a_continued_run_has_used(
    made: Path, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experience, "_REBUILT", set())
    found(configured(made.parent.parent, rebuild=True) | {"resume": True})
    assert counted == []


@pytest.mark.parametrize("damage", [b"", b"{}\n", b"\xff\n"], ids=str)
def test_a_broken_base_is_said_and_made_anew(damage: bytes, made: Path, counted: list[str]) -> None:
    before = made.read_bytes()
    made.write_bytes(damage)
    _, told = found(configured(made.parent.parent))
    assert "it is made anew now" in told
    assert counted == ["heldout"]
    assert made.read_bytes() == before


def test_what_an_interruption_left_goes_on(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = configured(tmp_path)

    def interrupted(*args: Any, **settings: Any) -> Any:
        def stop(record: Any, timing: Any) -> None:
            raise KeyboardInterrupt

        return evaluate(*args, **settings | {"on_dialogue": [stop]})

    with monkeypatch.context() as patch:
        patch.setattr(experience, "evaluate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            found(config)
    (folder,) = tmp_path.iterdir()
    assert not (folder / "base.jsonl").exists()
    held = folder / "making" / "heldout" / "records.jsonl"
    assert len(held.read_text(encoding="utf-8").splitlines()) == 1
    told: list[Any] = []

    def watched(*args: Any, **settings: Any) -> Any:
        return evaluate(*args, **settings | {"on_dialogue": [lambda r, t: told.append(r)]})

    with monkeypatch.context() as patch:
        patch.setattr(experience, "evaluate", watched)
        file, _ = found(config)
    assert [record["episode"] for record in told] == [1, 2]
    assert file.read_bytes() == made.read_bytes()
    assert not (folder / "making").exists()


def test_what_an_interruption_left_may_be_broken(made: Path, tmp_path: Path) -> None:
    config = configured(tmp_path)
    held = tmp_path / made.parent.name / "making" / "heldout"
    held.mkdir(parents=True)
    (held / "records.jsonl").write_text("no record\n")
    with pytest.raises(RunError, match=r"cannot be used .* remove .*making, or add experience\.re"):
        found(config)
    config["experience"]["rebuild"] = True
    assert found(config)[0].read_bytes() == made.read_bytes()


def _in_a_process(folder: str, data: str, done: Any) -> None:
    os.environ["CRS_DATA"] = data
    file, told = found(configured(Path(folder)))
    done.put((file.read_bytes(), told))


def test_two_processes_make_one_base(made: Path, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    done = context.Queue()
    arguments = (str(tmp_path), os.environ["CRS_DATA"], done)
    processes = [context.Process(target=_in_a_process, args=arguments) for _ in range(2)]
    for process in processes:
        process.start()
    results = [done.get(timeout=120) for _ in processes]
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert {content for content, _ in results} == {made.read_bytes()}
    # Who comes second waits, or finds it finished.
    assert sum("making experience" in told for _, told in results) == 1


def test_train_users_follow_where_held_out_ones_are_too_few(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world: Any = make_env(configured(tmp_path)).unwrapped
    monkeypatch.setattr(world.world, "personas", world.world.personas[:1])
    splits = world.world.splits
    told = io.StringIO()
    console = Console(file=told, width=300)
    count = len(splits.of("heldout"))
    shares = experience._shares(world.world, count + 2, console)
    assert shares == [("heldout", count), ("train", 2)]
    assert f"fewer than {count + 2} held-out users" in told.getvalue()
    assert f"{count} heldout and 2 train" in told.getvalue()
    everybody = count + len(splits.of("train"))
    with pytest.raises(RunError, match=rf"has only {everybody} users that may be learnt from"):
        experience._shares(world.world, everybody + 1, console)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"users": 0}, "experience.users must be a whole number of at least 1, not 0"),
        ({"users": True}, "experience.users must be"),
        ({"rebuild": "no"}, "experience.rebuild must be true or false"),
        ({"dir": 3}, "experience.dir must be a folder or null"),
        ({"n_el": 0}, "experience.n_el must be a whole number in 1.."),
        ({"k_el": 0}, "experience.k_el is 0: it must be at least 1"),
    ],
    ids=str,
)
def test_wrong_settings_are_named(
    changes: dict[str, Any], message: str, tmp_path: Path, samples: None
) -> None:
    config = configured(tmp_path, **changes)
    with pytest.raises(RunError, match=message):
        experience_hash(config, make_env(config))


def test_a_folder_that_cannot_be_made_is_named(samples: None, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(RunError, match=r"experience\.dir: .*file.* cannot be made or written to"):
        found(configured(tmp_path / "file"))


def test_a_base_that_fits_needs_no_writing(made: Path, counted: list[str]) -> None:
    (made.parent / "lock").unlink()
    found(configured(made.parent.parent))
    assert not (made.parent / "lock").exists()
    (made.parent / "lock").touch()
    assert counted == []


def test_planners_without_experience_need_none(samples: None, tmp_path: Path) -> None:
    config = composed("planner=ask_all")
    env = make_env(config)
    assert experience_hash(config, env) is None
    assert experience_file(config, env, Console(file=io.StringIO())) is None


def test_an_environment_without_goals_is_refused(tmp_path: Path) -> None:
    class Bare:
        unwrapped = None

    with pytest.raises(RunError, match="no goals of its own"):
        experience_hash(configured(tmp_path), Bare())


def test_a_policy_is_built_from_the_file_anywhere(made: Path) -> None:
    config = configured(made.parent.parent)
    policy = policy_factory(config, None, made)()
    assert policy.base == read_base(made)
    assert policy.settings == EASettings()
    assert check_policy(config) is type(policy)
    with pytest.raises(ValueError, match="give the file of a base"):
        make_policy(config)


def test_a_run_makes_uses_and_continues_with_its_base(
    samples: None, tmp_path: Path, counted: list[str]
) -> None:
    bases = tmp_path / "bases"
    setting = (
        "env=redial", "planner=dreams_ea", f"experience.dir={bases}", "experience.users=3",
        "experience.n_el=3", "workers=1",
    )  # fmt: skip
    records = run(tmp_path / "run", *setting, "episodes=4")
    assert [record["split"] for record in records] == ["test"] * 4
    assert counted == ["heldout"]
    (folder,) = bases.iterdir()
    assert read_base(folder / "base.jsonl").header["hash"] in folder.name
    again = run(tmp_path / "run", *setting, "episodes=6", "resume=true")
    assert again[:4] == records
    assert run(tmp_path / "whole", *setting[:-1], "workers=2", "episodes=6") == again
    assert counted == ["heldout"]


def test_a_run_does_not_go_on_with_other_experience(
    samples: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = (
        "env=redial", "planner=dreams_ea", f"experience.dir={tmp_path}", "experience.users=2",
        "experience.n_el=3", "workers=1",
    )  # fmt: skip
    run(tmp_path / "run", *setting, "episodes=1")
    monkeypatch.setattr(experience_identity, "code_digest", lambda: "another")
    told = refusal(tmp_path / "run", *setting, "episodes=2", "resume=true")
    assert "experience_hash differ" in told
    assert len(rows(tmp_path / "run" / "records.jsonl")) == 1


def test_the_command_line_names_the_group(tmp_path: Path, samples: None) -> None:
    run_here(
        *FEW, f"experience.dir='{tmp_path / 'bases'}'", "experience.users=2", "experience.n_el=2",
        "episodes=1", f"run_dir='{tmp_path / 'run'}'", "workers=1",
    )  # fmt: skip
    assert len(rows(tmp_path / "run" / "records.jsonl")) == 1
