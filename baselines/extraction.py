"""What a dialogue says, extracted: the step that keeps a free-form method's state.

A language model reads the dialogue and names what the user wants; where the role is embedded,
:mod:`baselines.heard` reads it. What the system did itself is read off its own words either way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from baselines.heard import Heard, hear
from baselines.steps import Nothing, Shape
from baselines.taste import Taste, taste_of
from baselines.utterances import find_value
from catalogs.catalog import Catalog
from language.prompts.facts import encodable
from language.prompts.single_call import Situation

Last = Literal["said", "rejected", "seen", "details"]
"""What the user's last words do: speak, refuse the offer, know it already, ask more about it."""

MOST = 200
"""Values that an extraction may name: no dialogue of a few turns has more."""


class Named(Shape):
    """A preference in the dialogue.

    Attributes:
        facet: Name of the facet.
        value: The value, as the user or the catalogue calls it.
        other: Second value, where it is unclear which of two is meant.
        wanted: False where the user does not want it.
    """

    facet: str
    value: str
    other: str | None
    wanted: bool


class Extraction(Shape):
    """The state of a dialogue, by names.

    Attributes:
        named: Preferences that hold now.
        last: What the user's last words do.
        complaint: Facet that the user complained about in refusing the last offer, if any.
        closed: Facets about which the user has nothing more to say.
        impatience: Shown so far, 0 (none) to 3 (about to leave).
    """

    named: list[Named] = Field(max_length=MOST)
    last: Last
    complaint: str | None
    closed: list[str]
    impatience: int = Field(ge=0, le=3)


@dataclass(frozen=True, slots=True)
class SpokenState:
    """The same by indices, with what the system's own words did.

    Attributes:
        taste: Values wanted, unwanted and unclear.
        asked: Per facet, questions about it.
        streak: Questions since the last offer or explanation.
        offers: Number of items offered.
        explained: Number of items told more about.
        last: What the user's last words do.
        complaint: Facet complained about in the last words, -1 without one.
        closed: Per facet, whether the user has nothing more to say.
        impatience: 0..3.
    """

    taste: Taste
    asked: tuple[int, ...]
    streak: int
    offers: int
    explained: int
    last: Last
    complaint: int
    closed: tuple[bool, ...]
    impatience: int


def embedded_extraction(situation: Situation, _: Nothing) -> Extraction:
    """What the rules of :mod:`baselines.heard` read."""
    catalog = situation.catalog
    heard = hear(situation)
    complaint = -1 if heard.just is None else heard.just.facet
    facets = catalog.domain.facets
    return Extraction(
        named=_named(catalog, taste_of(catalog, heard))[-MOST:],
        last=_last(heard),
        complaint=None if complaint < 0 else facets[complaint].name,
        closed=[facet.name for f, facet in enumerate(facets) if heard.closed[f]],
        impatience=min(3, heard.impatience),
    )


def check_extraction(situation: Situation, _: Nothing, found: Extraction) -> None:
    """Raise ValueError where an extraction speaks of what there is not."""
    names = [facet.name for facet in situation.catalog.domain.facets]
    used = [*(entry.facet for entry in found.named), *found.closed]
    for name in used if found.complaint is None else [*used, found.complaint]:
        if name not in names:
            raise ValueError(f"{name[:40]!r} is no facet; the facets are {', '.join(names)}")
    if found.last != "said" and situation.last_offer < 0:
        raise ValueError(f"'last' is {found.last!r}, but nothing was offered yet; it is 'said'")


def state_of(situation: Situation, found: Extraction) -> SpokenState:
    """An extraction by indices.

    Values that the catalogue lacks are left out, and so is a wish for details of an offer that was
    explained already: a second explanation would say the same.
    """
    catalog = situation.catalog
    heard = hear(situation)
    names = [facet.name for facet in catalog.domain.facets]
    answered = found.last == "details" and situation.last_offer in heard.explained
    rejected = found.last == "rejected" and found.complaint is not None
    return SpokenState(
        taste=_taste(catalog, found),
        asked=heard.asked,
        streak=heard.streak,
        offers=len(heard.offers),
        explained=len(heard.explained),
        last="said" if answered else found.last,
        complaint=names.index(found.complaint) if rejected and found.complaint else -1,
        closed=tuple(name in found.closed for name in names),
        impatience=found.impatience,
    )


def _last(heard: Heard) -> Last:
    if heard.details >= 0:
        return "details"
    if heard.just is None:
        return "said"
    return "seen" if heard.just.seen else "rejected"


def _named(catalog: Catalog, taste: Taste) -> list[Named]:
    named = []
    for f, facet in enumerate(catalog.domain.facets):
        pairs = [(v, True) for v in taste.wanted[f]] + [(v, False) for v in taste.unwanted[f]]
        named += [
            Named(facet=facet.name, value=_name(catalog, f, v), other=None, wanted=wanted)
            for v, wanted in pairs
        ]
        named += [
            Named(facet=facet.name, value=_name(catalog, f, a), other=_name(catalog, f, b),
                  wanted=True)
            for a, b in taste.unclear[f]
        ]  # fmt: skip
    return named


def _name(catalog: Catalog, facet: int, value: int) -> str:
    return encodable(catalog.value(facet, value))


def _taste(catalog: Catalog, found: Extraction) -> Taste:
    wanted, unwanted, unclear = [], [], []
    for f, facet in enumerate(catalog.domain.facets):
        known: dict[int, bool] = {}
        pairs: dict[tuple[int, int], None] = {}
        for entry in found.named:
            value = find_value(catalog, f, entry.value) if entry.facet == facet.name else -1
            other = -1 if entry.other is None else find_value(catalog, f, entry.other)
            if value >= 0 and other >= 0 and value != other:
                pairs[value, other] = None
            elif value >= 0:
                known[value] = entry.wanted
        wanted.append(tuple(value for value, is_wanted in known.items() if is_wanted))
        unwanted.append(tuple(value for value, is_wanted in known.items() if not is_wanted))
        unclear.append(tuple(pair for pair in pairs if not any(known.get(value) for value in pair)))
    return Taste(tuple(wanted), tuple(unwanted), tuple(unclear))
