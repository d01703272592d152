"""The plots of a comparison, each as an SVG element."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evaluation.comparison.breakdown import Breakdown
from evaluation.comparison.comparing import Comparison
from evaluation.comparison.learning import TAGS
from evaluation.comparison.method import Method
from evaluation.comparison.svg import GRID, INK, MUTED, SERIES, svg_of
from evaluation.plaintext import one_line

NAME = 34
"""Longest method's name in a plot; the tables have it whole."""
_WIDTH = 10.0
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p")
_LINES = ("-", "--", "-.", ":")
_STYLE: Any = {
    "text.parse_math": False, "text.color": INK, "axes.edgecolor": GRID, "axes.labelcolor": INK,
    "xtick.color": MUTED, "ytick.color": MUTED, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
    "grid.color": GRID, "grid.linewidth": 0.8, "axes.grid": True, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "font.size": 10.0,
    "axes.unicode_minus": True, "legend.frameon": False, "figure.autolayout": False,
}  # fmt: skip


@contextmanager
def _figure(height: float, columns: int = 1) -> Iterator[tuple[Any, Any]]:
    """A figure of its own, without Matplotlib's global state, and its axes."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()  # whatever the user's own settings are
        mpl.rcParams.update(_STYLE)
        # The page's fonts show what Matplotlib's own lack.
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from")
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        yield figure, figure.subplots(1, columns, squeeze=False)[0]


def numbered(comparison: Comparison) -> list[tuple[int, Method]]:
    """Methods with success, with the numbers that plots call them by: their order, from 1."""
    able = [m for m in comparison.methods if m.cell("success_rate").value is not None]
    return list(enumerate(able, start=1))


def success_plot(comparison: Comparison) -> str | None:
    """Success by method with intervals, and the published figures."""
    methods = numbered(comparison)
    if not methods:
        return None
    with _figure(0.9 + 0.36 * len(methods)) as (figure, (axes,)):
        for place, (_, method) in enumerate(methods):
            value, (low, high) = _bounds(method, "success_rate")
            axes.plot([low, high], [place, place], color=SERIES[0], linewidth=2.2)
            axes.plot([value], [place], marker="o", color=SERIES[0], markersize=7)
            figures = {row.figures.get("success_rate") for row in method.published}
            published = sorted(figure for figure in figures if figure is not None)
            axes.plot(
                published, [place] * len(published), linestyle="", marker="D", markersize=6,
                markerfacecolor="none", markeredgecolor=SERIES[1], markeredgewidth=1.4,
            )  # fmt: skip
        axes.set_yticks(range(len(methods)), [_label(number, m) for number, m in methods])
        axes.set_ylim(len(methods) - 0.4, -0.6)
        axes.set_xlim(-0.01, 1.01)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("Success rate: dot with 95 % interval; diamond: published")
        return svg_of(
            figure, "plot-success", "Success by method", _listing(comparison, "success_rate")
        )


def time_plot(comparison: Comparison) -> str | None:
    """Success against seconds of the policy per turn, a marker a method."""
    methods = [
        (n, m) for n, m in numbered(comparison) if (m.cell("seconds_per_turn").value or 0) > 0
    ]
    if not methods:
        return None
    with _figure(max(4.2, 0.9 + 0.22 * len(methods))) as (figure, (axes,)):
        for number, method in methods:
            seconds, _ = _bounds(method, "seconds_per_turn")
            value, (low, high) = _bounds(method, "success_rate")
            colour = SERIES[(number - 1) % len(SERIES)]
            axes.plot([seconds, seconds], [low, high], color=colour, linewidth=1.2)
            axes.plot(
                [seconds], [value], linestyle="", color=colour, markersize=7,
                marker=_MARKERS[(number - 1) % len(_MARKERS)], label=_label(number, method),
            )  # fmt: skip
            axes.annotate(
                str(number), (seconds, value), xytext=(6, 4), textcoords="offset points", fontsize=9
            )
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(_plain())
        axes.set_ylim(-0.02, 1.04)
        axes.set_xlabel("Seconds of the policy per system turn (logarithmic)")
        axes.set_ylabel("Success rate")
        figure.legend(loc="outside right upper", fontsize=9)
        return svg_of(
            figure, "plot-time", "Success against time", _listing(comparison, "seconds_per_turn")
        )


def breakdown_plot(breakdown: Breakdown, name: str) -> str | None:
    """Success of each method in each group, as a table of shaded numbers."""
    if not breakdown.groups:
        return None
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list(
        "shades", ["#fbe9d0", "#7fb5a8", "#12456b"]
    ).with_extremes(under="#ffffff00")
    rows, columns = len(breakdown.methods), len(breakdown.groups)
    with _figure(1.5 + 0.34 * rows) as (figure, (axes,)):
        grid = [[-1.0 if cell is None else cell[0] for cell in row] for row in breakdown.rates]
        axes.pcolormesh(grid, cmap=shades, vmin=0.0, vmax=1.0, edgecolor="#ffffff", linewidth=1.5)
        for y, row in enumerate(grid):
            for x, value in enumerate(row):
                axes.text(
                    x + 0.5, y + 0.5, "–" if value < 0 else f"{value:.2f}".removeprefix("0"),
                    ha="center", va="center", fontsize=9 if columns <= 16 else 7,
                    color=INK if value < 0 else _legible(shades(value)),
                )  # fmt: skip
        axes.set_yticks([y + 0.5 for y in range(rows)], [_short(m) for m in breakdown.methods])
        ticks = [x + 0.5 for x in range(columns)]
        names = [_short(group, 24) for group in breakdown.groups]
        turned = {"rotation": 35, "ha": "right"} if max(map(len, names)) > 4 else {}
        axes.set_xticks(ticks, names, **turned)
        axes.invert_yaxis()
        axes.grid(visible=False)
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        about = "The numbers are in the table below the plot."
        return svg_of(figure, name, f"Success by {breakdown.kind}", about)


def learning_plot(comparison: Comparison) -> str | None:
    """Learning curves of the methods that keep some: a line a run, a style a method."""
    methods = [m for m in comparison.methods if any(run.curves for run in m.runs)]
    tags = [tag for tag in TAGS if any(_curves(method, tag) for method in methods)]
    if not tags:
        return None
    with _figure(3.6 + 0.2 * len(methods), len(tags)) as (figure, panels):
        handles: dict[str, Any] = {}
        for axes, tag in zip(panels, tags, strict=True):
            for k, method in enumerate(methods):
                for curve in _curves(method, tag):
                    (line,) = axes.plot(
                        curve.steps, curve.values, color=SERIES[k % len(SERIES)], linewidth=1.3,
                        linestyle=_LINES[(k // len(SERIES) + k) % len(_LINES)],
                    )  # fmt: skip
                    handles.setdefault(_short(method.name), line)
            axes.set_title(TAGS[tag], fontsize=10, color=INK)
            axes.set_xlabel("Steps of training")
            axes.xaxis.set_major_formatter(_thousands())
        figure.legend(
            list(handles.values()), list(handles), loc="outside lower center", ncols=3, fontsize=9
        )
        about = "; ".join(
            f"{one_line(m.name)} ends at {curve.values[-1]:.3f}"
            for m in methods
            for curve in _curves(m, tags[0])
        )
        return svg_of(figure, "plot-learning", "Learning curves", f"{TAGS[tags[0]]}: {about}.")


def _curves(method: Method, tag: str) -> list[Any]:
    found = [curve for run in method.runs for curve in run.curves]
    return [curve for curve in found if curve.tag == tag and curve.steps]


def _legible(shade: Sequence[float]) -> str:
    """Black or white, whichever stands out more (relative luminance, WCAG 2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade[:3]]
    luminance = sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "#000000" if luminance > 0.179 else "#ffffff"


def _plain() -> Any:
    """Powers of ten as plain numbers: mathematical text is off, since names may hold dollars."""
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(lambda x, _: f"{x:g}")


def _thousands() -> Any:
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(lambda x, _: f"{x / 1000:g}k" if x else "0")


def _bounds(method: Method, key: str) -> tuple[float, tuple[float, float]]:
    cell = method.cell(key)
    value = 0.0 if cell.value is None else cell.value
    return value, cell.interval or (value, value)


def _label(number: int, method: Method) -> str:
    return f"{number}  {_short(method.name)}"


def _short(name: str, limit: int = NAME) -> str:
    return one_line(name, limit)


def _listing(comparison: Comparison, key: str) -> str:
    parts: Sequence[str] = [
        f"{number} {one_line(method.name)}: success {_bounds(method, 'success_rate')[0]:.3f}"
        + (f", {_bounds(method, key)[0]:.3g} seconds per turn" if key != "success_rate" else "")
        for number, method in numbered(comparison)
    ]
    return "; ".join(parts) + "."
