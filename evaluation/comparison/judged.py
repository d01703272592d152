"""What a judge said of a run's dialogues, by episode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.agreement import agreement_summary
from evaluation.judge import Judgement
from evaluation.judgements import JUDGEMENTS, judgement_of
from evaluation.metrics import Tallies
from evaluation.reading import is_dialogue
from evaluation.records import Record, RecordError, complete_lines
from evaluation.tally import Tally

_KEYS = ("judge", "turns", "fge2", "pe2")
_HEAVY = ("trace", "state", "system", "user")


class JudgedRun(NamedTuple):
    """Judgements of one run.

    Attributes:
        judge: Who judged: ``embedded``, or the model's name.
        records: The judged dialogues, without what no label reads.
        judgements: One for each.
        unjudged: Number of dialogues that count and have no judgement.
    """

    judge: str
    records: tuple[Record, ...]
    judgements: tuple[Judgement, ...]
    unjudged: int

    @property
    def episodes(self) -> tuple[tuple[str, int], ...]:
        """Split and episode of each, which the seeds of a method share."""
        return tuple((str(record.get("split")), int(record["episode"])) for record in self.records)


def read_judged(run_dir: Path, records: Sequence[Record]) -> JudgedRun | None:
    """The judgements of these dialogues, None where the run was not judged.

    Raises:
        RecordError: A line is corrupt, or is about other dialogues than the records.
    """
    lines = [line for line, _ in complete_lines(run_dir / JUDGEMENTS, _KEYS)]
    if not lines or not all(is_dialogue(record) for record in records):
        return None
    judges = sorted({str(line["judge"]) for line in lines})
    by_episode = {line["episode"]: _judgement(run_dir, line) for line in lines}
    found = [(r, by_episode[r["episode"]]) for r in records if r["episode"] in by_episode]
    for record, judgement in found:
        if len(record["turns"]) != len(judgement.turns):
            raise RecordError(
                f"{run_dir / JUDGEMENTS}: the judgement of episode {record['episode']} is of "
                f"another dialogue; judge the run again: python -m evaluation.judge_run {run_dir}"
            )
    slim = tuple(_slim(record) for record, _ in found)
    return JudgedRun(", ".join(judges), slim, tuple(j for _, j in found), len(records) - len(found))


def judged_tallies(runs: Iterable[JudgedRun]) -> Tallies:
    """``judge_cge2`` (dreams Eq. 20), ``judge_fge2`` and ``judge_pe2`` (Eq. 10), pooled."""
    found = [judgement for run in runs for judgement in run.judgements]
    return {
        "judge_cge2": Tally.of(judgement.cge2_counts() for judgement in found),
        "judge_fge2": Tally.mean_of(judgement.fge2 for judgement in found),
        "judge_pe2": Tally.mean_of(judgement.pe2 for judgement in found),
    }


def agreement_of(runs: Sequence[JudgedRun]) -> dict[str, Any]:
    """Agreement with the exact labels (:func:`evaluation.agreement.agreement_summary`), pooled."""
    records = [record for run in runs for record in run.records]
    return agreement_summary(records, [j for run in runs for j in run.judgements])


def _judgement(run_dir: Path, line: dict[str, Any]) -> Judgement:
    try:
        return judgement_of(line)
    except (KeyError, TypeError) as error:
        raise RecordError(
            f"{run_dir / JUDGEMENTS}: the line of episode {line['episode']} is no judgement "
            f"({error}); judge the run again: python -m evaluation.judge_run {run_dir}"
        ) from error


def _slim(record: Record) -> Record:
    turns = [{k: v for k, v in turn.items() if k not in _HEAVY} for turn in record["turns"]]
    return {**record, "turns": turns}
