"""Hand-made experiences of the film domain."""

from collections.abc import Sequence
from typing import Any

from dialogue.experience import FORMAT, Experience, ExperienceBase

ACTIONS = (
    "GenreInquiry", "StarInquiry", "DirectorInquiry", "FailureReflection", "ItemRec",
    "ItemExplanation",
)  # fmt: skip
FACETS = ("genre", "star", "director")


def facet_state(**changes: Any) -> dict[str, Any]:
    """The tracked state of a facet about which nothing is known."""
    nothing: dict[str, Any] = {
        "status": "missing",
        "like": [],
        "dislike": [],
        "doubt": [],
        "ambiguous": [],
        "withdrawn": [],
        "corrected": False,
        "evasions": 0,
        "closed": False,
        "best": 0.0,
    }
    return nothing | changes


def facts(**changes: float) -> dict[str, float]:
    """Facts of an opening, with changes; names with a dot are given as ``asked_genre``."""
    found: dict[str, float] = {
        "turn": 0, "max_turns": 10, "streak": 0, "rejections": 0, "seen": 0, "explained": 0,
        "impatience": 0, "just_rejected": 0, "details": 0, "offers": 0, "candidates": 12,
        "entropy": 3.58, "patience": 3.0, "fatigue": 3.0, "score.1": 1.0, "score.2": 1.0,
        "score.3": 1.0, "acceptance.1": 0.1, "acceptance.2": 0.1, "acceptance.3": 0.1,
    }  # fmt: skip
    for facet in FACETS:
        found |= {f"asked.{facet}": 0, f"confidence.{facet}": 0.0, f"reason.{facet}": 0}
    for name, value in changes.items():
        found[name if name in found else name.replace("_", ".", 1)] = value
    return found


def case(episode: int = 0, turn: int = 1, success: bool = True, **changes: Any) -> Experience:
    """An experience; what is not said is that of an opening that asked for the genre."""
    made: dict[str, Any] = {
        "split": "heldout",
        "episode": episode,
        "turn": turn,
        "lines": (("user", "Something with rain, please."),),
        "state": {facet: facet_state() for facet in FACETS},
        "facts": facts(),
        "action": "GenreInquiry",
        "reason": "60% of 400 simulations",
        "query": None,
        "reward": 9.5 if success else -1.0,
        "success": success,
        "search": {"GenreInquiry": 0.6, "ItemRec": 0.4},
    }
    return Experience(**made | changes)


def base(cases: Sequence[Experience], **header: Any) -> ExperienceBase:
    """A base of these experiences, its counts as they should be."""
    outcomes = {(one.split, one.episode): one.success for one in cases}
    made: dict[str, Any] = {
        "format": FORMAT,
        "hash": "0123456789abcdef",
        "catalog": {"name": "films", "items": 12},
        "personas": "fedcba",
        "config": {"users": len(outcomes)},
        "dialogues": len(outcomes),
        "successes": sum(outcomes.values()),
        "made_by": "Dreams",
        "actions": list(ACTIONS),
    }
    return ExperienceBase(made | header, tuple(cases))


def several() -> ExperienceBase:
    """Two successes and a failure, two decisions each."""
    later: dict[str, Any] = {"turn": 2, "facts": facts(turn=1, acceptance_1=0.6)}
    later |= {"search": {"ItemRec": 0.9, "StarInquiry": 0.1}, "query": "rain, thriller"}
    later |= {"action": "ItemRec"}
    return base([
        case(0), case(0, **later),
        case(1, action="StarInquiry", search={}), case(1, **later),
        case(2, success=False), case(2, success=False, **later),
    ])  # fmt: skip
