"""A progress bar for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evaluation.runner import Progress

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def progress_bar(console: Console, label: str = "dialogues") -> Iterator[Progress]:
    """A bar that ``evaluate`` moves; give it what this yields as ``progress``.

    Args:
        console: Where to; on anything but a terminal only the end state is printed.
        label: What is counted.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console) as bar:
        task = bar.add_task(label, total=None)

        def move(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield move
