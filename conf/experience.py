"""The experience base of a run: found where an earlier run made it, or made now."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from rich.console import Console

from conf.environments import env_factory
from conf.experience_identity import SEED, base_config, header_of
from conf.experienced import EXPERIENCED
from conf.models import accounted, model_settings, models_of_run, release_models
from conf.policies import dreams_settings
from conf.run_errors import UNWRITABLE, RunError, is_below
from conf.workers import team_of
from dialogue.experience import FORMAT, ExperienceBase, ExperienceError, read_base, write_base
from envs.world import World
from evaluation.progress import progress_bar
from evaluation.record_check import checked_records
from evaluation.records import Record, RecordError
from evaluation.runner import evaluate
from language.llm.roles import open_roles
from planners.dreams import Dreams
from planners.experience.outlook import OutlookSettings
from planners.experience.recording import RecordingDreams, experiences_of
from rewards.total import make_reward

HOME = Path("~/.cache/crsgym/experience")
_REBUILT: set[Path] = set()
"""Bases that this process has made anew: once is enough for the runs of a sweep."""


def needs_experience(config: Mapping[str, Any]) -> bool:
    """Whether the planner learns from a base."""
    return config["planner"]["name"] in EXPERIENCED


def experience_hash(config: Mapping[str, Any], env: Any) -> str | None:
    """What tells the base of a run from others; None for planners without one.

    Raises:
        RunError: A setting of ``experience`` is wrong, or the environment has no goals.
    """
    if not needs_experience(config):
        return None
    _check(config)
    return str(header_of(config, _world(env))["hash"])


def experience_file(config: Mapping[str, Any], env: Any, console: Console) -> Path | None:
    """The file of the base that a run needs, made where it is missing; None where none is needed.

    A base is made in one go or continued after an interruption, is there whole or not at all, and
    is made by one process at a time: others wait for it. ``experience.rebuild=true`` makes it anew,
    except for a run that is continued.

    Args:
        config: All settings; an endpoint that ``llm=server`` starts must be up.
        env: The run's environment.
        console: Where to tell what is done.

    Raises:
        RunError: A setting of ``experience`` is wrong, or the environment has no goals.
        Exception: As :func:`evaluation.runner.evaluate`.
    """
    if not needs_experience(config):
        return None
    _check(config)
    world = _world(env)
    header = header_of(config, world)
    folder = _home(config) / f"{config['env']['name']}-{header['hash']}"
    path = folder / "base.jsonl"
    anew = config["experience"]["rebuild"] and not config["resume"] and path not in _REBUILT
    before = _stamp(path)
    with _placed(folder):
        if path.is_dir():
            raise RunError(f"experience.dir: {path} is a directory where a base goes; remove it")
        if anew or not _fits(path, header, None):  # what fits may lie where nothing can be written
            with _opened(folder) as lock, _alone(lock, folder, console):
                stale = anew and _stamp(path) == before  # another process may just have made it
                if stale:
                    shutil.rmtree(folder / "making", ignore_errors=True)
                if stale or not _fits(path, header, console):
                    _make(config, world, header, path, console)
                _REBUILT.add(path)
    _tell(path, console)
    return path


def recording_policy(config: Mapping[str, Any]) -> RecordingDreams:
    """The Dreams that makes a base, by the configuration of the run that does.

    Raises:
        ValueError: A constant is out of range.
    """
    settings = dreams_settings(config["planner"])
    outlook = OutlookSettings(
        settings.refinement, settings.imagination, settings.user_model, settings.goals
    )
    reward = make_reward(config["reward"]["terms"])
    return RecordingDreams(Dreams(settings, reward, open_roles(model_settings(config))), outlook)


def _make(
    config: Mapping[str, Any], world: World, header: dict[str, Any], path: Path, console: Console
) -> None:
    """Let the users talk to Dreams, and write what was noted."""
    making, settings = path.parent / "making", base_config(config)
    records: list[Record] = []
    for split, count in _shares(world, config["experience"]["users"], console):
        try:
            records += _hold(settings, making / split, split, count, console)
        except RecordError as error:
            raise RunError(
                f"dialogues of the experience base that were begun earlier cannot be used "
                f"({error}); remove {making}, or add experience.rebuild=true"
            ) from error
    found = tuple(experiences_of(records, config["reward"]["discount"]))
    outcomes = {(entry.split, entry.episode): entry.success for entry in found}
    if not found:
        raise RunError(
            f"no dialogue of the experience base could be finished; see {making}, and try again"
        )
    counts = {"dialogues": len(outcomes), "successes": sum(outcomes.values())}
    write_base(path, ExperienceBase({"format": FORMAT, **header, **counts}, found))
    shutil.rmtree(making, ignore_errors=True)  # it holds goals and personas; a base does not


def _hold(
    config: dict[str, Any], run_dir: Path, split: str, count: int, console: Console
) -> list[Record]:
    checked_records(run_dir)
    team = team_of(config, count)
    label = f"making experience ({split})"
    with accounted(config, run_dir) as booking, progress_bar(console, label) as progress:
        return evaluate(
            env_factory(config, split=split),
            partial(recording_policy, config),
            episodes=count,
            seed=SEED,
            run_dir=run_dir,
            split=split,
            workers=team.workers,
            threads=team.threads,
            resume=True,
            progress=progress,
            on_dialogue=list(booking),
            release=partial(release_models, config),
            models=models_of_run(config),
            cluster=team.cluster,
        ).records


def _shares(world: World, users: int, console: Console) -> list[tuple[str, int]]:
    """How many dialogues each split holds: held-out users first, then train ones."""
    found, left = [], users
    for split in ("heldout", "train"):
        there = len(world.splits.of(split)) * len(world.personas)
        if taken := min(left, there):
            found.append((split, taken))
            left -= taken
    told = " and ".join(f"{count} {split}" for split, count in found)
    if left:
        raise RunError(
            f"experience.users={users}: {world.catalog.source} has only {users - left} users that "
            f"may be learnt from ({told or 'none'}); ask for fewer, or use more items"
        )
    if [split for split, _ in found] != ["heldout"]:
        console.print(
            f"Note: fewer than {users} held-out users; the experience comes from {told} users.",
            markup=False,
            highlight=False,
        )
    return found


def _opened(folder: Path) -> BinaryIO:
    """The folder's lock file, open; the folder is made as needed."""
    folder.mkdir(parents=True, exist_ok=True)
    return (folder / "lock").open("ab")


@contextmanager
def _placed(folder: Path) -> Iterator[None]:
    """Make errors of files in the folder name its setting: the run's own files are elsewhere."""
    try:
        yield
    except OSError as error:
        named = error.filename
        inside = named is not None and is_below(Path(os.fsdecode(named)), folder)
        if not inside and (named is not None or error.errno not in UNWRITABLE):
            raise
        raise RunError(
            f"experience.dir: {named or folder} cannot be made or written to ({error.strerror}); "
            f"give a folder of your own with experience.dir=DIR"
        ) from error


def _fits(path: Path, header: Mapping[str, Any], console: Console | None) -> bool:
    """Whether a whole base of the right hash is there; of a broken one the console is told."""
    if not path.exists():
        return False
    try:
        return bool(read_base(path).header["hash"] == header["hash"])
    except ExperienceError as error:
        if isinstance(error.__cause__, PermissionError):  # it may be whole, and somebody else's
            raise RunError(
                f"experience.dir: {path} cannot be read ({error.__cause__.strerror}); make it "
                f"readable, or give a folder of your own with experience.dir=DIR"
            ) from error
        if console is not None:
            console.print(f"Note: {error}; it is made anew now.", markup=False, highlight=False)
        return False


def _tell(path: Path, console: Console) -> None:
    base = read_base(path)
    head = base.header
    console.print(
        f"Experience: {len(base.experiences)} decisions of {head['dialogues']} dialogues "
        f"({head['successes']} successful) in {path}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


@contextmanager
def _alone(lock: BinaryIO, folder: Path, console: Console) -> Iterator[None]:
    """Hold the folder's lock, where the system has such locks; it ends with the process."""
    try:
        import fcntl
    except ImportError:  # Windows has none
        yield
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        console.print(f"Waiting for another process that makes experience in {folder} ...")
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError:
        pass  # some network file systems have no locks
    yield


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino


def _home(config: Mapping[str, Any]) -> Path:
    chosen = config["experience"]["dir"]
    return Path(os.path.expanduser(HOME if chosen is None else chosen))


def _world(env: Any) -> World:
    world = getattr(env.unwrapped, "world", None)
    if not isinstance(world, World):
        raise RunError(
            "this planner learns from dialogues with held-out users, and the environment has no "
            "goals of its own; use one of this project's environments"
        )
    return world


def _check(config: Mapping[str, Any]) -> None:
    """Find wrong settings of the group before anything is made."""
    group = config["experience"]
    if not isinstance(group["rebuild"], bool):
        raise RunError(f"experience.rebuild must be true or false, not {group['rebuild']!r}")
    users = group["users"]
    if not isinstance(users, int) or isinstance(users, bool) or users < 1:
        raise RunError(f"experience.users must be a whole number of at least 1, not {users!r}")
    if group["dir"] is not None and not isinstance(group["dir"], str):
        raise RunError(f"experience.dir must be a folder or null, not {group['dir']!r}")
    try:
        recording_policy(base_config(config))
    except (TypeError, ValueError) as error:
        raise RunError(str(error).replace("planner.", "experience.")) from error
