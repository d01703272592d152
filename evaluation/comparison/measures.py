"""The columns of a comparison: every metric by its key in ``summary.json``, with what it means."""

from __future__ import annotations

from typing import Literal, NamedTuple

Better = Literal["higher", "lower", ""]


class Measure(NamedTuple):
    """A column.

    Attributes:
        key: As in ``summary.json``.
        heading: Short, for a column's head.
        about: In words.
        better: Which values are better; empty where neither is.
    """

    key: str
    heading: str
    about: str
    better: Better = ""


_LOWER: Better = "lower"
_HIGHER: Better = "higher"

SHOWN = (
    Measure("success_rate", "SR", "Success: a target was offered and accepted", _HIGHER),
    Measure("average_turns", "Turns", "System turns of a dialogue"),
    Measure("recall@1", "R@1", "A target leads the last ranking", _HIGHER),
    Measure("recall@5", "R@5", "A target is among the first 5 of the last ranking", _HIGHER),
    Measure("recall@10", "R@10", "A target is among the first 10 of the last ranking", _HIGHER),
    Measure("return", "Return", "Sum of the rewards of a dialogue", _HIGHER),
    Measure("cge2", "CGE2", "Asked though retrieval was right, or offered though wrong", _LOWER),
    Measure("fge2", "FGE2", "A stated reason of a rejection was passed over", _LOWER),
    Measure("pe2", "PE2", "Everything was said, and no target among the first 5", _LOWER),
    Measure("seconds_per_turn", "s/turn", "Seconds of the policy per system turn", _LOWER),
    Measure("llm_calls_per_dialogue", "Calls", "Model calls per dialogue", _LOWER),
    Measure("llm_tokens_per_dialogue", "Tokens", "Tokens per dialogue", _LOWER),
    Measure("llm_cost_per_dialogue", "USD", "Cost per dialogue in US dollars", _LOWER),
    Measure("judge_cge2", "CGE2 (judge)", "CGE2 as a reader of the transcript sees it", _LOWER),
    Measure("judge_fge2", "FGE2 (judge)", "FGE2 as a reader of the transcript sees it", _LOWER),
    Measure("judge_pe2", "PE2 (judge)", "PE2 as a reader of the transcript sees it", _LOWER),
    Measure("next_action_accuracy", "Next action", "Prefixes with the gold next action", _HIGHER),
    Measure("useful_ask", "Useful ask", "Where a question was due, a gold one was asked", _HIGHER),
    Measure("redundant_question", "Redundant", "Questions that nothing new can answer", _LOWER),
    Measure("premature_recommendation", "Premature", "Prefixes met by a wrong offer", _LOWER),
)
"""Columns shown where any run has them, in this order."""

_OTHERS = (
    Measure("target_offered_rate", "Offered", "A target was offered, accepted or not", _HIGHER),
    Measure("recall@1_last_turn", "R@1 last", "Recall@1 at the last system turn", _HIGHER),
    Measure("recall@5_last_turn", "R@5 last", "Recall@5 at the last system turn", _HIGHER),
    Measure("recall@10_last_turn", "R@10 last", "Recall@10 at the last system turn", _HIGHER),
    Measure("cge2_top5", "CGE2 top 5", "CGE2, right meaning a target among the first 5", _LOWER),
    Measure("fge2_turns", "FGE2 turns", "FGE2 pooled over turns", _LOWER),
    Measure("fge2_dialogue_share", "FGE2 share", "Mean share of FGE2 turns", _LOWER),
    Measure("pe2_eligible", "PE2 elig.", "Dialogues in which everything was said"),
    Measure("pe2_among_eligible", "PE2 of elig.", "PE2 among the eligible dialogues", _LOWER),
    Measure("pe2_loose", "PE2 loose", "PE2 with one value per facet stated", _LOWER),
    Measure("search_changed_decision", "Changed", "Decisions that the search changed"),
    Measure("environment_seconds_per_turn", "env s/turn", "Seconds of the environment per turn"),
)
_KNOWN = {measure.key: measure for measure in (*SHOWN, *_OTHERS)}


def measure_of(key: str) -> Measure:
    """The column of a key; one that is not known here is headed by itself."""
    return _KNOWN.get(key) or Measure(key, key, key)


class Tested(NamedTuple):
    """A measure that methods are tested by, on the same dialogues or at the same prefixes.

    Attributes:
        key: As in ``summary.json``.
        name: In words.
        binary: Whether it is 0 or 1 in a dialogue (McNemar), else a number (Wilcoxon).
        prefixes: Whether it is of decisions at prefixes, not of dialogues.
        share: Whether it is a dialogue's share of turns. The table pools turns over dialogues; a
            pair of dialogues has a share each, where both have such turns.
    """

    key: str
    name: str
    binary: bool
    prefixes: bool = False
    share: bool = False


TESTED = (
    Tested("success_rate", "Success", True),
    Tested("recall@1", "Recall@1", True),
    Tested("average_turns", "Turns", False),
    Tested("return", "Return", False),
    Tested("cge2", "CGE2 (share of a dialogue)", False, share=True),
    Tested("fge2", "FGE2", True),
    Tested("pe2", "PE2", True),
    Tested("next_action_accuracy", "Next action", True, prefixes=True),
)
