"""Successive halving: many settings on few dialogues, the best of them again on more.

The first round tries everything; each later one keeps the best few of the round before, always
beside the defaults, on dialogues of its own: what looked best by luck is found out there. A
round's trials all hold the same dialogues, so that their differences are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from benchmarks.tuning.log import Trial, TrialLog
from benchmarks.tuning.space import Settings
from benchmarks.tuning.trying import Bench

Tell = Callable[[Trial], None]


class Round(NamedTuple):
    """One round.

    Attributes:
        keeps: Settings that it tries beside the defaults; None: all.
        times: Its dialogues in units of the first round's.
        share: Of a learning agent's training that a trial is given.
    """

    keeps: int | None
    times: int
    share: float


ROUNDS = (Round(None, 1, 1 / 16), Round(8, 4, 1 / 8), Round(3, 10, 1 / 4))


def budget(trials: int, episodes: int) -> int:
    """Most dialogues of a whole tuning."""
    return sum(
        (1 + (trials if one.keeps is None else min(one.keeps, trials))) * one.times * episodes
        for one in ROUNDS
    )


def tune(
    bench: Bench, log: TrialLog, settings: Sequence[Settings], episodes: int, tell: Tell
) -> list[Trial]:
    """All rounds; those of the trials that are logged are not made again.

    Args:
        bench: Where trials are made.
        log: What was made before, and is added to.
        settings: By number; 0 are the defaults.
        episodes: Dialogues of a trial in the first round.
        tell: Called with each trial, made now or before.

    Returns:
        The last round's trials, best first.

    Raises:
        TuningError: Settings make no policy, or the log is of another tuning.
    """
    for one in settings:
        bench.check(one)
    numbers, first = list(range(len(settings))), 0
    ranked: list[Trial] = []
    for number, stage in enumerate(ROUNDS):
        dialogues = stage.times * episodes
        if stage.keeps is not None:
            numbers = _kept(ranked, stage.keeps)
        planned = [
            bench.planned(number, trial, settings[trial], first, dialogues, stage.share)
            for trial in numbers
        ]
        ranked = sorted(_made(bench, log, planned, tell), key=_best_first)
        first += dialogues
    return ranked


def _kept(ranked: Sequence[Trial], count: int) -> list[int]:
    best = [trial.trial for trial in ranked if trial.trial][:count]
    return [0, *sorted(best)]


def _best_first(trial: Trial) -> tuple[float, float, int]:
    success, earned = trial.objective
    return -success, -earned, trial.trial


def _made(bench: Bench, log: TrialLog, planned: Sequence[Trial], tell: Tell) -> Iterator[Trial]:
    for trial in planned:
        found = log.find(trial)
        if found is None:
            found = bench.run(trial)
            log.add(found)
        tell(found)
        yield found
