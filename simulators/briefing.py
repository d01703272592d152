"""What a person who plays the user is told: the wish to play, the rules, an item's facts.

Only the person sees it. The system hears what the person says, nothing else.
"""

from __future__ import annotations

from catalogs.catalog import Catalog
from catalogs.goal import Goal, facet_matches

COMMANDS = {
    "/accept": "take what is offered (it is checked against the catalogue)",
    "/no": "turn it down; reasons are better said in your own words",
    "/seen": "turn it down because you know it already",
    "/details": "ask to hear more about it",
    "/look": "see what the catalogue says about it; the system does not notice",
    "/goal": "see again what you are looking for",
    "/quit": "give up on this conversation; it ends and counts as left",
    "/help": "see this list",
}
"""What a person can type beside free text, and what it does."""


def goal_lines(catalog: Catalog, goal: Goal) -> list[str]:
    """The wish in plain words, a line per facet (the preference setting of dreams §A.8)."""
    domain = catalog.domain
    lines = [f"You are looking for a {domain.noun} that you do not know yet. It must have:"]
    for f, facet in enumerate(domain.facets):
        names = [catalog.value(f, value) for value in goal.values[f]]
        if not names:
            continue
        if facet.match == "all":
            rule = f"all of these {facet.plural}" if len(names) > 1 else f"the {facet.singular}"
        else:
            rule = f"one of these {facet.plural}" if len(names) > 1 else f"the {facet.singular}"
        lines.append(f"- {rule}: {', '.join(names)}")
    return lines


def rule_lines(catalog: Catalog) -> list[str]:
    """How to play."""
    return [
        "Only you see this. Tell the system what you want in your own words, as you would tell a "
        "friend: bit by bit, when it fits.",
        f"When it offers a {catalog.domain.noun} that has all this, type /accept. Other commands: "
        f"{', '.join(name for name in COMMANDS if name != '/accept')}. Ctrl-D stops.",
    ]


def help_lines() -> list[str]:
    """The commands."""
    return [
        *(f"{name:9} {what}" for name, what in COMMANDS.items()),
        "Ctrl-D    stop here: finished conversations are kept, resume=true continues",
    ]


def item_lines(catalog: Catalog, item: int) -> list[str]:
    """What the catalogue says about an item."""
    found = catalog.items[item]
    lines = [found.label]
    for f, facet in enumerate(catalog.domain.facets):
        names = [catalog.value(f, value) for value in found.values[f]]
        lines.append(f"- {facet.plural}: {', '.join(names) or 'not known'}")
    return [*lines, *([f"- {found.plot}"] if found.plot else [])]


def missed(catalog: Catalog, goal: Goal, item: int) -> list[str]:
    """Names of the facets whose wish an item does not meet."""
    return [
        facet.plural
        for f, facet in enumerate(catalog.domain.facets)
        if not facet_matches(catalog, f, goal.values[f], facet.match == "all") >> item & 1
    ]
