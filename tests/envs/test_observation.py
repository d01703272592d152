"""The numeric observation: named entries, and what each one says."""

import math

import numpy as np
import pytest

from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.view import DialogueView
from envs.observation import FACET_ENTRIES, GLOBAL_ENTRIES, Observer
from retrieval.structured import StructuredRetriever
from tests.catalogs.small import TOY_DOMAIN
from tests.small_world import index


@pytest.fixture
def view(small: Catalog) -> DialogueView:
    return DialogueView(small, StructuredRetriever(small), "acts", 10)


def read(view: DialogueView) -> dict[str, float]:
    """The observation by name."""
    observer = Observer(view.catalog.domain, len(view.catalog))
    return dict(zip(observer.names, observer.encode(view).tolist(), strict=True))


def say(view: DialogueView, *acts: UserAct) -> None:
    view.apply_user(acts)


def test_names(small: Catalog) -> None:
    names = Observer(small.domain, len(small)).names
    assert len(names) == 3 * len(FACET_ENTRIES) + len(GLOBAL_ENTRIES) + 3 + 6 == 58
    assert names[0] == "genre.missing"
    assert names[-1] == "last.ItemExplanation"
    assert "reason.director" in names
    toys = Observer(TOY_DOMAIN, len(small))
    assert toys.size == 2 * len(FACET_ENTRIES) + len(GLOBAL_ENTRIES) + 2 + 5


def test_at_the_beginning(view: DialogueView, small: Catalog) -> None:
    seen = read(view)
    on = {name for name, value in seen.items() if value}
    assert on == {"genre.missing", "star.missing", "director.missing", "candidates", "entropy"}
    assert seen["candidates"] == pytest.approx(1 / len(small))
    assert seen["entropy"] == 1.0


def test_status_is_one_of_four(view: DialogueView) -> None:
    statuses = ("missing", "ambiguous", "stated", "corrected")

    def status() -> list[str]:
        seen = read(view)
        return [name for name in statuses if seen[f"genre.{name}"] == 1.0]

    assert status() == ["missing"]
    say(view, UserAct(Kind.VAGUE, 0, 0, 1))
    assert status() == ["ambiguous"]
    say(view, UserAct(Kind.LIKE, 0, 0))
    assert status() == ["stated"]
    say(view, UserAct(Kind.CORRECT, 0, 2, 0))
    assert status() == ["corrected"]


def test_counts_and_confidence(view: DialogueView) -> None:
    view.apply_system(0, -1)
    say(view, UserAct(Kind.LIKE, 0, 0), UserAct(Kind.LIKE, 0, 1), UserAct(Kind.DISLIKE, 1, 0))
    view.apply_system(1, -1)
    say(view, UserAct(Kind.EVADE, 1), UserAct(Kind.NOMORE, 2), UserAct(Kind.VAGUE, 0, 2, 3))
    seen = read(view)
    assert seen["genre.likes"] == pytest.approx(2 / 4)
    assert seen["genre.unclear"] == pytest.approx(1 / 3)
    assert seen["genre.confidence"] == pytest.approx(1 - 0.4 * 0.4 * 0.7)
    assert seen["star.dislikes"] == pytest.approx(1 / 3)
    assert seen["star.asked"] == pytest.approx(1 / 3)
    assert seen["star.evasions"] == pytest.approx(1 / 3)
    assert (seen["director.closed"], seen["star.closed"]) == (1.0, 0.0)
    assert seen["turn"] == pytest.approx(0.2)
    assert seen["streak"] == pytest.approx(2 / 4)
    assert seen["last.StarInquiry"] == 1.0
    assert sum(value for name, value in seen.items() if name.startswith("last.")) == 1.0


def test_reactions(view: DialogueView, small: Catalog) -> None:
    cellar, vault = index(small, "cellar"), index(small, "vault")
    view.apply_system(4, cellar)
    say(view, UserAct(Kind.REJECT, 1, 2, cellar), UserAct(Kind.SIGH, 1))
    seen = read(view)
    assert seen["rejections"] == pytest.approx(1 / 3)
    assert (seen["just_rejected"], seen["seen"]) == (1.0, 0.0)
    assert (seen["reason.star"], seen["reason.genre"]) == (1.0, 0.0)
    assert seen["star.doubts"] == pytest.approx(1 / 3)
    assert seen["impatience"] == pytest.approx(1 / 3)
    view.apply_system(4, vault)
    say(view, UserAct(Kind.DETAILS, -1, -1, vault))
    seen = read(view)
    assert (seen["details_asked"], seen["just_rejected"], seen["reason.star"]) == (1, 0, 0)
    view.apply_system(5, vault)
    say(view, UserAct(Kind.SEEN, -1, -1, vault))
    seen = read(view)
    assert seen["explained"] == seen["seen"] == pytest.approx(1 / 3)
    assert seen["rejections"] == pytest.approx(2 / 4)


def test_candidates_and_scores(view: DialogueView, small: Catalog) -> None:
    say(view, UserAct(Kind.LIKE, 0, small.value_index(0, "crime")))
    say(view, UserAct(Kind.LIKE, 2, small.value_index(2, "B. Tash")))
    seen = read(view)  # vault, vault2 and quay meet both
    assert seen["candidates"] == pytest.approx(1 / 3)
    assert seen["entropy"] == pytest.approx(math.log2(3) / math.log2(len(small)))
    assert [seen[f"score_{k}"] for k in (1, 2, 3)] == [1.0, 1.0, 1.0]
    view.apply_system(4, index(small, "vault"))
    seen = read(view)
    assert seen["candidates"] == 1.0
    assert seen["entropy"] == 0.0
    assert (seen["score_1"], seen["score_2"]) == (1.0, 0.5)


def test_nothing_left(view: DialogueView, small: Catalog) -> None:
    view.offered = small.everything
    seen = read(view)
    assert [seen[name] for name in ("candidates", "entropy", "score_1")] == [0, 0, 0]


def test_it_is_a_fresh_array_each_time(view: DialogueView, small: Catalog) -> None:
    observer = Observer(small.domain, len(small))
    first, second = observer.encode(view), observer.encode(view)
    assert first.dtype == np.float32
    first[:] = 0
    assert second.any()
    assert np.array_equal(observer.encode(view), second)


def test_equal_preferences_look_equal_whatever_the_history(view: DialogueView) -> None:
    """Nothing is kept between calls: two views with the same public facts, the same numbers."""
    other = view.fork()
    view.apply_user((UserAct(Kind.LIKE, 0, 3), UserAct(Kind.LIKE, 1, 0)))
    other.apply_user((UserAct(Kind.LIKE, 1, 0),))
    assert read(view) != read(other)
    other.apply_user((UserAct(Kind.LIKE, 0, 3),))
    assert read(view) == read(other)
