"""The belief over candidates, and imagined dialogues over them."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.candidate_talk import TalkMaker
from baselines.candidates import BeliefSettings, Candidates, believed_candidates, search_text, weigh
from baselines.extraction import embedded_extraction, state_of
from baselines.searching import SearchSettings
from baselines.steps import Nothing
from baselines.taste import Taste
from catalogs.catalog import Catalog
from retrieval.situation import spoken_situation
from tests.baselines.texts_only import opened
from tests.small_world import films, index

SMALL = films()
NONE = ((), (), ())


def taste(catalog: Catalog, *wanted: tuple[str, ...], unwanted: str = "") -> Taste:
    values = tuple(
        tuple(catalog.value_index(f, name) for name in names) for f, names in enumerate(wanted)
    )
    rid = (catalog.value_index(0, unwanted),) if unwanted else ()
    return Taste(values, (rid, (), ()), NONE)


def everything(catalog: Catalog, wanted: Taste, text: float = 0.1) -> Candidates:
    return weigh(catalog, range(len(catalog)), wanted, BeliefSettings(text=text))


def test_what_has_everything_that_was_named_comes_first() -> None:
    wanted = taste(SMALL, ("thriller", "crime"), ("Otto Brand",), ("B. Tash",))
    found = everything(SMALL, wanted)
    assert {SMALL.items[i].id for i in found.items[:2]} == {"vault", "vault2"}
    assert sum(found.weights) == pytest.approx(1.0)
    assert list(found.weights) == sorted(found.weights, reverse=True)


def test_one_person_of_several_suffices_but_every_genre_counts() -> None:
    one = everything(SMALL, taste(SMALL, (), ("Ada Lind", "Tom Hollis"), ()), text=0.0)
    both, either = index(SMALL, "harbour"), index(SMALL, "vault")
    by_item = dict(zip(one.items, one.weights, strict=True))
    far = by_item[index(SMALL, "moth")]
    assert by_item[either] > 10 * far
    assert by_item[both] / by_item[either] < 3
    genres = everything(SMALL, taste(SMALL, ("drama", "war"), (), ()))
    assert genres.items[0] == index(SMALL, "parade")


def test_what_is_unwanted_sinks() -> None:
    plain = everything(SMALL, taste(SMALL, ("thriller",), (), ()))
    without = everything(SMALL, taste(SMALL, ("thriller",), (), (), unwanted="horror"))
    cellar = index(SMALL, "cellar")
    assert without.items.index(cellar) > plain.items.index(cellar)


def test_candidates_come_from_the_texts_and_exclude_what_was_offered() -> None:
    view = opened(SMALL, "A thriller with Ada Lind, please.")
    wish = taste(SMALL, ("thriller",), ("Ada Lind",), ())
    query = search_text(view, wish)
    found = believed_candidates(view, query, wish, BeliefSettings(keep=5), 0)
    assert len(found.items) == 5
    first = found.items[0]
    rest = believed_candidates(view, query, wish, BeliefSettings(keep=5), SMALL.works[first])
    assert first not in rest.items
    none = believed_candidates(view, query, wish, BeliefSettings(), SMALL.everything)
    assert none.items == ()


def test_information_tells_which_facet_parts_the_candidates() -> None:
    items = [index(SMALL, name) for name in ("harbour", "vault", "quay")]  # one genre set
    found = Candidates(SMALL, items, [1.0, 1.0, 1.0])
    told = frozenset(SMALL.items[items[0]].values[0])
    assert found.tells(found.everything, 0, told) == 0.0
    assert found.tells(found.everything, 1, frozenset()) == pytest.approx(0.918, abs=1e-3)
    assert found.entropy(found.everything) == pytest.approx(1.585, abs=1e-3)
    assert found.entropy(1) == 0.0


@pytest.mark.parametrize(
    "wrong",
    [{"pool": 0}, {"keep": 1.5}, {"missing": 0.0}, {"lacking": 2}, {"text": -1}, {"pool": True}],
)
def test_settings_out_of_range_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"planner.{next(iter(wrong))} must be"):
        BeliefSettings(**wrong)


@given(seed=st.integers(0, 2**32), acts=st.lists(st.sampled_from([0, 1, 2, 9]), max_size=8))
def test_an_imagined_dialogue_stays_consistent(seed: int, acts: list[int]) -> None:
    """Who wants an item never loses it by answering, and accepts it and nothing else."""
    situation = spoken_situation(opened(SMALL, "A thriller, please."))
    state = state_of(situation, embedded_extraction(situation, Nothing()))
    found = everything(SMALL, state.taste)
    rng = random.Random(seed)
    talk = TalkMaker(found, state, 2, SearchSettings()).draw(rng)
    wanted = SMALL.items[found.items[talk.target]]
    for number, act in enumerate(acts, start=1):
        before = talk.told[:]
        if act == 9:
            place = talk.place()
            accepted = talk.offer()
            assert accepted == (
                place == 0 and talk.streak == 0 and not talk.left >> talk.target & 1
            )
            if accepted:
                return
        elif talk.ask(found, act, 0.7, rng):
            (new,) = talk.told[act] - before[act]
            assert new in wanted.values[act]
        assert talk.left >> talk.target & 1
        assert talk.turn == 2 + number
