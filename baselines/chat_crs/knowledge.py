"""The knowledge retrieval agent: relations of the entities in the dialogue, then their triples.

The knowledge graph is the catalogue: an edge ``(item, facet, value)`` for each value of an item.
Entities are found in the texts by their names; the agent picks the relations to follow.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from baselines.heard import Heard, hear
from baselines.item_words import label_of
from baselines.steps import Shape, Step
from baselines.taste import Taste
from catalogs.catalog import Catalog
from language.prompts.facts import encodable
from language.prompts.single_call import Situation

TASK = """\
You look up facts for a recommender of {nouns}, in a graph whose edges say which {noun} has which \
value of these facets:
{facets}

You get the dialogue and the entities that were mentioned in it, numbered: values, with the facet \
that leads to the {nouns} that have them, and {nouns} that were offered, with the facets that lead \
to their values. Pick the relations whose edges the next turn needs, and say for what:
- seek: the user wants the next {noun} to have that value (or, of {article} {noun} that was \
offered, to be like it in that facet).
- maybe: a vague word of the user's may mean that value or another one.
- avoid: the user does not want that value, or took it back.
- describe: the user asks about the {noun}, and should be told its values.
An entity that does not matter now is left out. A {noun} that the user has seen before may have \
been right in every facet.

Answer with picks: a list of entity (its number), relation (name of the facet) and use."""

Use = Literal["seek", "maybe", "avoid", "describe"]


class Entity(NamedTuple):
    """A node of the graph that the dialogue mentions.

    Attributes:
        item: Item index, -1 for a value.
        facet: Facet of the value, -1 for an item.
        value: Vocabulary index, -1 for an item.
    """

    item: int
    facet: int
    value: int

    def shown(self, catalog: Catalog) -> tuple[str, list[str]]:
        """Name, and relations by facet name."""
        names = [facet.name for facet in catalog.domain.facets]
        if self.item >= 0:
            found = catalog.items[self.item]
            return label_of(catalog, self.item), [
                names[f] for f, values in enumerate(found.values) if values
            ]
        return encodable(catalog.value(self.facet, self.value)), [names[self.facet]]


def entities_of(heard: Heard) -> tuple[Entity, ...]:
    """The entities that were mentioned, in order: named values, then offered items."""
    found: dict[Entity, None] = {}
    for wish in heard.wishes:
        found[Entity(-1, wish.facet, wish.value)] = None
        if wish.other >= 0:
            found[Entity(-1, wish.facet, wish.other)] = None
    for item in heard.offers:
        found[Entity(item, -1, -1)] = None
    return tuple(found)


class Mentioned(Shape):
    """An entity as the agent is shown it."""

    entity: int
    name: str
    relations: list[str]


class KnowledgeGiven(Shape):
    """What the agent is given: the entities of the dialogue."""

    entities: list[Mentioned]


class Pick(Shape):
    """A relation to follow from an entity, and for what."""

    entity: int
    relation: str
    use: Use


class Picks(Shape):
    """The relations picked."""

    picks: list[Pick]


def mentioned(catalog: Catalog, entities: tuple[Entity, ...]) -> KnowledgeGiven:
    """The entities as the agent is shown them, numbered from 1."""
    shown = [entity.shown(catalog) for entity in entities]
    return KnowledgeGiven(
        entities=[
            Mentioned(entity=number, name=name, relations=relations)
            for number, (name, relations) in enumerate(shown, start=1)
        ]
    )


def knowledge_rules(situation: Situation, _given: KnowledgeGiven) -> Picks:
    """Seek what is wanted, avoid what is not, describe the offer that the user asks about."""
    catalog, heard = situation.catalog, hear(situation)
    picks: list[Pick] = []
    for number, entity in enumerate(entities_of(heard), start=1):
        if entity.item >= 0:
            uses: list[Use] = ["describe"] if entity.item == heard.details else []
        else:
            uses = _uses(heard, entity)
        relations = entity.shown(catalog)[1]
        picks += [Pick(entity=number, relation=r, use=use) for r in relations for use in uses]
    return Picks(picks=picks)


def _uses(heard: Heard, entity: Entity) -> list[Use]:
    if entity.value in heard.wanted(entity.facet):
        return ["seek"]
    if entity.value in heard.unwanted(entity.facet):
        return ["avoid"]
    maybe = any(entity.value in pair for pair in heard.unclear(entity.facet))
    return ["maybe"] if maybe else []


def _check(_situation: Situation, given: KnowledgeGiven, answer: Picks) -> None:
    for pick in answer.picks:
        if not 1 <= pick.entity <= len(given.entities):
            raise ValueError(f"entity {pick.entity} is none of the {len(given.entities)} given")
        relations = given.entities[pick.entity - 1].relations
        if pick.relation not in relations:
            raise ValueError(
                f"entity {pick.entity} has no relation {pick.relation[:40]!r}; it has "
                f"{', '.join(relations)}"
            )


KNOWLEDGE = Step(
    "chat_crs/knowledge", 1, TASK, KnowledgeGiven, Picks, knowledge_rules, check=_check,
    max_tokens=600,
)  # fmt: skip
"""The step: from dialogue and entities to relations."""


class Followed(NamedTuple):
    """Where the picked relations lead.

    Attributes:
        taste: Values sought, avoided and perhaps meant.
        described: Item and facet of each relation to be described.
    """

    taste: Taste
    described: tuple[tuple[int, int], ...]


def follow(
    catalog: Catalog,
    entities: tuple[Entity, ...],
    picks: Picks,
    unclear: Sequence[Sequence[tuple[int, int]]],
) -> Followed:
    """Follow the picked relations from the entities (numbered from 1).

    Args:
        catalog: The graph.
        entities: What the dialogue mentions.
        picks: The relations.
        unclear: Per facet, pairs of values of which a vague word means one. Where both are picked
            as perhaps meant, an item with both gains no more than one with either.
    """
    names = [facet.name for facet in catalog.domain.facets]
    values: dict[Use, list[dict[int, None]]] = {
        use: [{} for _ in names] for use in ("seek", "maybe", "avoid")
    }
    described: dict[tuple[int, int], None] = {}
    for pick in picks.picks:
        entity, f = entities[pick.entity - 1], names.index(pick.relation)
        if pick.use == "describe":
            described.update({(entity.item, f): None} if entity.item >= 0 else {})
        elif entity.item >= 0:
            values[pick.use][f].update(dict.fromkeys(catalog.items[entity.item].values[f]))
        else:
            values[pick.use][f][entity.value] = None
    wanted, unwanted = (tuple(tuple(found) for found in values[use]) for use in ("seek", "avoid"))
    maybe = tuple(map(_perhaps, values["maybe"], unclear))
    return Followed(Taste(wanted, unwanted, maybe), tuple(described))


def _perhaps(
    values: Collection[int], unclear: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Values perhaps meant: in pairs where a word may mean either, others for themselves."""
    found = [pair for pair in unclear if pair[0] in values and pair[1] in values]
    paired = {value for pair in found for value in pair}
    return (*found, *((value, value) for value in values if value not in paired))


def triples(situation: Situation, followed: Followed, most: int) -> list[list[str]]:
    """At most ``most`` edges, as item, facet and value by name.

    First those of the items to be described, then those that lead to the candidates.
    """
    catalog = situation.catalog
    edges = [(item, f, v) for item, f in followed.described for v in catalog.items[item].values[f]]
    taste = followed.taste
    edges += [
        (item, f, value)
        for item in situation.candidates
        for f, values in enumerate(catalog.items[item].values)
        for value in values
        if value in taste.wanted[f] or any(value in pair for pair in taste.unclear[f])
    ]
    facets = catalog.domain.facets
    return [
        [
            label_of(catalog, item),
            facets[f].name,
            encodable(catalog.value(f, value)),
        ]
        for item, f, value in edges[:most]
    ]
