"""Look into experience bases: ``python -m planners.experience show FILE``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from dialogue.experience import Experience, ExperienceBase
    from planners.experience.showing import Numbered
    from planners.experience.similarity import Pair

INTERRUPTED = 128 + 2
"""Exit code after Ctrl-C, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and show; errors that a user can act on end with a message."""
    try:
        _main(arguments)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _main(arguments: Sequence[str] | None) -> None:
    """What is slow to import is imported in here, where Ctrl-C is waited for."""
    from rich.console import Console

    from dialogue.experience import ExperienceError, read_base

    options = _parser().parse_args(arguments)
    console = Console()
    try:
        _show(options, read_base(options.file), console)
    except (ExperienceError, _ChoiceError) as error:
        sys.exit(f"planners.experience: {error}")


class _ChoiceError(ValueError):
    """A case or action that the base does not have."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m planners.experience", description=__doc__)
    commands = parser.add_subparsers(required=True)
    show = commands.add_parser("show", help="show a base, some of its cases, or one in full")
    show.add_argument("file", type=Path, help="a base, as experience.dir holds them")
    show.add_argument("--action", help="cases that took this action")
    outcome = show.add_mutually_exclusive_group()
    outcome.add_argument("--success", action="store_true", help="cases of successful dialogues")
    outcome.add_argument("--failure", action="store_true", help="cases of the others")
    show.add_argument("--turn", type=int, help="cases of this turn (1 is the first)")
    show.add_argument("--limit", type=_count, default=20, help="cases listed, 20 by default")
    show.add_argument("--case", type=_count, metavar="NUMBER", help="this case in full")
    show.add_argument(
        "--nearest", type=_count, metavar="K", help="with --case: the K cases on each side that "
        "are most alike, from other dialogues"
    )  # fmt: skip
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _show(options: argparse.Namespace, base: ExperienceBase, console: Console) -> None:
    from planners.experience.showing import show_actions, show_cases, show_header

    numbered = list(enumerate(base.experiences, start=1))
    if options.case is not None:
        _show_one(options, base, numbered, console)
        return
    if options.nearest is not None:
        raise _ChoiceError("--nearest needs --case NUMBER: the case that others are compared with")
    actions = base.header["actions"]
    if options.action is not None and options.action not in actions:
        raise _ChoiceError(f"no action {options.action!r}; there are {', '.join(actions)}")
    cases = [
        (number, case)
        for number, case in numbered
        if (options.action is None or case.action == options.action)
        and (options.turn is None or case.turn == options.turn)
        and (not options.success or case.success)
        and (not options.failure or not case.success)
    ]
    show_header(console, base)
    show_actions(console, base)
    show_cases(console, cases, options.limit)


def _show_one(
    options: argparse.Namespace,
    base: ExperienceBase,
    numbered: Sequence[Numbered],
    console: Console,
) -> None:
    from planners.experience.showing import show_case, show_nearest

    if options.case > len(numbered):
        raise _ChoiceError(f"no case {options.case}; there are {len(numbered)}")
    number, case = numbered[options.case - 1]
    show_case(console, number, case)
    if options.nearest is not None:
        pair = nearest_cases(base, case, options.nearest)
        show_nearest(console, pair, {id(case): number for number, case in numbered})


def nearest_cases(base: ExperienceBase, case: Experience, count: int) -> Pair:
    """The cases of other dialogues that are most like a case, by the default weights.

    Raises:
        ExperienceError: A case lacks a fact that similarity is computed from.
    """
    from dialogue.experience import ExperienceError
    from planners.experience.similarity import CaseIndex, SimilaritySettings

    others = [
        other
        for other in base.experiences
        if (other.split, other.episode) != (case.split, case.episode)
    ]
    try:
        index = CaseIndex(others, tuple(case.state), SimilaritySettings())
        return index.nearest(case.state, case.facts, count)
    except (KeyError, ValueError) as error:
        raise ExperienceError(f"cases cannot be compared: {error}") from error


if __name__ == "__main__":
    main()
