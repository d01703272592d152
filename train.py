"""Run a planner, or train an agent, on a conversational recommendation environment.

    python train.py env=redial planner=dreams
    python train.py -m planner=dreams,ask_all seed=0,1,2

Everything else is in ``conf/``; ``python train.py --help`` shows it.
"""

from __future__ import annotations

import sys
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

SETTINGS = {"--cfg", "-c", "--info", "-i"}
"""Flags by which Hydra shows the settings of one run."""
SHOWING = {"--help", "-h", "--hydra-help", "--version", *SETTINGS}
"""Flags by which Hydra shows something and runs nothing."""

INTERRUPTED = 128 + 2
"""Exit code after Ctrl-C, as shells have it."""


@hydra.main(config_path="conf", config_name="config", version_base="1.3")
def run(config: DictConfig) -> None:
    """Hydra's entry: plain values from here on."""
    from conf.run import run_experiment

    plain: Any = OmegaConf.to_container(config, resolve=True)
    run_experiment(plain, HydraConfig.get().overrides.task)


def main() -> None:
    """Check the command line, run, and print errors that a user can act on without a traceback."""
    arguments = sys.argv[1:]
    if not SHOWING & set(arguments):
        from conf.overrides import OverrideError, check_single, is_sweep

        if is_sweep(arguments):
            from conf.sweep import run_sweep

            run_sweep(arguments)
            return
        try:
            check_single(arguments)
        except OverrideError as error:
            sys.exit(f"train.py: {error}")
    elif SETTINGS & set(arguments) and {"-m", "--multirun"} & set(arguments):
        sys.exit("train.py: --cfg and --info show the settings of one run; leave out -m")
    run()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:  # later ones are told with how to continue
        sys.stderr.write("train.py: interrupted before anything began\n")
        sys.exit(INTERRUPTED)
