"""Small catalogues: one by hand, and any by hypothesis."""

from hypothesis import strategies as st

from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import Domain, Facet, load_domain

MOVIE = load_domain("movie")
BOOK = load_domain("book")

TOY_DOMAIN = Domain(
    "toy",
    "toy",
    "toys",
    (
        Facet("kind", "all", "KindInquiry", "kind", "kinds"),
        Facet("maker", "any", "MakerInquiry", "maker", "makers", person=True, goal_size=2),
    ),
)


def row(
    item_id: str,
    title: str,
    *values: str,
    year: int | None = None,
    plot: str = "",
    popularity: float | None = None,
) -> ItemRow:
    """A row whose facets are given as ``one|two`` each."""
    facets = tuple(tuple(v for v in one.split("|") if v) for one in values)
    return ItemRow(item_id, title, year, facets, plot, popularity)


def subsets(names: str, least: int = 0) -> st.SearchStrategy[tuple[str, ...]]:
    """Distinct letters in any order."""
    return st.lists(st.sampled_from(names), unique=True, min_size=least).map(tuple)


@st.composite
def toy_rows(draw: st.DrawFn, largest: int = 30) -> list[ItemRow]:
    """Rows of the toy domain with few values, so that they collide, and some gaps."""
    count = draw(st.integers(1, largest))
    years = st.none() | st.integers(1990, 1996)
    return [
        ItemRow(
            str(i),
            draw(st.sampled_from(["Top", "The Top", "Drum", "Kite", "Kíte!", "Ball"])),
            draw(years),
            (draw(subsets("abcd")), draw(subsets("WXYZ"))),
            draw(st.sampled_from(["", "it spins", "it flies over a ball"])),
        )
        for i in range(count)
    ]


def toys(largest: int = 30) -> st.SearchStrategy[Catalog]:
    """Catalogues of :func:`toy_rows`."""
    return toy_rows(largest).map(lambda rows: build_catalog(TOY_DOMAIN, rows, "toys"))
