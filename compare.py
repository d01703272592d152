"""Compare runs: a table of methods by metrics, paired tests, and a page with every transcript.

    python compare.py runs/redial-dreams-* runs/redial-ask_all-*

A RUN is the directory of a run (run_dir of train.py), a directory with runs inside, or a pattern.
Runs that differ only in their seed are one method. Exit codes: 0 done, 1 the runs cannot be
compared, 2 the command line cannot be understood.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

OUT = Path("runs") / "comparison"
INTERRUPTED = 128 + 2
"""Exit code after Ctrl-C, as shells have it."""


def _parser() -> argparse.ArgumentParser:
    from evaluation.comparison import FORMATS

    parser = argparse.ArgumentParser(
        prog="compare.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runs", nargs="+", type=_path, metavar="RUN", help="runs to compare")
    parser.add_argument(
        "--out", type=_path, default=OUT, metavar="DIR", help=f"where the files go ({OUT})"
    )
    parser.add_argument("--title", default="Comparison", help="heads every form")
    parser.add_argument(
        "--against",
        metavar="NAME",
        help="the method that others are tested against (the one with the highest success; p is "
        "then corrected over all pairs, since the results chose it)",
    )
    parser.add_argument(
        "--metrics", metavar="KEY,...", type=_words, help="columns, by their keys in summary.json"
    )
    parser.add_argument(
        "--format",
        metavar="NAME,...",
        type=_words,
        default=list(FORMATS),
        help=f"some of {', '.join(FORMATS)} (all)",
    )
    parser.add_argument(
        "--no-transcripts",
        dest="transcripts",
        action="store_false",
        help="leave what was said out of the page: small, and free of the catalogue's items",
    )
    return parser


def _path(text: str) -> Path:
    if not text.strip():  # pathlib would take it for the current directory
        raise argparse.ArgumentTypeError("give the name of a directory")
    return Path(text)


def _words(text: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise argparse.ArgumentTypeError("give at least one name")
    return words


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; errors that a user can act on are one line."""
    try:
        _main(arguments)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _main(arguments: Sequence[str] | None) -> None:
    """What is slow to import is imported in here, where Ctrl-C is waited for."""
    from rich.console import Console

    from evaluation.comparison import ComparisonError, write_comparison
    from evaluation.plaintext import one_line
    from evaluation.records import RecordError

    if isinstance(sys.stdout, TextIOWrapper):  # a frame or a title must not end the command where
        sys.stdout.reconfigure(errors="replace")  # the terminal knows only ASCII
    args = _parser().parse_args(arguments)
    console = Console()
    try:
        _check_reachable(args.runs)
        written = write_comparison(
            args.runs,
            args.out,
            args.title,
            console,
            args.against,
            args.metrics,
            args.format,
            args.transcripts,
        )
    except (ComparisonError, RecordError) as error:
        sys.exit(f"compare.py: {one_line(str(error))}")  # names in it may hold anything
    except OSError as error:
        place = f" ({one_line(str(error.filename))})" if error.filename else ""
        sys.exit(f"compare.py: a file cannot be read or written{place}: {error.strerror}")
    for path in written:
        console.print(f"Wrote {path}", markup=False, highlight=False, soft_wrap=True)


def _check_reachable(paths: Sequence[Path]) -> None:
    """Raise what keeps a path from being looked at, which is not that it does not exist."""
    for path in paths:
        try:
            place = path.expanduser()
            place.stat()
            if place.is_dir():
                os.scandir(place).close()
        except PermissionError:
            raise
        except (OSError, ValueError, RuntimeError):
            continue  # a pattern, or nothing: the search for runs says which


if __name__ == "__main__":
    main()
