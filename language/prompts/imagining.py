"""A ply of a rollout: an imagined user replies, the next actions are scored (dreams §4.2, A.3.4).

One call returns the reply, what it changes, and the next prior. The imagined user's wishes are the
planner's own guess from the tracked state, never the true goal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from catalogs.catalog import Catalog
from catalogs.goal import Goal
from dialogue.view import DialogueView
from language.llm.call import Message
from language.prompts.acts import KINDS, ActOut
from language.prompts.facts import chat, item_facts
from language.prompts.scoring import ActionScore, describe_actions
from language.prompts.situation import situation

VERSION = 1
PROMPT = f"imagine/{VERSION}"

_SYSTEM = """\
You play out one turn of a conversation in which a system helps a person to find a {noun}.
First be the person: "wishes" are what this person wants (all values of a facet marked all, one of a
facet marked any), "knows" says whether the person knows the {noun} under discussion already, and
"patience" is how much more the person bears. React to the system's "action" in a sentence. Accept
only a {noun} that meets the wishes and is not known.
Then write the meaning of the reply as acts:
{kinds}
Last, be the system's adviser: score each action that could come next from 0 to 10.
{actions}
Answer with JSON only: {{"reply": "...", "meaning": [{{"kind": "...", "facet": null, "value": null,
"other": null}}], "scores": [{{"action": "...", "score": 0}}]}}."""


class PlyResult(BaseModel):
    """The imagined reply, its meaning, and the scores of the next actions."""

    model_config = ConfigDict(extra="forbid")

    reply: str
    meaning: list[ActOut]
    scores: list[ActionScore]


def messages(
    view: DialogueView,
    goal: Goal,
    patience: float,
    action: int,
    item: int,
    knows: bool,
    imagined: Sequence[Mapping[str, Any]] = (),
) -> tuple[Message, ...]:
    """The chat that asks for one ply.

    Args:
        view: The imagined conversation's public side, after the system's action.
        goal: Imagined wishes.
        patience: What the imagined user still bears, in rejections.
        action: The system's action.
        item: Item that it is about, -1 if none.
        knows: Whether the imagined user has seen the item.
        imagined: Earlier plies of this rollout.
    """
    catalog = view.catalog
    domain = catalog.domain
    system = _SYSTEM.format(noun=domain.noun, kinds=KINDS, actions=describe_actions(domain))
    data = {
        "wishes": _wishes(catalog, goal),
        "patience": round(patience, 2),
        "action": domain.actions[action],
        "item": None if item < 0 else item_facts(catalog, item, plot=False),
        "knows": knows,
        "imagined_so_far": list(imagined),
        **situation(view),
    }
    return chat(system, data)


def _wishes(catalog: Catalog, goal: Goal) -> dict[str, Any]:
    return {
        facet.name: {facet.match: [catalog.value(f, v) for v in goal.values[f]]}
        for f, facet in enumerate(catalog.domain.facets)
        if goal.values[f]
    }
