"""One run: train if the policy learns, evaluate, summarise, show."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console

from conf.endpoint import endpoint_for
from conf.environments import OWN, env_factory
from conf.experience import experience_file, experience_hash
from conf.groups import check_settings, with_names
from conf.judging import check_judge, is_judged, judge_run_of, judged_by_model
from conf.kinds import (
    PREFIXES,
    is_human,
    is_prefixes,
    prefix_env_factory,
    settle_kind,
    unit_noun,
    write_prefix_file,
)
from conf.models import (
    accounted,
    check_keys,
    has_models,
    models_of_run,
    release_models,
    unpriced,
)
from conf.naming import environment_label, method_name, new_directory
from conf.opening import announce, episode_count, open_env
from conf.policies import check_policy, is_learning, policy_factory
from conf.resume import CONFIG, check_place, continued, how_to_continue, keep_config
from conf.run_errors import INTERRUPTED, RunError, reason_of, verb_of
from conf.workers import check_workers, env_of_team, team_of
from evaluation.account import SPENT
from evaluation.failures import failure_line, failure_messages, settled
from evaluation.judgements import JUDGEMENTS
from evaluation.logging import LoggerKind, RunLogger, make_logger
from evaluation.model_usage import usage_lines
from evaluation.progress import progress_bar
from evaluation.protocols import check_match
from evaluation.published import PublishedRow, rows_of_judge, rows_of_planner
from evaluation.record_check import checked_records
from evaluation.records import read_records, read_timings
from evaluation.run_dir import locked, prepare_run_dir
from evaluation.runner import evaluate
from evaluation.summary import SUMMARY, Summary, catalog_facts, read_summary, write_summary
from evaluation.table import groups_table, run_table

AGENT = "agent.zip"
JUDGE = "judge_model"
"""Key of a summary that only a judged run has."""


def run_experiment(config: dict[str, Any], stated: Sequence[str] | None = None) -> None:
    """Run what a configuration describes.

    Errors that a user can act on end the process with a message.

    Args:
        config: All settings.
        stated: The overrides of the command line, if it is known what the user stated.
    """
    if isinstance(sys.stdout, TextIOWrapper):  # else a frame or a title ends the run where
        sys.stdout.reconfigure(errors="replace")  # the terminal knows only ASCII
    try:
        config = continued(with_names(config, stated or ()), stated)
        check_settings(config)
        config = {**config, "run_dir": str(_run_dir(config))}  # an interruption names it
        run_once(config, Console())
    except KeyboardInterrupt:
        sys.stderr.write(f"train.py: interrupted; {how_to_continue(config)}\n")
        leave(config)
    except Exception as error:
        reason = reason_of(error, _named_directory(config))
        if reason is None:
            raise
        sys.exit(f"train.py: {reason}")


def leave(config: Mapping[str, Any]) -> NoReturn:
    """End an interrupted process; with models at once, since their threads may wait for minutes."""
    try:
        waits = has_models(config) or judged_by_model(config)
    except (ValueError, TypeError, KeyError, AttributeError):
        waits = False  # settings that were not checked yet: no model was asked
    if waits:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)
    sys.exit(INTERRUPTED)


def run_once(config: dict[str, Any], console: Console, brief: bool = False) -> Summary:
    """Run what a configuration describes, and return its summary.

    Args:
        config: All settings.
        console: Where to tell of it.
        brief: Whether only the progress is told, as of one run among many.

    Raises:
        Exception: ``conf.run_errors.reason_of`` knows those that a user can act on.
    """
    check_settings(config)
    config = settle_kind(config)
    run_dir = _run_dir(config)
    if run_dir.exists():
        _prepare(run_dir, config["resume"])
    env = open_env(config)
    _check(config, env)
    episodes = episode_count(config, env)
    _prepare(run_dir, config["resume"])
    announce(console, env, f"{episodes} {unit_noun(config)}")
    with locked(run_dir):
        summary = _conduct(config, env, episodes, run_dir, console)
    if not brief:
        _tell_results(console, config, summary)
        _tell_files(console, run_dir, config)
    told = failure_messages(read_timings(run_dir))
    for message in told:
        console.print(f"Failed: {message}", markup=False, highlight=False, soft_wrap=True)
    if summary["episodes"] and summary["failed_dialogues"] == summary["episodes"]:
        raise RunError(f"no dialogue could be finished ({told[0]})")
    return summary


def _conduct(
    config: dict[str, Any], env: Any, episodes: int, run_dir: Path, console: Console
) -> Summary:
    """Everything from the first file to the last, in a directory that is this run's alone."""
    facts = catalog_facts(env)
    items = None if facts is None else asdict(facts)
    learnt = experience_hash(config, env)
    keep_config(run_dir, {**config, "catalog": items, "experience_hash": learnt})
    found = checked_records(run_dir)
    earlier = found[: settled(found)]  # the rest is held again
    finished = _finished(config, run_dir, earlier, episodes)
    if is_prefixes(config) and not finished:
        write_prefix_file(run_dir, finished=False)
    kind: LoggerKind = "none" if finished else config["logger"]["kind"]
    with make_logger(kind, run_dir, config["logger"]["texts"]) as logger:
        logger.start(config, earlier=earlier)
        release_models(config)  # the checks have opened them, perhaps without an address
        left = len(earlier) != episodes  # too many are an error that is found where they are used
        with endpoint_for(config) if left or is_judged(config) else nullcontext(config) as live:
            if left:
                _work(live, env, episodes, run_dir, logger, console)
            summary = write_summary(run_dir, facts)
            if is_judged(config):
                summary = judge_run_of(live, env, run_dir)
        if is_prefixes(config):
            write_prefix_file(run_dir, finished=True)
        logger.finish(summary)
    return summary


def _work(
    config: dict[str, Any],
    env: Any,
    episodes: int,
    run_dir: Path,
    logger: RunLogger,
    console: Console,
) -> None:
    """Train, and hold the dialogues that an earlier start has not held."""
    agent_file = _agent(config, run_dir, logger, console) if is_learning(config) else None
    experience = experience_file(config, env, console)
    team = team_of(config, episodes - len(read_records(run_dir)))
    # A person talks where the bar would be.
    bar = nullcontext() if is_human(config) else progress_bar(console, unit_noun(config))
    with accounted(config, run_dir) as booking, bar as progress:
        evaluate(
            prefix_env_factory(config) if is_prefixes(config) else env_of_team(config, env),
            policy_factory(config, agent_file, experience),
            episodes=episodes,
            seed=config["seed"],
            run_dir=run_dir,
            split=config["split"],
            workers=team.workers,
            threads=team.threads,
            resume=config["resume"],
            progress=progress,
            on_dialogue=[logger.dialogue, *booking],
            release=partial(release_models, config),
            models=models_of_run(config),
            cluster=team.cluster,
        )


def _tell_results(console: Console, config: Mapping[str, Any], summary: Summary) -> None:
    console.print(run_table(method_name(config), summary, _published(config)))
    if any(key.startswith("success_rate/persona/") for key in summary):
        console.print(groups_table(summary))
    failures = failure_line(summary)
    for line in [*usage_lines(summary, unpriced(config)), *([failures] if failures else [])]:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _run_dir(config: Mapping[str, Any]) -> Path:
    if config["run_dir"] is not None:
        return Path(config["run_dir"])
    if config["resume"]:
        raise RunError("resume=true continues a run: say which with run_dir=DIR")
    return new_directory(environment_label(config), method_name(config))


def _named_directory(config: Mapping[str, Any]) -> Path | None:
    run_dir = config.get("run_dir")
    return Path(run_dir) if isinstance(run_dir, str) else None


def _prepare(run_dir: Path, resume: bool) -> None:
    try:
        if resume:
            check_place(run_dir)
        prepare_run_dir(run_dir, resume)
    except OSError as error:
        raise RunError(
            f"run_dir={run_dir} cannot be {verb_of(error, run_dir)}: {error.strerror}; "
            f"give a directory that can be written to"
        ) from error


def _check(config: Mapping[str, Any], env: Any) -> None:
    """Find what cannot work before the run directory holds anything, or an agent is trained."""
    seed = config["seed"]
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise RunError(f"seed must be a whole number of at least 0, not {seed!r}")
    method_name(config)
    check_workers(config)
    texts = config["logger"]["texts"]
    if not isinstance(texts, int) or isinstance(texts, bool) or texts < 0:
        raise RunError(f"logger.texts must be a whole number of at least 0, not {texts!r}")
    planner, asks = config["planner"], ()
    try:
        if is_learning(config) and planner["load"] is None:
            from baselines.sb3_algorithms import find_algorithm, split_hyperparameters
            from baselines.sb3_interface import interface_of
            from baselines.sb3_training import check_training

            algorithm = find_algorithm(planner["algorithm"])
            split_hyperparameters(algorithm, planner["hyperparameters"])
            steps = planner["total_timesteps"], planner["n_envs"], seed
            check_training(algorithm, interface_of(env), *steps)
        else:
            policy = check_policy(config)
            check_match(env, policy)
            asks = tuple(getattr(policy, "asks", ()))
    except (TypeError, ValueError) as error:
        raise RunError(str(error)) from error
    check_keys(config, (*asks, *check_judge(config, env)), str(config["env"]["id"]).startswith(OWN))


def _finished(config: Mapping[str, Any], run_dir: Path, earlier: list[Any], episodes: int) -> bool:
    """Whether an earlier start of the run did everything: only its table is left to show."""
    if len(earlier) < episodes or not (run_dir / SUMMARY).exists():
        return False
    try:
        summary = read_summary(run_dir)
        return summary["episodes"] == episodes and (not is_judged(config) or JUDGE in summary)
    except (
        ValueError,
        TypeError,
        KeyError,
        RecursionError,
    ):  # broken: it is made again from the records
        return False


def _published(config: Mapping[str, Any]) -> tuple[PublishedRow, ...]:
    """The published figures beside which a run may be shown: none for an environment of others."""
    if not str(config["env"]["id"]).startswith(OWN):
        return ()
    name = config["env"]["name"]
    judge = rows_of_judge(name) if is_judged(config) else ()
    return (*rows_of_planner(name, config["planner"]["name"]), *judge)


def _agent(config: dict[str, Any], run_dir: Path, logger: RunLogger, console: Console) -> Path:
    """The file of the agent to evaluate.

    Given, trained by an earlier start of this run, or trained now.
    """
    planner = config["planner"]
    if planner["load"] is not None:
        return Path(planner["load"])
    path = run_dir / AGENT
    if path.exists():
        return path
    from baselines.sb3_training import train_agent

    with progress_bar(console, f"training {planner['name']}") as progress:
        agent = train_agent(
            planner["algorithm"],
            env_factory(config, channel="acts", split="train"),
            total_timesteps=planner["total_timesteps"],
            n_envs=planner["n_envs"],
            seed=config["seed"],
            discount=config["reward"]["discount"],
            hyperparameters=planner["hyperparameters"],
            on_scalars=logger.training,
            progress=progress,
        )
    part = path.with_name(path.name + ".part")
    agent.save(part)
    part.replace(path)
    return path


def _tell_files(console: Console, run_dir: Path, config: Mapping[str, Any]) -> None:
    files = ["summary.json", "records.jsonl", "timings.jsonl", CONFIG]
    files += [name for name in (PREFIXES, JUDGEMENTS, SPENT, AGENT) if (run_dir / name).exists()]
    console.print(f"Files in {run_dir}: {', '.join(files)}", markup=False)
    if config["logger"]["kind"] in ("tensorboard", "both"):
        console.print(f"Curves: tensorboard --logdir {run_dir / 'tensorboard'}", markup=False)
