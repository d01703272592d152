"""Tables of a given width for the terminal, with a first column of names that stay whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

EDGE = 3
"""Characters that a column's border and padding take; a table has one border more."""
LONGEST = 40
"""Characters of a name on one line; a longer one goes on in the next line, between words."""
_LEAST = 12


def plain_table(title: str) -> Table:
    """A table whose title is text, never mark-up."""
    from rich.table import Table
    from rich.text import Text

    return Table(title=Text(title), title_justify="left", show_lines=False)


def widest(cells: Iterable[Text | str]) -> int:
    """Terminal columns of the longest line of any cell."""
    from rich.cells import cell_len

    return max(cell_len(line) for cell in cells for line in str(cell).split("\n"))


def name_width(names: Iterable[Text | str], room: int, head: str) -> int:
    """Width of a column of names: that of the longest, as far as there is room.

    Args:
        names: Its cells.
        room: Terminal columns that the other columns leave, this one's edge included.
        head: Its heading.
    """
    wanted = min(LONGEST, widest([head, *names]))
    return max(_LEAST, min(wanted, room - EDGE))


def add_names(table: Table, head: str, width: int) -> None:
    """Add the column of names; the others give way before it does."""
    table.add_column(head, overflow="fold", min_width=width, max_width=width)


def add_figures(table: Table, head: str) -> None:
    """Add a column of figures under a head that is text, never mark-up."""
    from rich.text import Text

    table.add_column(Text(head), justify="right")
