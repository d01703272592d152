"""Random catalogues, goals, users and conversations for hypothesis."""

from hypothesis import strategies as st

from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import Domain, Facet
from catalogs.goal import Goal
from dialogue.view import SystemTurn
from envs.world import World
from language.style import AGES, EMOTIONS, Style
from simulators.behaviour import PROBABILITIES, Behaviour
from simulators.personas import Persona
from tests.small_world import world

TOPICS = ("comedy", "horror", "drama", "crime", "western")
PEOPLE = ("Ada Lind", "Tom Hollis", "Mira Castell", "Otto Brand")
TITLES = ("Harbour", "The Harbour", "Hárbour!", "Moth Song", "Nine Moons", "Quay")
VAGUE: dict[str, tuple[str, ...]] = {"dark": ("horror", "crime"), "gritty": ("crime", "drama")}

_GENRE = Facet("genre", "all", "GenreInquiry", "genre", "genres", vague=VAGUE)
_MOOD = Facet("mood", "any", "MoodInquiry", "mood", "moods")
_STAR = Facet("star", "any", "StarInquiry", "actor", "actors", person=True, goal_size=3)
_MAKER = Facet("maker", "any", "MakerInquiry", "maker", "makers", person=True, goal_size=2)
DOMAINS = (
    Domain("film", "film", "films", (_GENRE, _STAR, _MAKER)),
    Domain("book", "book", "books", (_GENRE, _MAKER)),
    Domain("mood", "song", "songs", (_MOOD,)),
    Domain("toys", "toy", "toys", (_STAR, _GENRE)),
)


def _values(facet: Facet) -> st.SearchStrategy[tuple[str, ...]]:
    names = PEOPLE if facet.person else TOPICS
    return st.lists(st.sampled_from(names), unique=True, max_size=4).map(tuple)


@st.composite
def catalogs(draw: st.DrawFn, largest: int = 10) -> Catalog:
    """Catalogues of few values and titles, so that items collide, repeat, and have gaps."""
    domain = draw(st.sampled_from(DOMAINS))
    rows = [
        ItemRow(
            str(i),
            draw(st.sampled_from(TITLES)),
            draw(st.none() | st.integers(1990, 1993)),
            tuple(draw(_values(facet)) for facet in domain.facets),
        )
        for i in range(draw(st.integers(1, largest)))
    ]
    return build_catalog(domain, rows, "random items")


@st.composite
def goals(draw: st.DrawFn, catalog: Catalog) -> Goal:
    """Goals that at least one item meets; some facets want nothing, some people are distractors."""
    item = catalog.items[draw(st.integers(0, len(catalog) - 1))]
    values: list[tuple[int, ...]] = []
    for f, facet in enumerate(catalog.domain.facets):
        own = item.values[f]
        wanted = draw(st.lists(st.sampled_from(own), unique=True)) if own else []
        if facet.match == "any" and wanted:
            others = st.integers(0, len(catalog.vocabulary[f]) - 1)
            extra = draw(st.lists(others, max_size=2))
            wanted = list(dict.fromkeys([*extra, *wanted]))
        values.append(tuple(wanted))
    return Goal(tuple(values))


@st.composite
def behaviours(draw: st.DrawFn) -> Behaviour:
    """Any behaviour, extremes included."""
    chance = st.sampled_from([0.0, 0.3, 0.7, 1.0])
    chances = {name: draw(chance) for name in PROBABILITIES}
    patience = draw(st.sampled_from([0.5, 1.0, 2.5, 6.0]))
    return Behaviour(**chances, patience=patience, fatigue=draw(st.integers(0, 4)))


@st.composite
def worlds(draw: st.DrawFn, largest: int = 10) -> World:
    """A random catalogue with up to four goals and three users."""
    catalog = draw(catalogs(largest))
    wanted = draw(st.lists(goals(catalog), min_size=1, max_size=4))
    people = [
        Persona(
            f"persona {i}",
            "Random.",
            Style(draw(st.sampled_from(EMOTIONS)), draw(st.sampled_from(AGES))),
            draw(behaviours()),
        )
        for i in range(draw(st.integers(1, 3)))
    ]
    return world(catalog, wanted, people)


def turns(catalog: Catalog, longest: int = 12) -> st.SearchStrategy[list[int | SystemTurn]]:
    """Sequences of actions, legal or not, and of turns that offer an item of the policy's own."""
    domain = catalog.domain
    actions = st.integers(0, len(domain.actions) - 1)
    rankings = st.lists(
        st.integers(0, len(catalog) - 1), unique=True, min_size=1, max_size=min(10, len(catalog))
    )
    own = rankings.map(lambda ranking: SystemTurn(domain.recommend, ranking=tuple(ranking)))
    recommend = st.just(domain.recommend)
    return st.lists(actions | recommend | own, min_size=1, max_size=longest)
