"""A check of models' words about an item: its title must be in them, and no other offer's.

Later turns tell what was offered or explained by the titles in the system's lines.
"""

from __future__ import annotations

from baselines.told import contains, offered_labels
from language.prompts.facts import encodable
from language.prompts.single_call import Situation

SHOWN = 80
"""Characters of a title that an error repeats."""


def check_titles(situation: Situation, item: int, text: str) -> None:
    """Check what is said about an item.

    Raises:
        ValueError: The title is missing, or another offered item's label is in the text.
    """
    about = situation.catalog.items[item]
    title = encodable(about.title)
    if not contains(text, title):
        raise ValueError(f"the text must name the title as written: {title[:SHOWN]!r}")
    check_no_title(situation, text.replace(encodable(about.label), " ").replace(title, " "))


def check_no_title(situation: Situation, text: str) -> None:
    """Check what is said about no item.

    Raises:
        ValueError: An offered item's label is in the text.
    """
    for label in offered_labels(situation.catalog, situation.offered).values():
        if contains(text, encodable(label)):
            raise ValueError(f"the text must not name the title {label[:SHOWN]!r}")
