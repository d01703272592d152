"""``judge=true``: at its end a run's dialogues are judged by their transcripts too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conf.models import model_settings
from conf.run_errors import RunError
from evaluation.judge_run import judge_dialogues
from evaluation.protocols import has_dialogues
from evaluation.summary import Summary, read_summary
from language.llm.settings import read_settings

ROLE = "judge"


def is_judged(config: Mapping[str, Any]) -> bool:
    """Whether the run is judged at its end.

    Raises:
        RunError: ``judge`` is neither true nor false.
    """
    wanted = config["judge"]
    if not isinstance(wanted, bool):
        raise RunError(f"judge must be true or false, not {wanted!r}")
    return wanted


def judged_by_model(config: Mapping[str, Any]) -> bool:
    """Whether a language model is the judge of a run that is judged."""
    return is_judged(config) and read_settings(config["llm"]).roles[ROLE].is_model


def check_judge(config: Mapping[str, Any], env: Any) -> tuple[str, ...]:
    """Find out before a run whether its dialogues could be judged; the roles that this asks.

    Raises:
        RunError: They could not.
    """
    if not is_judged(config):
        return ()
    if not has_dialogues(env) or getattr(env.unwrapped, "catalog", None) is None:
        raise RunError(
            f"judge=true reads dialogues about a catalogue's items, and env.id="
            f"{config['env']['id']} has none; leave judge=false"
        )
    return (ROLE,)


def judge_run_of(config: Mapping[str, Any], env: Any, run_dir: Path) -> Summary:
    """Judge the finished dialogues of a run; the whole summary, with what the judge says.

    A model that has judged a dialogue is not asked again when the run is started again.

    Args:
        config: All settings, with the addresses of this start.
        env: The run's environment.
        run_dir: Its directory, which this process has locked, with records and a summary.

    Raises:
        RecordError: No dialogue could be judged.
        RunStopped: The judge refuses to go on; ``resume=true`` continues.
    """
    judge_dialogues(run_dir, env.unwrapped.catalog, model_settings(config))
    return read_summary(run_dir)
