"""A search tree as lines of text."""

from collections.abc import Callable, Sequence

from search.nodes import ChanceNode, DecisionNode

_UNICODE = ("├─ ", "└─ ", "│  ")
_ASCII = ("|- ", "`- ", "|  ")
_BLANK = "   "
_LONGEST_OBSERVATION = 60

_Branch = tuple[DecisionNode | ChanceNode, str, Callable[[str], None]]
"""A node, its line without the indent, and what adds the lines below it at a given indent."""


def format_tree(
    root: DecisionNode,
    action_names: Sequence[str],
    max_depth: int = 2,
    min_visits: int = 1,
    ascii_only: bool = False,
) -> str:
    """Draws a tree, the most visited branches first, with visits (n) and mean returns.

    Actions appear by name with their prior, observations by `repr`, shortened. Branches left out
    because they have too few visits are counted in a line of their own.

    Args:
        root: The node to start from.
        action_names: A name per action.
        max_depth: Plies to draw, >= 0; a ply is an action and its observation.
        min_visits: Branches with fewer visits are not drawn.
        ascii_only: Draws the lines with ASCII characters (names and observations stay as given).

    Returns:
        Lines without a newline at the end.

    Raises:
        ValueError: If an action of the tree has no name.
    """
    printer = _Printer(action_names, min_visits, _ASCII if ascii_only else _UNICODE)
    printer.lines.append(f"root  {_statistics(root)}")
    printer.add_actions(root, "", max_depth)
    return "\n".join(printer.lines)


class _Printer:
    """Collects the lines of one tree."""

    def __init__(
        self, names: Sequence[str], min_visits: int, strokes: tuple[str, str, str]
    ) -> None:
        self.lines: list[str] = []
        self._names = names
        self._min_visits = min_visits
        self._strokes = strokes

    def add_actions(self, node: DecisionNode, indent: str, plies: int) -> None:
        """Adds the actions below a decision node, `plies` deep."""
        if plies > 0:
            self._add_branches([self._action(child, plies) for child in node.children], indent)

    def add_outcomes(self, node: ChanceNode, indent: str, plies: int) -> None:
        """Adds the observations below a chance node; `plies` counts the one they end."""
        branches = [self._outcome(key, child, plies) for key, child in node.outcomes.items()]
        self._add_branches(branches, indent)

    def _action(self, child: ChanceNode, plies: int) -> _Branch:
        if child.action >= len(self._names):
            raise ValueError(
                f"format_tree got {len(self._names)} action names and the tree has action "
                f"{child.action}: give one name per action of the model."
            )
        line = f"{self._names[child.action]}  {_statistics(child)}  prior={child.prior:.3f}"
        return child, line, lambda indent: self.add_outcomes(child, indent, plies)

    def _outcome(self, key: object, child: DecisionNode, plies: int) -> _Branch:
        line = f"{_label(key)}  {_statistics(child)}"
        return child, line, lambda indent: self.add_actions(child, indent, plies - 1)

    def _add_branches(self, branches: list[_Branch], indent: str) -> None:
        shown = [branch for branch in branches if branch[0].visits >= self._min_visits]
        shown.sort(key=lambda branch: -branch[0].visits)
        hidden = len(branches) - len(shown)
        tee, corner, bar = self._strokes
        for place, (_, line, add_below) in enumerate(shown, start=1):
            last = place == len(shown) and not hidden
            self.lines.append(indent + (corner if last else tee) + line)
            add_below(indent + (_BLANK if last else bar))
        if hidden:
            self.lines.append(f"{indent}{corner}({hidden} below {self._min_visits} visits)")


def _statistics(node: DecisionNode | ChanceNode) -> str:
    value = node.value
    return f"n={node.visits}  value={'-' if value is None else format(value, '+.3f')}"


def _label(key: object) -> str:
    text = " ".join(repr(key).split())
    return text if len(text) <= _LONGEST_OBSERVATION else text[: _LONGEST_OBSERVATION - 3] + "..."
