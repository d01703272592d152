"""Text and acts lead to the same public state: what is said is what is understood."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs.catalog import Catalog
from catalogs.location import data_root
from catalogs.sources import open_catalog
from dialogue.acts import Kind, UserAct, UserActs
from dialogue.view import DialogueView
from language.lexicon import build_lexicon
from language.style import Style
from language.tracker import EmbeddedTracker
from language.voice import UserVoice
from tests.language.samples import (
    STYLES,
    TurnSampler,
    awkward_catalog,
    fresh_view,
    other_domain_catalog,
    small_catalog,
)

REQUIRED = 0.99


class Pair(NamedTuple):
    catalog: Catalog
    voice: UserVoice
    tracker: EmbeddedTracker


def make_pair(catalog: Catalog) -> Pair:
    lexicon = build_lexicon(catalog)
    return Pair(catalog, UserVoice(catalog, lexicon), EmbeddedTracker(catalog, lexicon))


def public(view: DialogueView) -> tuple[object, ...]:
    """What a policy can see of the user's reaction."""
    return (
        view.state.to_json(view.catalog),
        view.just_rejected,
        view.reason,
        view.details,
        view.impatience,
        view.ended,
        view.offers,
        view.rejections,
        view.seen,
    )


def agree(pair: Pair, view: DialogueView, acts: UserActs, text: str) -> bool:
    """Whether acts and text lead to equal public facts."""
    meant, heard = view.fork(), view.fork()
    meant.apply_user(acts)
    heard.apply_user(pair.tracker.track(text, view))
    return public(meant) == public(heard)


def disagreements(
    pair: Pair, dialogues: int, seed: int, report: Callable[[str], None] = print
) -> tuple[int, int]:
    """Number of turns in which text and acts differ, and number of turns, over random dialogues."""
    rng = random.Random(seed)
    sampler = TurnSampler(pair.catalog, rng)
    wrong = turns = 0
    for dialogue in range(dialogues):
        style = STYLES[dialogue % len(STYLES)]
        view = fresh_view(pair.catalog)
        for turn in range(8):
            acts = sampler.reply(view) if turn else sampler.opening()
            text = pair.voice.say(acts, style, view, rng)
            turns += 1
            if not agree(pair, view, acts, text):
                wrong += 1
                report(f"{style} meant {acts}: {text!r} -> {pair.tracker.track(text, view)}")
            view.apply_user(acts)
            if view.ended or not any(view.mask()):
                break
            view.apply_system(*sampler.system(view))
    return wrong, turns


@pytest.mark.parametrize("build", [small_catalog, awkward_catalog, other_domain_catalog])
def test_realistic_turns(build: Callable[[], Catalog]) -> None:
    wrong, turns = disagreements(make_pair(build()), dialogues=400, seed=3)
    assert turns > 1500
    assert wrong <= (1 - REQUIRED) * turns


@pytest.mark.data
@pytest.mark.parametrize("name", ["redial", "opendialkg_movie", "opendialkg_book"])
def test_realistic_turns_on_published_catalogues(name: str) -> None:
    catalog = open_catalog(name)
    if catalog.source != name:
        pytest.skip(f"{name} is not below {data_root()}; set CRS_DATA to the published data")
    wrong, turns = disagreements(make_pair(catalog), dialogues=300, seed=5)
    assert turns > 1500
    assert wrong <= (1 - REQUIRED) * turns


SMALL = make_pair(small_catalog())


@given(
    facet=st.integers(0, 2),
    picks=st.lists(st.integers(0, 10**6), min_size=2, max_size=2),
    kind=st.sampled_from(
        [Kind.LIKE, Kind.DISLIKE, Kind.CORRECT, Kind.VAGUE, Kind.EVADE, Kind.NOMORE]
    ),
    style=st.sampled_from(STYLES),
    asked=st.integers(0, 2),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=400, deadline=None)
def test_any_single_statement_is_understood(
    facet: int, picks: list[int], kind: Kind, style: Style, asked: int, seed: int
) -> None:
    size = len(SMALL.catalog.vocabulary[facet])
    first, second = picks[0] % size, picks[1] % size
    if first == second:
        second = (first + 1) % size
    if kind == Kind.VAGUE:
        first, second = sorted((first, second))
    pair = kind in (Kind.CORRECT, Kind.VAGUE)
    if kind in (Kind.EVADE, Kind.NOMORE):
        act = UserAct(int(kind), facet)
    else:
        act = UserAct(int(kind), facet, first, second if pair else -1)
    view = fresh_view(SMALL.catalog)
    view.apply_system(asked, -1)
    text = SMALL.voice.say((act,), style, view, random.Random(seed))
    assert SMALL.tracker.track(text, view) == (act,), text


ACT = st.builds(
    UserAct,
    st.sampled_from([int(kind) for kind in Kind]),
    st.integers(0, 2),
    st.integers(0, 3),
    st.integers(0, 3),
)


@given(acts=st.lists(ACT, max_size=5), style=st.sampled_from(STYLES), seed=st.integers(0, 999))
@settings(max_examples=300, deadline=None)
def test_everything_is_sayable(acts: list[UserAct], style: Style, seed: int) -> None:
    """Any combination has a text, and the same numbers give the same text."""
    texts = set()
    for _ in range(2):
        view = fresh_view(SMALL.catalog)
        view.apply_system(4, 0)
        texts.add(SMALL.voice.say(tuple(acts), style, view, random.Random(seed)))
    assert len(texts) == 1
    assert texts.pop().strip()


def test_every_kind_is_drawn() -> None:
    """The sampler of realistic turns leaves no kind of act untested."""
    rng = random.Random(0)
    sampler = TurnSampler(SMALL.catalog, rng)
    kinds: Counter[int] = Counter()
    for _ in range(200):
        view = fresh_view(SMALL.catalog)
        view.apply_user(sampler.opening())
        for _ in range(4):
            view.apply_system(*sampler.system(view))
            acts = sampler.reply(view)
            kinds.update(act.kind for act in acts)
            view.apply_user(acts)
    assert set(kinds) >= {int(kind) for kind in Kind} - {int(Kind.OTHER)}
