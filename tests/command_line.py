"""The command line in tests: composed configurations, and runs in processes of their own."""

import copy
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from conf.overrides import CONF_DIR
from conf.run import run_experiment

ROOT = Path(__file__).resolve().parents[1]
TRAIN = ROOT / "train.py"
FILES = {"config.yaml", "records.jsonl", "summary.json", "timings.jsonl"}


def composed(*overrides: str) -> dict[str, Any]:
    """A configuration as ``train.py`` sees it."""
    return copy.deepcopy(_compose(overrides))


@cache
def _compose(overrides: tuple[str, ...]) -> dict[str, Any]:
    with initialize_config_dir(config_dir=str(CONF_DIR), version_base="1.3"):
        plain: Any = OmegaConf.to_container(compose("config", list(overrides)), resolve=True)
    return dict(plain)


def run_here(*overrides: str) -> None:
    """Run in this process what ``train.py`` would run."""
    run_experiment(composed(*overrides))


def refused(*overrides: str) -> str:
    """The message with which a run that cannot work ends; its exit code is 1."""
    with pytest.raises(SystemExit) as ended:
        run_here(*overrides)
    message = ended.value.code  # what sys.exit prints before it exits with 1
    assert isinstance(message, str)
    assert message.startswith("train.py: ")
    return message


def process_env(data: Path, **more: str) -> dict[str, str]:
    """An environment without data sets, accounts and display; ``data`` must be empty."""
    quiet = {"OMP_NUM_THREADS": "1", "WANDB_MODE": "offline", "COLUMNS": "100"}
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return {**kept, **quiet, "CRS_DATA": str(data), **more}


def start(folder: Path, *arguments: str, **environ: str) -> "subprocess.Popen[str]":
    """Start ``train.py`` in a folder, without waiting for it."""
    return subprocess.Popen(
        [sys.executable, str(TRAIN), *arguments],
        cwd=folder,
        env=process_env(folder / "no data here", **environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def train(folder: Path, *arguments: str, code: int = 0, **environ: str) -> str:
    """Run ``train.py`` in a folder to its end; what it printed. Fails on another exit code."""
    process = start(folder, *arguments, **environ)
    out, err = process.communicate(timeout=200)
    assert process.returncode == code, f"{arguments}: exit code {process.returncode}\n{out}\n{err}"
    return out + err


def interrupt_import(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """Let Ctrl-C be pressed while a module is imported."""

    class Interrupting:
        def find_spec(self, name: str, *_: object) -> None:
            if name == module:
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr("sys.meta_path", [Interrupting(), *sys.meta_path])
