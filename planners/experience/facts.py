"""The structured situation of a decision: preferences by name, and public numbers by name.

=====================  =============================================================
fact                   what it is
=====================  =============================================================
turn, max_turns        finished system turns, and the turn limit
streak                 questions just asked in a row
rejections, seen       offers turned down, and those of them that were known already
explained              explanations given
impatience             highest level of impatience shown, 0..3
just_rejected          1 when the user just turned an offer down
details                1 when the user just asked about an offer
offers                 offers made
candidates, entropy    items that fit best, and bits of doubt among them
score.1, .2, .3        share of the constraints that the best three items meet
acceptance.1, .2, .3   estimated chance that the EXNode's first three would be accepted
patience, fatigue      believed of this user (rejections and questions borne)
asked.FACET            inquiries about a facet
confidence.FACET       how well it is known, 0..1
reason.FACET           1 when it is why the last offer was just turned down
=====================  =============================================================
"""

from __future__ import annotations

from typing import Any

from dialogue.view import DialogueView
from planners.experience.outlook import Outlook


def structured_state(view: DialogueView) -> dict[str, Any]:
    """The tracked preferences by facet and value names."""
    return view.state.to_json(view.catalog)


def public_numbers(view: DialogueView, outlook: Outlook) -> dict[str, float]:
    """The facts of a view; the module lists them."""
    found = view.assess()
    facts: dict[str, float] = {
        "turn": view.turn,
        "max_turns": view.max_turns,
        "streak": view.streak,
        "rejections": view.rejections,
        "seen": view.seen,
        "explained": view.explained,
        "impatience": view.impatience,
        "just_rejected": int(view.just_rejected),
        "details": int(view.details >= 0),
        "offers": len(view.offers),
        "candidates": found.candidates,
        "entropy": found.entropy,
        "patience": outlook.belief.mean("patience"),
        "fatigue": outlook.belief.mean("fatigue"),
    }
    facts |= {f"score.{place}": score for place, score in enumerate(found.scores, start=1)}
    chances = (*outlook.chances, 0.0, 0.0, 0.0)[:3]
    facts |= {f"acceptance.{place}": chance for place, chance in enumerate(chances, start=1)}
    for f, facet in enumerate(view.catalog.domain.facets):
        facts[f"asked.{facet.name}"] = view.asked[f]
        facts[f"confidence.{facet.name}"] = view.state.confidence(f)
        facts[f"reason.{facet.name}"] = int(view.reason[0] == f)
    return facts
