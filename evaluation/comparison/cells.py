"""What stands in the cells of every form of a comparison, as plain texts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from evaluation.comparison.comparing import Comparison
from evaluation.comparison.measures import TESTED, Measure
from evaluation.comparison.method import Method
from evaluation.comparison.paired_tests import PairedTest
from evaluation.published import figure_with_tables
from evaluation.statistics import Interval
from evaluation.table import LABEL, interval, number

ARROWS = {"higher": "↑", "lower": "↓", "": ""}

INTERVALS = (
    "In brackets: 95 % percentile bootstrap intervals. Episodes (a goal and a persona) are drawn "
    "with replacement (2,000 times), each with the dialogues of all seeds and all their turns, "
    "since these are alike. The intervals tell how much the result depends on which of these "
    "episodes were held, not on other goals, other personas or newly trained agents. At prefixes "
    "of dialogues, prefixes are drawn, with all seeds."
)
TESTS = (
    "Tests pair the same dialogues (seed, split, episode, persona, goal and targets agree), or "
    "decisions at the same prefixes (of the first seed that both methods have). Success, Recall@1, "
    "FGE2, PE2 and next action: McNemar, exact below 25 discordant pairs, else chi-square with "
    "continuity correction; effect: odds ratio of the discordant pairs with its exact 95 % "
    "interval. Turns, returns and a dialogue's share of CGE2 (the table pools turns, which its "
    "difference does not): Wilcoxon signed-rank, equal pairs left out; effect: matched-pairs "
    "rank-biserial correlation. The difference and its interval are always of the mean, p and "
    "effect of Wilcoxon measures of ranks: with skewed differences the two can disagree, and where "
    "the interval covers 0 the means are not told apart. p is two-sided, and takes the dialogues "
    "of an episode's seeds for independent: where they are alike it is too small, and so is p "
    "(Holm); the interval draws them together. "
    "p (goals) takes only goals for independent: what the dialogues of a goal add to the test's "
    "statistic (wins minus losses, or signed ranks) changes sign together. Where it is much larger "
    "than p, dialogues of a goal are too alike, or goals too few, to rely on p; with fewer than "
    "six goals it cannot be below 0.05. A difference is marked as significant (bold, in the page) "
    "only where p (Holm) is below 0.05 and p (goals), if there is one, is too. "
    "Turns of lost dialogues count as they are: fewer are not better where the user left."
)


TEST_HEADS = ("n", "Difference", "+ : −", "Effect size", "p", "p (goals)", "p (Holm)")
"""Of a test's number of dialogues and its :class:`ToldTest`."""


class ToldTest(NamedTuple):
    """A paired test as texts.

    Attributes:
        difference: Mean difference with its interval.
        counts: Dialogues in which the first is higher, and in which the second is.
        effect: Effect size, named, with its interval.
        p_value: Uncorrected.
        p_goals: Uncorrected, with goals for independent.
        p_holm: Corrected.
    """

    difference: str
    counts: str
    effect: str
    p_value: str
    p_goals: str
    p_holm: str


def heading(measure: Measure) -> str:
    """A column's head with an arrow towards the better values."""
    return f"{measure.heading} {ARROWS[measure.better]}".strip()


def shown_value(method: Method, measure: Measure) -> str:
    """A metric's value, a dash for none."""
    return number(method.cell(measure.key).value)


def shown_interval(method: Method, measure: Measure) -> str:
    """Its interval in brackets, empty for none."""
    return interval(method.cell(measure.key).interval)


def shown_published(method: Method, measure: Measure) -> str:
    """The published figure with its table's number, empty for none."""
    return figure_with_tables(method.published, measure.key)


def best_of(comparison: Comparison, measure: Measure) -> frozenset[str]:
    """Names of the methods with the best value, those that are told the goal left aside."""
    if not measure.better:
        return frozenset()
    values = {
        method.name: value
        for method in comparison.methods
        if not method.privileged and (value := method.cell(measure.key).value) is not None
    }
    if len(values) < 2:
        return frozenset()
    best = max(values.values()) if measure.better == "higher" else min(values.values())
    return frozenset(name for name, value in values.items() if value == best)


def size_of(method: Method) -> str:
    """Number of dialogues, or prefixes where it held none, and of seeds."""
    count = str(len(method.dialogues)) if method.dialogues else f"{method.prefixes} prefixes"
    failed = f", {method.failed} failed" if method.failed else ""
    return f"{count} ({_plural(len(method.seeds), 'seed')}{failed})"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def told_test(test: PairedTest) -> ToldTest:
    """A test's numbers as they are shown."""
    bounds = f" [{signed(test.interval[0])}, {signed(test.interval[1])}]"
    return ToldTest(
        signed(test.difference) + bounds,
        f"{test.wins} : {test.losses}",
        _effect(test),
        p_text(test.p_value),
        "–" if test.p_goals is None else p_text(test.p_goals),
        p_text(test.p_holm),
    )


def _effect(test: PairedTest) -> str:
    if test.effect is None:
        return "none"
    if test.effect_name != "odds ratio":
        return f"r = {signed(test.effect)}"
    return f"OR = {odds(test.effect)}{_odds_bounds(test.effect_interval)}"


def _odds_bounds(bounds: Interval | None) -> str:
    return "" if bounds is None else f" [{odds(bounds[0])}, {odds(bounds[1])}]"


def odds(value: float) -> str:
    """An odds ratio with two decimals."""
    return "∞" if math.isinf(value) else f"{value:.2f}"


def signed(value: float) -> str:
    """A number with its sign, three decimals."""
    return f"{value:+.3f}".replace("-", "−")


def p_text(value: float) -> str:
    """A p-value with three decimals."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def families(comparison: Comparison) -> str:
    """What Holm's correction is over in the tests against the reference, and which that is."""
    family = "Holm's correction is over one family per measure:"
    if comparison.named:
        count = len({test.first for test in comparison.tests})
        return (
            f"{family} its {_plural(count, 'test')} against the reference, which was named "
            f"(--against, or sweep.against of a sweep). That allows for no choice of the reference "
            f"after the results were seen."
        )
    count = len({(test.first, test.second) for test in comparison.pairs})
    return (
        f"{family} its {_plural(count, 'test')} of all pairs of methods, in the tests against the "
        f"reference too. It was not named (--against, or sweep.against of a sweep) but is the "
        f"method with the highest success (at prefixes alone, accuracy) in these runs, a choice "
        f"that the larger family allows for."
    )


def against(comparison: Comparison) -> str:
    """Heads the tests against the reference: which it is, and what is paired."""
    tested = {test.key for test in comparison.tests}
    kinds = ["prefixes" if m.prefixes else "dialogues" for m in TESTED if m.key in tested]
    where = " and ".join(dict.fromkeys(kinds))
    return f"Against {comparison.reference}, on the same {where}"


def remarks(comparison: Comparison) -> Iterator[str]:
    """What every form says below its tables."""
    yield INTERVALS
    if comparison.tests:
        yield f"{TESTS} {families(comparison)}"
    if has_published(comparison):
        yield LABEL
    if any(method.privileged for method in comparison.methods):
        yield "The oracle is told the goal: it is a ceiling, and is neither the reference nor best."


def has_published(comparison: Comparison) -> bool:
    """Whether any cell has a published figure beside it."""
    return any(
        shown_published(method, measure)
        for method in comparison.methods
        for measure in comparison.measures
    )


def agreement_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """Agreement of the judge with the exact labels: method, judge, then :data:`AGREEMENT_HEADS`."""
    rows = []
    for method in comparison.methods:
        if method.agreement:
            values = [number(method.agreement.get(key)) for key in _AGREEMENT]
            rows.append((method.name, method.judge, *values))
    return rows


_AGREEMENT = {
    f"judge_{metric.lower()}_{key}": f"{metric} {name}"
    for metric in ("CGE2", "FGE2", "PE2", "Intent")
    for key, name in (("alpha", "α"), ("macro_f1", "macro-F1"), ("spearman", "ρ"))
    if (metric, name) != ("Intent", "ρ")  # of turns: there is nothing to rank dialogues by
}
"""Heads by the keys of :func:`evaluation.agreement.agreement_summary`."""
AGREEMENT_HEADS = ("Method", "Judge", *_AGREEMENT.values())
"""Of :func:`agreement_rows`: what is judged, then the figure."""
