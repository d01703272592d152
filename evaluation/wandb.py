"""Weights & Biases, offline without an account and never waited for."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.curves import Scalars
    from evaluation.logging import Axis

PROJECT = "crsgym"
START_SECONDS = 8.0
FINISH_SECONDS = 30.0


def wandb_mode() -> str:
    """``WANDB_MODE`` if it is set, else online with ``WANDB_API_KEY`` and offline without."""
    return os.environ.get("WANDB_MODE") or (
        "online" if os.environ.get("WANDB_API_KEY") else "offline"
    )


class WandbSink:
    """Writes a run of Weights & Biases.

    Offline runs lie in ``wandb/`` of the run directory until ``wandb sync`` uploads them. Where a
    server does not answer in time, the run goes on offline, with a warning.

    Args:
        run_dir: Directory of the run.
    """

    def __init__(self, run_dir: Path) -> None:
        import wandb

        mode = wandb_mode()
        try:
            self._run = _begin(run_dir, mode)
        except wandb.errors.Error as error:
            if mode == "offline":
                raise
            warnings.warn(
                f"Weights & Biases cannot be reached ({_first_line(error)}); logging offline to "
                f"{run_dir / 'wandb'}, upload it later with `wandb sync`",
                stacklevel=3,
            )
            self._run = _begin(run_dir, "offline")
        for axis, names in (("timesteps", "train/*"), ("episode", "evaluation/*")):
            self._run.define_metric(axis)
            self._run.define_metric(names, step_metric=axis)
        self._run.define_metric("persona/*", step_metric="episode")

    def settings(self, settings: Mapping[str, Any]) -> None:
        """Record hyperparameters as the run's config."""
        self._run.config.update(dict(settings), allow_val_change=True)

    def scalars(self, values: Scalars, step: int, axis: Axis) -> None:
        """Record named numbers, with the axis as one of them."""
        self._run.log({**values, axis: step})

    def text(self, name: str, text: str, step: int) -> None:
        """Record a text as preformatted HTML."""
        import html

        import wandb

        shown = wandb.Html(f"<pre>{html.escape(text)}</pre>", inject=False)
        self._run.log({name: shown, "episode": step})

    def result(self, values: Scalars) -> None:
        """Record the final metrics as the run's summary."""
        self._run.summary.update(values)

    def close(self) -> None:
        """End the run; what cannot be uploaded in time stays in the directory."""
        self._run.finish()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _begin(run_dir: Path, mode: str) -> Any:
    import wandb

    run_dir.mkdir(parents=True, exist_ok=True)
    # Its service writes a log of its own there, by default into the home directory.
    os.environ.setdefault("WANDB_CACHE_DIR", str((run_dir / "wandb" / "cache").absolute()))
    return wandb.init(
        project=os.environ.get("WANDB_PROJECT", PROJECT),
        name=run_dir.name,
        dir=str(run_dir),
        mode=mode,  # type: ignore[arg-type]
        settings=wandb.Settings(
            init_timeout=START_SECONDS,
            finish_timeout=FINISH_SECONDS,
            finish_timeout_raises=False,
            silent=True,
            console="off",
            disable_git=True,
            disable_code=True,
            x_disable_stats=True,
            x_disable_machine_info=True,
        ),
    )
