"""Information-level reflection: the user's profile, from all that was said."""

from __future__ import annotations

from baselines.heard import hear
from baselines.steps import Nothing, Shape, Step
from baselines.taste import Taste, taste_of
from baselines.utterances import facet_of, find_value
from catalogs.catalog import Catalog
from language.prompts.facts import encodable
from language.prompts.single_call import Situation

TASK = """\
You keep the profile of a user who talks to a recommender of {nouns}.

Read the whole dialogue and work out what the user wants, from statements, from answers, and from \
reactions to offers. What the user corrects later replaces what was said before. Of an offer that \
was turned down, only what the user complained about is unwanted; a {noun} that the user has seen \
before says nothing about taste. Invent nothing.

A profile is about these facets:
{facets}

Answer with:
- wanted: what the {noun} should have, as facet (its name in the list) and name (as it is usually \
written).
- unwanted: what it should not have.
- unclear: where a vague word may mean several values and the user has not said which: the facet, \
and the names that it may mean."""


class Named(Shape):
    """A value by the names of its facet and itself."""

    facet: str
    name: str


class Unclear(Shape):
    """Names of a facet of which the user means one."""

    facet: str
    names: list[str]


class Profile(Shape):
    """What the user wants."""

    wanted: list[Named]
    unwanted: list[Named]
    unclear: list[Unclear]

    def query(self) -> str:
        """The wanted names, those that may be wanted last: what to search with."""
        names = [named.name for named in self.wanted]
        names += [name for unclear in self.unclear for name in unclear.names]
        return ", ".join(dict.fromkeys(names))

    def taste(self, catalog: Catalog) -> Taste:
        """The profile's values; facets and names that the catalogue lacks are left out."""
        n_facets = catalog.domain.n_facets
        unclear: list[tuple[tuple[int, int], ...]] = [()] * n_facets
        for doubt in self.unclear:
            values = _values(catalog, [Named(facet=doubt.facet, name=n) for n in doubt.names])
            for f, found in enumerate(values):
                if len(found) > 1:
                    unclear[f] += ((found[0], found[1]),)
        return Taste(_values(catalog, self.wanted), _values(catalog, self.unwanted), tuple(unclear))


def _values(catalog: Catalog, named: list[Named]) -> tuple[tuple[int, ...], ...]:
    values: list[list[int]] = [[] for _ in catalog.domain.facets]
    for entry in named:
        f = facet_of(catalog, entry.facet)
        value = find_value(catalog, f, entry.name) if f >= 0 else -1
        if value >= 0:
            values[f].append(value)
    return tuple(map(tuple, values))


def profile_rules(situation: Situation, _given: Nothing) -> Profile:
    """The values that the user named."""
    catalog = situation.catalog
    taste = taste_of(catalog, hear(situation))
    return Profile(
        wanted=_named(catalog, taste.wanted),
        unwanted=_named(catalog, taste.unwanted),
        unclear=[
            Unclear(facet=facet.name, names=[encodable(catalog.value(f, value)) for value in pair])
            for f, facet in enumerate(catalog.domain.facets)
            for pair in taste.unclear[f]
        ],
    )


def _named(catalog: Catalog, values: tuple[tuple[int, ...], ...]) -> list[Named]:
    return [
        Named(facet=facet.name, name=encodable(catalog.value(f, value)))
        for f, facet in enumerate(catalog.domain.facets)
        for value in values[f]
    ]


PROFILE = Step("macrs/profile", 1, TASK, Nothing, Profile, profile_rules, max_tokens=600)
"""The step: from the dialogue to the profile."""
