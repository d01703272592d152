"""How simulated users sound: styles differ, and nothing is said by accident."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from dialogue.acts import Kind, UserAct
from language.cues import CueFinder
from language.lexicon import build_lexicon
from language.mentions import MentionFinder
from language.phrases import answers, moods, offers, wishes
from language.style import AGES, EMOTIONS, Style
from language.tracker import EmbeddedTracker
from language.voice import UserVoice
from language.wording import Wording
from tests.language.samples import STYLES, awkward_catalog, fresh_view, small_catalog

CATALOG = small_catalog()
LEXICON = build_lexicon(CATALOG)
VOICE = UserVoice(CATALOG, LEXICON)
COMEDY = UserAct(int(Kind.LIKE), 0, CATALOG.value_index(0, "comedy"))


def said(
    style: Style, acts: tuple[UserAct, ...], seed: int, action: int = -1, item: int = -1
) -> str:
    view = fresh_view(CATALOG)
    if action >= 0:
        view.apply_system(action, item)
    return VOICE.say(acts, style, view, random.Random(seed))


@pytest.mark.parametrize("acts", [(), (COMEDY,), (UserAct(int(Kind.EVADE), 0),)])
def test_styles_differ(acts: tuple[UserAct, ...]) -> None:
    """Any two of the ten styles share less than half of their utterances."""
    action = 0 if acts else -1
    texts = {s: {said(s, acts, seed, action) for seed in range(60)} for s in STYLES}
    for a, b in combinations(STYLES, 2):
        assert len(texts[a] & texts[b]) < 0.5 * min(len(texts[a]), len(texts[b])), (a, b)


def test_one_style_varies() -> None:
    for style in STYLES:
        assert len({said(style, (COMEDY,), seed) for seed in range(40)}) >= 8


def test_the_stream_alone_decides() -> None:
    for style in STYLES:
        assert said(style, (COMEDY,), 7) == said(style, (COMEDY,), 7)


def test_a_greeting_opens_and_only_opens() -> None:
    style = STYLES[3]
    greetings = answers.GREETING[style.age]
    assert all(said(style, (COMEDY,), seed).startswith(greetings) for seed in range(20))
    assert not any(said(style, (COMEDY,), seed, 0).startswith(greetings) for seed in range(20))


def test_an_empty_opening_asks_for_an_item() -> None:
    for style in STYLES:
        assert CATALOG.domain.noun in said(style, (), 5)


def test_values_are_paraphrased_and_slips_happen() -> None:
    excited, adult = STYLES[0], STYLES[3]
    star = UserAct(int(Kind.LIKE), 1, CATALOG.value_index(1, "Jeremiah Stonegate"))
    names = [said(excited, (star,), seed).lower() for seed in range(200)]
    slipped = sum("jeremiah stonegate" not in text for text in names)
    assert 2 <= slipped <= 60
    genres = [said(adult, (COMEDY,), seed).lower() for seed in range(100)]
    assert any("comedies" in text or "funny" in text for text in genres)


def test_slips_never_name_somebody_else() -> None:
    catalog = awkward_catalog()
    finder = MentionFinder(build_lexicon(catalog), CueFinder().words)
    wording = Wording(catalog, finder)
    for facet, names in enumerate(catalog.vocabulary):
        for value, name in enumerate(names):
            for seed in range(30):
                style = STYLES[seed % len(STYLES)]
                written = wording.value(facet, value, style, random.Random(seed))
                assert written == name or wording.means(written, facet, value)


def test_titles_are_quoted_safely() -> None:
    catalog = awkward_catalog()
    wording = Wording(catalog, MentionFinder(build_lexicon(catalog), CueFinder().words))
    for item in catalog.items:
        title = wording.title(item.index)
        assert title == "that one" or title.count('"') == 2
        assert "\n" not in title
        assert len(title) <= 82


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_moods_mean_nothing(emotion: str) -> None:
    """Interjections, greetings and small talk are never taken for a statement, in any situation."""
    tracker = EmbeddedTracker(CATALOG, LEXICON)
    texts = [*moods.BEFORE[emotion], *moods.AFTER[emotion]]
    for table in (answers.GREETING, answers.OTHER, answers.REQUEST):
        texts += [text.format(noun="movie") for age in AGES for text in table[age]]
    for action, item in ((0, -1), (3, -1), (4, 2), (5, 2)):
        view = fresh_view(CATALOG)
        view.apply_system(4, 2)
        view.apply_system(action, item)
        for text in texts:
            assert {act.kind for act in tracker.track(text, view)} == {Kind.OTHER}, text


def test_every_age_and_emotion_has_phrases() -> None:
    by_age = [wishes.LIKE_THING, wishes.LIKE_PERSON, wishes.DISLIKE_THING, wishes.DISLIKE_PERSON]
    by_age += [wishes.VAGUE, wishes.VAGUE_PAIR, wishes.CORRECT, answers.EVADE, answers.NOMORE]
    by_age += [offers.REJECT, offers.REASON_THING, offers.REASON_PERSON, offers.REASON_FACET]
    by_age += [offers.SEEN, offers.DETAILS, offers.ACCEPT, offers.QUIT, *offers.SIGH.values()]
    assert all(set(table) == set(AGES) and all(table.values()) for table in by_age)
    by_emotion = (moods.BEFORE, moods.AFTER, wishes.LIKE_BY_EMOTION)
    assert all(set(table) == set(EMOTIONS) and all(table.values()) for table in by_emotion)


def test_sighs_of_different_levels_share_no_wording() -> None:
    for age in AGES:
        levels = [set(offers.SIGH[level][age]) for level in (1, 2, 3)]
        assert len(set.union(*levels)) == sum(map(len, levels))


@pytest.mark.parametrize(("emotion", "age"), [("rage", "adults"), ("trust", "infants")])
def test_unknown_styles_are_refused(emotion: str, age: str) -> None:
    with pytest.raises(ValueError, match="choose one of"):
        Style(emotion, age)
