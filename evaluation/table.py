"""Tables of a run for the terminal: its metrics beside the published row, and its groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaluation.plaintext import one_line
from evaluation.published import PublishedRow, figure_with_tables
from evaluation.summary import Summary

if TYPE_CHECKING:
    from rich.table import Table

LABEL = (
    "Published figures are those printed in the Dreams paper, under the table numbers given. They "
    "were made with language models; rows made by embedded roles compare structure, not language "
    "models."
)


def _judged(key: str, name: str) -> dict[str, str]:
    """The rows of what a judge says of a metric."""
    return {
        f"judge_{key}": f"{name} by the judge",
        f"judge_{key}_alpha": "  agreement: Krippendorff's α",
        f"judge_{key}_macro_f1": "  agreement: macro-F1",
        f"judge_{key}_spearman": "  agreement: Spearman's ρ",
    }


_NAMES = {
    "success_rate": "Success rate",
    "average_turns": "Average turns",
    "recall@1": "Recall@1",
    "recall@5": "Recall@5",
    "recall@10": "Recall@10",
    "return": "Return",
    "reward_explore": "Reward: explore",
    "reward_retrieve": "Reward: retrieve",
    "reward_attitude": "Reward: attitude",
    "reward_cost": "Reward: cost",
    "reward_accept": "Reward: accept",
    "cge2": "CGE2 (error, lower is better)",
    "fge2": "FGE2 (error, lower is better)",
    "pe2": "PE2 (error, lower is better)",
    "next_action_accuracy": "Next action is right",
    "next_action_preferred": "  and the preferred one",
    "useful_ask": "Useful question where one is due",
    "redundant_question": "Redundant among questions (error)",
    "premature_recommendation": "Premature recommendation (error)",
    "illegal_action": "Illegal actions",
    "pe2_eligible": "  dialogues eligible for PE2",
    "pe2_among_eligible": "  PE2 among them",
    **_judged("cge2", "CGE2"),
    **_judged("fge2", "FGE2"),
    **_judged("pe2", "PE2"),
    "judge_intent_alpha": "Intent of turns by the judge: Krippendorff's α",
    "judge_intent_macro_f1": "  agreement: macro-F1",
    "judge_failed_dialogues": "Dialogues that could not be judged",
    "search_changed_decision": "Search changed the decision",
    "seconds_per_turn": "Seconds per system turn",
    "failed_dialogues": "Failed dialogues (left out above)",
    "llm_calls": "Model calls",
    "llm_calls_per_dialogue": "  per dialogue",
    "llm_tokens_per_dialogue": "  tokens per dialogue",
    "llm_cost_usd": "  cost in USD (of the whole run)",
    "llm_fallbacks": "  fallbacks to embedded roles",
    "simulator_false_accepts": "Overruled user: took what is no target",
    "simulator_missed_accepts": "Overruled user: went on after a target",
    "simulator_early_leaves": "Overruled user: left with patience",
    "simulator_late_leaves": "Overruled user: stayed without patience",
    "simulator_empty_replies": "Overruled user: said nothing",
}
_WIDTH = 60


def run_table(name: str, summary: Summary, published: Sequence[PublishedRow] = ()) -> Table:
    """One run, a metric a row, with 95 % intervals and the published figures beside them.

    Args:
        name: What was run; shown as it is, never as markup.
        summary: From :mod:`evaluation.summary`.
        published: Rows of the method it stands for, if any.
    """
    from rich.table import Table
    from rich.text import Text

    rows = tuple(published)
    table = Table(title=Text(_title(name, summary)), caption=Text(LABEL) if rows else None)
    table.add_column("Metric", no_wrap=True)
    table.add_column("This run", justify="right")
    table.add_column("95 % interval", justify="right")
    if rows:
        table.add_column("Published", justify="right")
    for key, label in _labels(summary).items():
        if _shown(key, summary):
            cells = [
                one_line(label, _WIDTH),
                number(summary[key]),
                interval(summary.get(f"{key}_ci")),
            ]
            cells += [figure_with_tables(rows, key)] if rows else []
            table.add_row(*map(Text, cells))
    return table


def _shown(key: str, summary: Summary) -> bool:
    """Whether a row says something: zero costs mean no known prices, other zeros are usual."""
    if key in ("failed_dialogues", "judge_failed_dialogues", "llm_cost_usd") or key.startswith(
        "simulator_"
    ):
        return bool(summary.get(key))
    return key in summary


def _labels(summary: Summary) -> dict[str, str]:
    """What the rows are called; a reward's own terms come after the five usual ones."""
    terms = [key for key in summary if key.startswith("reward_") and not key.endswith("_ci")]
    own = {key: f"Reward: {key.removeprefix('reward_')}" for key in terms if key not in _NAMES}
    names = list(_NAMES.items())
    place = 1 + list(_NAMES).index("reward_accept")
    return dict(names[:place]) | own | dict(names[place:])


def groups_table(summary: Summary, kind: str = "persona") -> Table:
    """Success by persona or by goal (``kind``), lowest first."""
    from rich.table import Table
    from rich.text import Text

    prefix = f"success_rate/{kind}/"
    rates = {key.removeprefix(prefix): summary[key] for key in summary if key.startswith(prefix)}
    table = Table(title=Text(f"Success by {kind}"))
    table.add_column(kind.capitalize())
    table.add_column("Success rate", justify="right")
    table.add_column("Episodes", justify="right")
    for name in sorted(rates, key=lambda name: (rates[name], name)):
        count = str(summary[f"episodes/{kind}/{name}"])
        table.add_row(*map(Text, (one_line(name, _WIDTH), number(rates[name]), count)))
    return table


def number(value: float | None) -> str:
    """Three decimals (two significant digits where that says too little); a dash for none.

    Counts are shown whole.
    """
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3f}" if value == 0 or abs(value) >= 0.01 else f"{value:.2g}"


def interval(bounds: Sequence[float] | None) -> str:
    """Both ends of an interval; empty for none."""
    return "" if bounds is None else f"[{number(bounds[0])}, {number(bounds[1])}]"


def _title(name: str, summary: Summary) -> str:
    parts = [one_line(name, _WIDTH), f"{summary['episodes']} episodes"]
    if failed := summary.get("failed_dialogues", 0):
        parts.append(f"{failed} of them failed and left out")
    if "catalog_source" in summary:
        source = one_line(str(summary["catalog_source"]), _WIDTH)
        parts.append(f"{source}: {summary['catalog_items']:,} items")
    return ", ".join(parts)
