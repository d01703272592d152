"""Judge a finished run: CGE2, FGE2 and PE2 as a reader of the transcripts sees them.

    python -m evaluation.judge_run RUN_DIR [key=value ...]

Keys are those of the config group ``llm`` (``backend=openai model=gpt-4o-mini``,
``roles.judge.backend=embedded``), in place of what the run itself was made with. The judgements go
into ``judgements.jsonl``, their rates into ``summary.json`` as ``judge_cge2``, ``judge_fge2`` and
``judge_pe2`` with their agreement with the exact ones (``judge_cge2_alpha``, ``_macro_f1``,
``_spearman``, ...; ``judge_intent_alpha`` of what turns are for); those of another judge are
replaced. ``python train.py judge=true`` does the same at the end of a run. What a model has judged
it is not asked again: the same command continues after an interruption, and judges what could not
be judged. To have all judged anew, remove ``judgements.jsonl``. A run made with ``llm=server``
started its own server, which ended with it: start one with ``python -m serving``, or give
``backend=embedded``.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from catalogs.catalog import Catalog
from catalogs.domain import DomainError
from catalogs.rows import CatalogError
from catalogs.sources import open_catalog
from evaluation.account import charge, read_account
from evaluation.agreement import JUDGED, Agreement, agreement_summary, compare
from evaluation.failures import is_failed
from evaluation.judge import EmbeddedJudge, Judge, Judgement, ModelJudge
from evaluation.judgements import JUDGEMENTS, Judged, Judging, add_to_summary, judged_rates
from evaluation.model_usage import NAMES, sum_by_role
from evaluation.reading import is_dialogue
from evaluation.records import Record, RecordError, read_records
from evaluation.run_dir import RunDirError, locked
from evaluation.summary import Summary, read_summary
from evaluation.transcript import Listener, lines_of
from language.llm.errors import DialogueFailed, ModelError, RunStopped
from language.llm.roles import Roles, open_roles
from language.llm.usage import collect
from language.prompts.judging import PROMPT

CONFIG = "config.yaml"
INTERRUPTED = 128 + 2
"""Exit code after Ctrl-C, as shells have it."""

_OF_THE_RUN = ("max_cost_usd", "max_calls", "record", "replay", "scorer")
"""Settings that belong to the run that was judged: its budget and its frozen answers."""

_PROBLEMS = (
    CatalogError, DomainError, FileNotFoundError, ModelError, RecordError, RunDirError, ValueError,
)  # fmt: skip


def judge_run(run_dir: Path, overrides: Sequence[str] = ()) -> Summary:
    """Judge a run and return what went into its summary.

    Args:
        run_dir: A finished run.
        overrides: ``key=value`` of the config group ``llm``.

    Raises:
        FileNotFoundError: The run has no configuration or no summary.
        RecordError: Its records cannot be judged.
        ValueError: A setting is impossible, or the run's items are not at hand.
        RunStopped: A model refuses to go on; what it has judged is kept for the next start.
    """
    config = _config(run_dir)
    settings = _settings(config.get("llm") or {}, overrides)
    with locked(run_dir):
        items = partial(_catalog, config, run_dir)
        values, records, found = _judge_dialogues(run_dir, items, settings)
    _tell(run_dir, values, compare(records, found))
    return values


def judge_dialogues(run_dir: Path, catalog: Catalog, settings: Mapping[str, Any]) -> Summary:
    """Judge the dialogues of a run whose directory is this process's alone.

    The judge gets the transcript's lines and the catalogue, nothing else of the records. A budget
    in the settings is charged with what the run itself and earlier starts of judging have spent.

    Args:
        run_dir: A run with records and a summary; what is judged goes there.
        catalog: The run's items.
        settings: The group ``llm`` as plain values.

    Returns:
        What went into ``summary.json``.

    Raises:
        RecordError: The records cannot be judged.
        ValueError: A setting is impossible.
        RunStopped: As :func:`judge_run`.
    """
    return _judge_dialogues(run_dir, lambda: catalog, settings)[0]


def _judge_dialogues(
    run_dir: Path, items: Callable[[], Catalog], settings: Mapping[str, Any]
) -> tuple[Summary, list[Record], list[Judgement]]:
    """What went into the summary, the judged dialogues, and their judgements."""
    with closing(open_roles(settings)) as roles:
        read_summary(run_dir)
        records = _dialogues(run_dir)
        judge = _judge(items(), roles)
        name = roles.described().get("judge", "embedded")
        prompt = PROMPT if roles.is_model("judge") else ""
        with closing(Judging(run_dir, name, prompt)) as judging:
            earlier = sum_by_role({"judge": counts} for counts in judging.counts())
            for account in (read_account(run_dir), earlier):
                roles.spent(*charge(account))
            found = _judge_all(judge, judging, records, roles)
            kept = [(r, j) for r, j in zip(records, found, strict=True) if j is not None]
            if not kept:
                raise RecordError(
                    f"no dialogue of {run_dir} could be judged (see above), and nothing was "
                    f"written; judge again when the model answers, or with backend=embedded"
                )
            judged, judgements = [r for r, _ in kept], [j.judgement for _, j in kept]
            values = judged_rates(judgements) | agreement_summary(judged, judgements)
            values |= _account(name, found)
            judging.finish(judged)
    add_to_summary(run_dir, values)
    return values, judged, judgements


def _judge(catalog: Catalog, roles: Roles) -> Judge:
    listener = Listener(catalog)
    embedded = EmbeddedJudge(catalog, listener)
    if not roles.is_model("judge"):
        return embedded
    return ModelJudge(catalog, embedded, roles, listener)


def _judge_all(
    judge: Judge, judging: Judging, records: Sequence[Record], roles: Roles
) -> list[Judged | None]:
    """A judgement per dialogue; None where the model could not judge one."""
    one = _judging_one(judge, judging)
    if not roles.is_model("judge"):
        found = [one(record) for record in records]
    else:
        before = sum(judging.find(record) is not None for record in records)
        if before:
            sys.stderr.write(f"{before} of {len(records)} dialogues are judged already\n")
        try:
            found = roles.map(one, records)
        except (RunStopped, KeyboardInterrupt):
            done = sum(judging.find(record) is not None for record in records)
            sys.stderr.write(
                f"{done} of {len(records)} dialogues are judged; the same command continues\n"
            )
            raise
    reasons = Counter(str(entry) for entry in found if isinstance(entry, DialogueFailed))
    for reason, count in reasons.items():
        sys.stderr.write(f"{count} of {len(records)} dialogues are not judged: {reason}\n")
    return [None if isinstance(entry, DialogueFailed) else entry for entry in found]


def _judging_one(judge: Judge, judging: Judging) -> Callable[[Record], Judged | DialogueFailed]:
    """What judges one dialogue; after a RunStopped nothing more is asked."""
    stopped: list[RunStopped] = []

    def one(record: Record) -> Judged | DialogueFailed:
        known = judging.find(record)
        if known is not None:
            return known
        if stopped:
            raise stopped[0]
        try:
            with collect() as usage:
                judgement = judge.judge(lines_of(record))
        except DialogueFailed as error:
            return error
        except RunStopped as error:
            stopped.append(error)
            raise
        judged = Judged(judgement, usage.by_role().get("judge", {}))
        judging.add(record, judged)
        return judged

    return one


def _dialogues(run_dir: Path) -> list[Record]:
    records = [record for record in read_records(run_dir) if not is_failed(record)]
    if not records or not all(is_dialogue(record) for record in records):
        raise RecordError(f"{run_dir} holds no finished dialogues, so there is nothing to judge")
    return records


def _account(name: str, found: Sequence[Judged | None]) -> Summary:
    """Who judged, and what that cost, in all starts."""
    account: Summary = {"judge_model": name, "judge_failed_dialogues": found.count(None)}
    for key in NAMES:
        account[f"judge_llm_{key}"] = sum(each.llm.get(key, 0) for each in found if each)
    return account


def _config(run_dir: Path) -> dict[str, Any]:
    path = run_dir / CONFIG
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there; give the directory of a run of train.py")
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(config, dict) or not isinstance(config.get("env"), dict):
        raise ValueError(f"{path} describes no run of train.py")
    return config


def _settings(of_run: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """The run's settings without its budget and files, with the overrides applied."""
    settings = {key: value for key, value in of_run.items() if key not in _OF_THE_RUN}
    for override in overrides:
        name, equals, text = override.partition("=")
        *groups, key = name.removeprefix("llm.").split(".")
        if not equals or not key:
            raise ValueError(f"{override!r} is no setting; write key=value, as backend=openai")
        place = settings
        for group in groups:
            inner = place.get(group)
            place[group] = dict(inner) if isinstance(inner, Mapping) else {}
            place = place[group]
        place[key] = yaml.safe_load(text)
    return settings


def _catalog(config: Mapping[str, Any], run_dir: Path) -> Catalog:
    """The items of the run; ValueError when others are found in their place."""
    env, data = config["env"], config.get("data") or {}
    if not env.get("name"):
        raise ValueError(f"{run_dir} was not run on a catalogue of this project")
    catalog = open_catalog(
        env["name"],
        data_dir=data.get("dir"),
        domain=env.get("domain"),
        items=env.get("items"),
        strict=data.get("strict", True),
    )
    expected = config.get("catalog") or {}
    here = {"items": len(catalog), "source": catalog.source}
    if expected and expected != here:
        raise ValueError(
            f"{run_dir} was run on {expected['items']} items of {expected['source']}, but "
            f"{here['items']} items of {here['source']} are here; set CRS_DATA as it was then"
        )
    return catalog


def _tell(run_dir: Path, values: Summary, agreed: Mapping[str, Agreement | None]) -> None:
    rates = ", ".join(f"{k} {_number(values[f'judge_{k}'])}" for k in JUDGED)
    print(f"{values['judge_model']} judge: {rates}; {run_dir / JUDGEMENTS}")
    print("Agreement with the exact labels (accuracy, macro-F1, Krippendorff's alpha):")
    for name, found in agreed.items():
        if found is not None:
            print(
                f"  {name:6} {found.accuracy:.3f}  {found.macro_f1:.3f}  {_number(found.alpha):>5}"
                f"  ({found.units} {'turns' if name in ('intent', 'cge2') else 'dialogues'})"
            )
    rhos = ", ".join(f"{k} {_number(values[f'judge_{k}_spearman'])}" for k in JUDGED)
    print(f"  Spearman's rho over dialogues: {rhos}")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; errors that a user can act on are one line."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help"):
        sys.exit((__doc__ or "").strip())
    try:
        judge_run(Path(given[0]), given[1:])
    except _PROBLEMS as error:
        sys.exit(f"judge_run: {error}")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
