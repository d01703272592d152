"""Writing a comparison: the files, each whole or not at all, and the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.comparison.comparing import Comparison, compare_runs
from evaluation.comparison.csv_text import methods_csv, paired_csv
from evaluation.comparison.errors import ComparisonError
from evaluation.comparison.latex import latex
from evaluation.comparison.markdown import markdown
from evaluation.comparison.page import html_page
from evaluation.comparison.terminal import print_comparison
from evaluation.run_dir import write_whole

if TYPE_CHECKING:
    from rich.console import Console

TITLE = "Comparison"
_WRITERS: dict[str, tuple[tuple[str, Callable[[Comparison, str], str]], ...]] = {
    "md": (("comparison.md", markdown),),
    "csv": (
        ("comparison.csv", lambda comparison, _: methods_csv(comparison)),
        ("comparison_tests.csv", lambda comparison, _: paired_csv(comparison)),
    ),
    "tex": (("comparison.tex", latex),),
    "html": (("comparison.html", html_page),),
}
FORMATS = ("terminal", *_WRITERS)
"""What a comparison can be shown as."""


def write_comparison(
    paths: Sequence[Path],
    out_dir: Path,
    title: str = TITLE,
    console: Console | None = None,
    against: str | None = None,
    metrics: Sequence[str] | None = None,
    formats: Sequence[str] = FORMATS,
    transcripts: bool = True,
) -> list[Path]:
    """Compare runs, print the table and write the files.

    Args:
        paths: As :func:`evaluation.comparison.compare_runs` takes them.
        out_dir: Where the files go; created if needed, files of these names are replaced.
        title: Heads every form.
        console: For the terminal's tables; None prints nothing.
        against: The reference, see :func:`compare_runs`.
        metrics: The columns, see :func:`compare_runs`.
        formats: Some of :data:`FORMATS`.
        transcripts: Whether the page holds what was said, as far as it fits.

    Returns:
        The files written.

    Raises:
        ComparisonError: The runs cannot be compared, or a format is unknown.
        RecordError: A file of a run is corrupt.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise ComparisonError(f"there is no format {unknown[0]!r}; there are {', '.join(FORMATS)}")
    files = [file for name in formats if name in _WRITERS for file in _WRITERS[name]]
    if files and out_dir.exists() and not out_dir.is_dir():
        raise ComparisonError(f"{out_dir} is a file; give a directory with --out")
    comparison = compare_runs(paths, against, metrics, texts=transcripts and "html" in formats)
    if console is not None and "terminal" in formats:
        print_comparison(comparison, title, console)
    written = []
    for name, write in files:
        out_dir.mkdir(parents=True, exist_ok=True)
        write_whole(out_dir / name, write(comparison, title))
        written.append(out_dir / name)
    return written
