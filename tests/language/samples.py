"""Catalogues and realistic turns for the tests of the language layer."""

from __future__ import annotations

import random

from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import load_domain, parse_domain
from dialogue.acts import Kind, UserAct, UserActs
from dialogue.view import Assessment, DialogueView
from language.style import Style

STYLES = (
    Style("excitement", "teens"),
    Style("boredom", "teens"),
    Style("trust", "seniors"),
    Style("frustration", "adults"),
    Style("curiosity", "children"),
    Style("confusion", "seniors"),
    Style("indifference", "adults"),
    Style("anticipation", "adults"),
    Style("disappointment", "seniors"),
    Style("delight", "children"),
)


def small_catalog() -> Catalog:
    """Twelve made-up films with common genres and some people in two roles."""
    rows = [
        row(
            "a", "Harbour of Glass", "action|thriller", "Ada Winterbourne|Tom Hollis", "Ines Corvo"
        ),
        row("b", "War Horse Parade", "war|drama", "Tom Hollis|Mira Castellan", "Bruno Tash"),
        row("c", "Love, Generally", "romance|comedy", "Ada Winterbourne|Lee Park", "Ines Corvo"),
        row("d", "Crime", "crime|drama|thriller", "Otto Brandvold", "Bruno Tash"),
        row("e", "Moth Music", "musical|family|fantasy", "Mira Castellan", "Ines Corvo"),
        row("f", "The Sad Comedian", "comedy|drama", "Bruno Tash|Lee Park", "Wanda Quill"),
        row("g", "Nine Moons", "sci-fi|adventure", "Jeremiah Stonegate", "Wanda Quill"),
        row(
            "h", "Dust & Rope", "western|action", "Jeremiah Stonegate|Anna Park", "Clement Ashdown"
        ),
        row("i", "Old Paint", "documentary|biography|history", "", "Clement Ashdown"),
        row("j", "Cellar", "horror|mystery", "Otto Brandvold|Anna Park", "Wanda Quill"),
        row("k", "Last Inning", "sport|drama|biography", "Tom Hollis", "Bruno Tash"),
        row("l", "Paper Fox", "animation|family|adventure", "Lee Park", "Ines Corvo"),
    ]
    return build_catalog(load_domain("movie"), rows, "small test catalogue")


def awkward_catalog() -> Catalog:
    """Values with punctuation, shared spellings, everyday words, and several scripts."""
    rows = [
        row(
            "1",
            'He said "No"',
            "Sword and sorcery|War|Family (Film genre) #395",
            "Noël Ferrante|Sun",
            "J. R. Okafor",
        ),
        row(
            "2", "I Hate Horror", "Family|War film|Horror", "Noel Ferrante|Sammy Vance, Jr.", "Sun"
        ),
        row(
            "3",
            "<b>Bold</b>\nMove",
            "Science Fiction|Dark comedy",
            "Zoë O'Hara-Lindqvist",
            "Innocent",
        ),
        row("4", "", "World War I|Dark", "신경숙|Łukasz Øster", "J. R. Okafor"),
        row(
            "5",
            "Comedy",
            "World War II|Comedy|Comedy-drama",
            "Will Gore|Journey",
            "Neil de la Cruz",
        ),
        row("6", "No Thanks", "Children's film|Noir", "Jean-Pierre N'Dour", "Neil de la Cruz"),
        row("7", "x" * 300, "19th century|Law", "Bill Bye|Mo Anything", "Not Sure"),
    ]
    return build_catalog(load_domain("movie"), rows, "awkward test catalogue")


def other_domain_catalog() -> Catalog:
    """Songs, a domain that no table of phrases was written for."""
    domain = parse_domain(
        {
            "name": "song",
            "noun": "song",
            "facets": [
                {"name": "mood", "match": "all", "vague": {"dreamy": ["calm", "sad"]}},
                {"name": "tempo", "match": "any"},
                {"name": "singer", "match": "any", "person": True},
            ],
        }
    )
    rows = [
        ItemRow("1", "Blue Tin", None, (("calm", "sad"), ("slow",), ("Vera Molnar",))),
        ItemRow("2", "Up Up", None, (("happy", "wild"), ("fast",), ("Ben Adeyemi", "Vera Molnar"))),
        ItemRow("3", "Grey Sun", None, (("sad", "angry"), ("medium", "calm"), ("Kofi Lund",))),
    ]
    return build_catalog(domain, rows, "song test catalogue")


def row(key: str, title: str, genres: str, stars: str, directors: str) -> ItemRow:
    """A film from texts in which ``|`` separates values."""
    values = tuple(tuple(v for v in text.split("|") if v) for text in (genres, stars, directors))
    return ItemRow(key, title, None, values)


def fresh_view(catalog: Catalog) -> DialogueView:
    """A view before the opening; nothing here needs a retriever."""
    return DialogueView(catalog, _NoRetriever(), "text", 40)


class _NoRetriever:
    def assess(self, view: DialogueView) -> Assessment:
        raise AssertionError("the language layer must not retrieve")

    def top(self, view: DialogueView, count: int) -> tuple[int, ...]:
        raise AssertionError("the language layer must not retrieve")


class TurnSampler:
    """Draws what users realistically mean: openings, answers, reactions to offers."""

    def __init__(self, catalog: Catalog, rng: random.Random) -> None:
        self.catalog = catalog
        self.rng = rng
        self.pairs = _vague_pairs(catalog)

    def opening(self) -> UserActs:
        acts: list[UserAct] = []
        if self.rng.random() < 0.7:
            acts += self._wishes(0, 1 + (self.rng.random() < 0.4))
        if self.rng.random() < 0.4:
            acts += self._wishes(self.rng.randrange(self.catalog.domain.n_facets), 1)
        return tuple(acts)

    def system(self, view: DialogueView) -> tuple[int, int]:
        """A legal action and its item."""
        mask = view.mask()
        action = self.rng.choice([a for a, legal in enumerate(mask) if legal])
        n_facets = self.catalog.domain.n_facets
        if action == n_facets + 1:
            left = [i for i in range(len(self.catalog)) if not view.offered >> i & 1]
            return action, self.rng.choice(left)
        return action, view.offers[-1][0] if action == n_facets + 2 else -1

    def reply(self, view: DialogueView) -> UserActs:
        """Acts in reaction to the view's last action."""
        n_facets = self.catalog.domain.n_facets
        asked = view.last_action if view.last_action < n_facets else view.reason[0]
        if view.last_action <= n_facets:
            acts = self._answer(asked, view)
        else:
            acts = self._reaction(view.offers[-1][0])
        if self.rng.random() < 0.08 and acts[0].kind != Kind.QUIT:
            acts = self._slip(view) + acts
        if self.rng.random() < 0.25 and acts[0].kind not in (Kind.ACCEPT, Kind.QUIT):
            acts.append(UserAct(int(Kind.SIGH), self.rng.randint(1, 3)))
        return tuple(acts)

    def _slip(self, view: DialogueView) -> list[UserAct]:
        """Takes back something said earlier, before the actual answer."""
        for facet, likes in enumerate(view.state.likes):
            new = self._value(facet, avoid=likes)
            if likes and new >= 0:
                return [UserAct(int(Kind.CORRECT), facet, new, likes[-1])]
        return []

    def _answer(self, asked: int, view: DialogueView) -> list[UserAct]:
        kind = self.rng.random()
        if kind < 0.03:
            return [UserAct(int(Kind.QUIT))]
        if asked < 0 or kind < 0.45:
            facet = asked if asked >= 0 else self.rng.randrange(self.catalog.domain.n_facets)
            acts = self._wishes(facet, 1 + (self.rng.random() < 0.4))
            if self.rng.random() < 0.15:
                acts += [self._dislike()]
            return acts
        if kind < 0.55 and self.pairs:
            return [UserAct(int(Kind.VAGUE), *self.rng.choice(self.pairs))]
        if kind < 0.7 and view.state.likes[asked]:
            old = self.rng.choice(view.state.likes[asked])
            new = self._value(asked, avoid=(old,))
            return (
                [UserAct(int(Kind.CORRECT), asked, new, old)]
                if new >= 0
                else self._wishes(asked, 1)
            )
        if kind < 0.85:
            acts = [UserAct(int(Kind.EVADE), asked)]
        else:
            acts = [UserAct(int(Kind.NOMORE), asked)]
        if self.rng.random() < 0.2:
            acts += self._wishes((asked + 1) % self.catalog.domain.n_facets, 1)
        return acts

    def _reaction(self, item: int) -> list[UserAct]:
        kind = self.rng.random()
        for limit, simple in ((0.1, Kind.SEEN), (0.2, Kind.DETAILS), (0.3, Kind.ACCEPT)):
            if kind < limit:
                return [UserAct(int(simple), -1, -1, item)]
        if kind < 0.33:
            return [UserAct(int(Kind.QUIT))]
        facet, value = self._complaint(item) if self.rng.random() < 0.7 else (-1, -1)
        acts = [UserAct(int(Kind.REJECT), facet, value, item)]
        if self.rng.random() < 0.4:
            wanted = self.rng.randrange(self.catalog.domain.n_facets)
            acts += self._wishes(wanted, 1, avoid=(value,) if wanted == facet else ())
        return acts

    def _complaint(self, item: int) -> tuple[int, int]:
        facet = self.rng.randrange(self.catalog.domain.n_facets)
        values = self.catalog.items[item].values[facet]
        if not values or self.rng.random() < 0.1:
            return facet, -1
        return facet, self.rng.choice(values)

    def _wishes(self, facet: int, count: int, avoid: tuple[int, ...] = ()) -> list[UserAct]:
        acts: list[UserAct] = []
        for _ in range(count):
            value = self._value(facet, avoid + tuple(act.value for act in acts))
            if value >= 0:
                acts.append(UserAct(int(Kind.LIKE), facet, value))
        return acts or [UserAct(int(Kind.OTHER))]

    def _dislike(self) -> UserAct:
        facet = self.rng.randrange(self.catalog.domain.n_facets)
        return UserAct(int(Kind.DISLIKE), facet, self._value(facet))

    def _value(self, facet: int, avoid: tuple[int, ...] = ()) -> int:
        free = [v for v in range(len(self.catalog.vocabulary[facet])) if v not in avoid]
        return self.rng.choice(free) if free else -1


def _vague_pairs(catalog: Catalog) -> list[tuple[int, int, int]]:
    pairs = []
    for f, facet in enumerate(catalog.domain.facets):
        ids = catalog.value_ids[f]
        for names in facet.vague.values():
            if len(names) == 2 and all(name in ids for name in names):
                low, high = sorted(ids[name] for name in names)
                pairs.append((f, low, high))
    return pairs
