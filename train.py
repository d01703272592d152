"""Run a planner, or train an agent, on a conversational recommendation environment.

    python train.py env=redial planner=dreams
    python train.py -m planner=dreams,ask_all seed=0,1,2

Everything else is in ``conf/``; ``python train.py --help`` shows it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omegaconf import DictConfig

SETTINGS = {"--cfg", "-c", "--info", "-i"}
"""Flags by which Hydra shows the settings of one run."""
SHOWING = {"--help", "-h", "--hydra-help", "--version", *SETTINGS}
"""Flags by which Hydra shows something and runs nothing."""

INTERRUPTED = 128 + 2
"""Exit code after Ctrl-C, as shells have it."""


def run(config: DictConfig) -> None:
    """Hydra's entry: plain values from here on."""
    from hydra.core.hydra_config import HydraConfig
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    from conf.run import run_experiment

    try:
        plain: Any = OmegaConf.to_container(config, resolve=True)
    except OmegaConfBaseException as error:
        sys.exit(f"train.py: {' '.join(str(error).split())}")
    run_experiment(plain, HydraConfig.get().overrides.task)


def main() -> None:
    """Check the command line, run, and print errors that a user can act on without a traceback.

    What takes long to import is imported in here, where Ctrl-C is waited for.
    """
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
    import hydra

    hydra.main(config_path="conf", config_name="config", version_base="1.3")(run)()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:  # later ones are told with how to continue
        sys.stderr.write("train.py: interrupted before anything began\n")
        sys.exit(INTERRUPTED)
