"""The command line of the tuning; see the package."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
from rich.console import Console

from benchmarks.tuning import __doc__ as about
from benchmarks.tuning.errors import TuningError
from benchmarks.tuning.log import Trial, TrialLog
from benchmarks.tuning.rounds import budget, tune
from benchmarks.tuning.space import candidates, read_space
from benchmarks.tuning.trying import Bench
from conf.models import has_models
from conf.overrides import CONF_DIR, OverrideError, check_overrides
from conf.run_errors import INTERRUPTED, USER_ERRORS
from evaluation.statistics import compare_paired
from evaluation.tally import Tally

TRIALS = 24
EPISODES = 60
LOGS = Path(__file__).parent


class Request(NamedTuple):
    """What the command line asks for.

    Attributes:
        trials: Settings to draw.
        episodes: Dialogues of a trial in the first round.
        log: The log's file; None: ``NAME.jsonl`` here.
        overrides: All else, as ``train.py`` takes it.
    """

    trials: int
    episodes: int
    log: Path | None
    overrides: tuple[str, ...]


def read_arguments(arguments: Sequence[str]) -> Request:
    """The command line's arguments.

    Raises:
        TuningError: A number is none, or no planner is named.
    """
    own = {"trials": str(TRIALS), "episodes": str(EPISODES), "log": ""}
    rest: list[str] = []
    for argument in arguments:
        name, _, value = argument.partition("=")
        if name in own:
            own[name] = value
        else:
            rest.append(argument)
    for name in ("trials", "episodes"):
        if not own[name].isdecimal() or int(own[name]) < 1:
            raise TuningError(f"{name} must be a whole number of at least 1, not {own[name]!r}")
    if not any(argument.startswith("planner=") for argument in rest):
        raise TuningError("say what to tune: planner=NAME")
    log = Path(own["log"]) if own["log"] else None
    return Request(int(own["trials"]), int(own["episodes"]), log, tuple(rest))


def tune_planner(request: Request, console: Console) -> list[Trial]:
    """Tune a planner and print what came of it; the last round's trials, best first.

    Raises:
        TuningError: The planner has nothing to tune, a model plays a role, or the log is of another
            tuning.
    """
    check_overrides(request.overrides)
    with initialize_config_dir(config_dir=str(CONF_DIR), version_base="1.3"):
        composed = compose("config", list(request.overrides))
    config: Any = OmegaConf.to_container(composed, resolve=True)
    if has_models(config):
        raise TuningError("policies are tuned with embedded roles; leave out llm=")
    name = config["planner"]["name"]
    space = read_space(name)
    settings = candidates(config, space, request.trials, config["seed"])
    log = TrialLog(request.log or LOGS / f"{name}.jsonl")
    most = budget(len(settings) - 1, request.episodes)
    console.print(f"{name}: {len(settings)} settings, at most {most} train dialogues; {log.path}")
    bench = Bench(config, space, console)
    try:
        ranked = tune(bench, log, settings, request.episodes, lambda t: _tell(console, t))
    finally:
        bench.close()
    _conclude(console, ranked)
    return ranked


def _tell(console: Console, trial: Trial) -> None:
    console.print(
        f"round {trial.round} trial {trial.trial:3d}: success {trial.success:.3f}, return "
        f"{trial.earned:.3f}, {trial.dialogues} dialogues, {trial.seconds:.1f} s",
        highlight=False,
    )


def _conclude(console: Console, ranked: Sequence[Trial]) -> None:
    """The best settings, and whether they beat the defaults on the same dialogues."""
    best, defaults = ranked[0], next(trial for trial in ranked if not trial.trial)
    if best.trial == 0:
        console.print("The defaults are best.")
        return
    found = compare_paired(_wins(best), _wins(defaults))
    low, high = found.interval
    console.print(
        f"Trial {best.trial} is best: success {best.success:.3f} against {defaults.success:.3f} of "
        f"the defaults on {best.dialogues} dialogues ({found.difference:+.3f}, 95 % "
        f"[{low:+.3f}, {high:+.3f}], p = {found.p_value:.3f}). Its settings:",
        highlight=False,
    )
    console.print(yaml.safe_dump(best.settings, sort_keys=False), markup=False, highlight=False)


def _wins(trial: Trial) -> Tally:
    return Tally.mean_of(float(win == "1") for win in trial.outcomes)


def main(arguments: Sequence[str]) -> None:
    """Run the command line; errors that a user can mend end the process with one line."""
    if not arguments or arguments[0] in ("-h", "--help"):
        sys.exit(about)
    try:
        tune_planner(read_arguments(arguments), Console())
    except (TuningError, OverrideError, *USER_ERRORS) as error:
        sys.exit(f"benchmarks.tuning: {error}")
    except KeyboardInterrupt:
        sys.stderr.write("benchmarks.tuning: interrupted; the same command goes on\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main(sys.argv[1:])
