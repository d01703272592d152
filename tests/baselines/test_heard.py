"""Reading a dialogue's texts: what the system did, what the user named, refused and asked."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.heard import Heard, Rejection, Wish, hear, hear_lines
from baselines.inter_crs import InterCRS, InterCRSSettings
from baselines.taste import taste_of
from baselines.told import Move, moves_of
from baselines.utterances import find_value, reader_of
from catalogs.catalog import Catalog, ItemRow, build_catalog
from catalogs.domain import load_domain
from dialogue.acts import Kind, UserAct
from envs.crs import CRSEnv
from retrieval.situation import read_situation
from tests.baselines.texts_only import opened, say
from tests.dialogues import hold
from tests.language.prompts.hostile import hostile_catalog
from tests.small_world import films, index

GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND = range(5)
SMALL = films()


def heard(catalog: Catalog, *texts: str, offered: tuple[int, ...] = ()) -> Heard:
    """A dialogue in turns: the user's opening first, then system and user in turn."""
    speakers = ("user", "system")
    lines = [(speakers[i % 2], text) for i, text in enumerate(texts)]
    return hear_lines(catalog, lines, sum(catalog.works[item] for item in offered))


def test_values_are_heard_with_what_the_user_thinks_of_them(small: Catalog) -> None:
    found = heard(
        small,
        "A thriller, please.",
        "Which actors would you like?",
        "Ada Lind. But no horror, please.",
    )
    thriller, horror = (small.value_index(GENRE, name) for name in ("thriller", "horror"))
    lind = small.value_index(STAR, "Ada Lind")
    assert found.wishes == (
        Wish(0, GENRE, thriller, -1, True),
        Wish(2, STAR, lind, -1, True),
        Wish(2, GENRE, horror, -1, False),
    )
    assert found.wanted(GENRE) == (thriller,)
    assert found.unwanted(GENRE) == (horror,)
    assert found.asked == (0, 1, 0)
    assert found.streak == 1


def test_the_later_statement_counts(small: Catalog) -> None:
    texts = ("A thriller, please.", "Which genres would you like?", "No thriller, please.")
    thriller = small.value_index(GENRE, "thriller")
    found = heard(small, *texts)
    assert (found.wanted(GENRE), found.unwanted(GENRE)) == ((), (thriller,))
    found = heard(small, *texts, "Which genres would you like?", "A thriller.")
    assert (found.wanted(GENRE), found.unwanted(GENRE)) == ((thriller,), ())


def test_a_vague_word_is_unclear_until_one_of_its_meanings_is_named(small: Catalog) -> None:
    pair = tuple(sorted(small.value_index(GENRE, name) for name in ("action", "thriller")))
    found = heard(small, "Something thrilling.")
    assert found.unclear(GENRE) == (pair,)
    assert found.wanted(GENRE) == ()
    found = heard(small, "Something thrilling.", "Action or thriller? Which genre?", "Action.")
    assert found.unclear(GENRE) == ()


def test_offers_rejections_and_their_reasons(small: Catalog) -> None:
    cellar, moth = index(small, "cellar"), index(small, "moth")
    horror = small.value_index(GENRE, "horror")
    found = heard(
        small,
        "I'm looking for a movie.",
        f"How about {small.items[cellar].label}?",
        "No, I do not want horror.",
        f"How about {small.items[moth].label}?",
        "I have already seen that one.",
        offered=(cellar, moth),
    )
    assert found.offers == (cellar, moth)
    assert found.rejections == (
        Rejection(2, cellar, False, GENRE, horror),
        Rejection(4, moth, True, -1, -1),
    )
    assert found.just == found.rejections[1]
    assert found.unwanted(GENRE) == (horror,)
    assert found.streak == 0


def test_details_are_asked_for_until_they_are_given(small: Catalog) -> None:
    item = index(small, "cellar")
    label = small.items[item].label
    texts = ("Hi.", f"How about {label}?", "Tell me more about it.")
    found = heard(small, *texts, offered=(item,))
    assert (found.details, found.asks_about_offer) == (item, True)
    more = (*texts, f"About {label}: it is scary.", "Tell me more about it.")
    found = heard(small, *more, offered=(item,))
    assert found.explained == {item}
    assert not found.asks_about_offer
    assert found.offers == (item,)


def test_evasions_ends_and_sighs(small: Catalog) -> None:
    found = heard(
        small,
        "Hi.",
        "Which actors would you like?",
        "No idea.",
        "Which directors would you like?",
        "Nobody else comes to mind. This is taking a while.",
    )
    assert found.closed == (False, False, True)
    assert found.impatience > 0
    assert found.streak == 2


MOVES = {
    "How about {label}?": Move(-1, 0, False),
    "Which genres would you like?": Move(GENRE, -1, False),
    "Any star or director that you like?": Move(STAR, -1, False),
    "What should the next movie have?": Move(-1, -1, False),
    "{title} may be for you.": Move(-1, 0, False),
    "Would you say that {title} has the genre that you want?": Move(GENRE, -1, False),
}


@pytest.mark.parametrize("text", MOVES)
def test_moves_are_read_off_the_words(small: Catalog, text: str) -> None:
    item = small.items[0]
    line = ("system", text.format(label=item.label, title=item.title))
    expected = MOVES[text]
    assert moves_of(small, [("user", "Hi."), line], small.works[0]) == {1: expected}
    if expected.item >= 0:
        found = moves_of(small, [line, ("user", "Hm."), line], small.works[0])
        assert found == {0: expected, 2: Move(-1, 0, True)}


def test_a_reflection_that_names_the_title_is_a_question(small: Catalog) -> None:
    label = small.items[0].label
    lines = [("system", f"How about {label}?"), ("user", "No."),
             ("system", f"So {label} was not it. Which genre would be better?")]  # fmt: skip
    assert moves_of(small, lines, small.works[0])[2] == Move(GENRE, -1, False)


def test_what_is_heard_is_what_was_tracked(no_data: str) -> None:
    """In the words of the embedded user, reading each utterance by itself loses little."""
    env = CRSEnv("redial", channel="text", split="train", data_dir=no_data, keep_steps=True)
    same = total = 0
    # A FailureReflection asks about a facet too, and is tracked apart from its inquiries.
    failures = dict.fromkeys(("after_reason", "after_blind", "after_seen"), "recommend")
    policy = InterCRS(InterCRSSettings(**failures))  # type: ignore[arg-type]
    for episode in range(20):
        hold(env, policy, 0, episode, "train")
        view, found = env.view, hear(read_situation(env.view))
        assert list(found.asked) == view.asked
        assert len(found.rejections) == view.rejections
        assert list(found.offers) == [item for item, _ in view.offers]
        assert found.impatience == view.impatience
        for f in range(3):
            total += 1
            same += set(found.wanted(f)) == set(view.state.likes[f])
    assert same >= 0.95 * total


def test_items_fit_by_what_was_named(small: Catalog) -> None:
    found = heard(
        small,
        "A thriller about crime.",
        "Which actors would you like?",
        "Ada Lind or Tom Hollis. No drama.",
    )
    taste = taste_of(small, found)
    # One star suffices: both in one film are worth as much as one. Drama takes one off.
    items = [index(small, name) for name in ("harbour", "vault2", "moth")]
    assert taste.fits(small, items) == [2 + 1 - 1, 2, 0]
    ordered = taste.order(small, range(len(small)))
    fits = taste.fits(small, ordered)
    assert fits == sorted(fits, reverse=True)
    assert set(taste.names(small)) == {"thriller", "crime", "Ada Lind", "Tom Hollis"}


def test_names_mean_values_in_any_writing(small: Catalog) -> None:
    lind = small.value_index(STAR, "Ada Lind")
    assert find_value(small, STAR, "Ada Lind") == lind
    assert find_value(small, STAR, "ADA LIND") == lind
    assert find_value(small, GENRE, "westerns") == small.value_index(GENRE, "western")
    assert find_value(small, GENRE, "Ada Lind") == -1
    assert find_value(small, GENRE, "") == -1


def test_readers_belong_to_their_catalogue() -> None:
    one, other = films(), films()
    assert reader_of(one) is reader_of(one)
    assert reader_of(one) is not reader_of(other)
    assert reader_of(one).catalog is one


def test_the_last_reading_is_of_this_situation(small: Catalog) -> None:
    """What is remembered belongs to the same words."""
    first = read_situation(opened(small, "A thriller."))
    other = read_situation(opened(small, "A western."))
    assert hear(first) == hear(first)
    assert hear(other) != hear(first)
    assert hear(other).wanted(GENRE) == (small.value_index(GENRE, "western"),)


@pytest.mark.parametrize("row", [0, 1])
def test_of_two_rows_of_one_work_the_one_offered_is_heard(row: int) -> None:
    """Both rows have one label, so the words alone cannot tell which was offered."""
    values = (("drama",), ("Ada Lind",), ("B. Tash",))
    rows = [ItemRow(f"row{k}", "Vault Street", 1994, values, popularity=2.0 - k) for k in (0, 1)]
    twins = build_catalog(load_domain("movie"), rows, "twins")
    view = opened(twins)
    label = twins.items[row].label
    details = UserAct(int(Kind.DETAILS), -1, -1, row)
    say(view, RECOMMEND, row, f"How about {label}?", "Tell me more about it.", (details,))
    situation = read_situation(view)
    found = hear(situation)
    assert (found.details, found.offers) == (row, (row,))
    assert found.details == situation.last_offer


TEXT = st.text(max_size=40) | st.sampled_from(
    ["Ada Lind", "Which genre?", "No.", "Seen it.", "More!", "How about Cellar (1999)?", "\ud800"]
)


@given(lines=st.lists(st.tuples(st.sampled_from(["system", "user"]), TEXT), max_size=8),
       offered=st.integers(0, 2**12 - 1), hostile=st.booleans())  # fmt: skip
def test_any_text_can_be_read(lines: Any, offered: int, hostile: bool) -> None:
    catalog = HOSTILE if hostile else SMALL
    found = hear_lines(catalog, lines, offered & catalog.everything)
    assert len(found.moves) == sum(speaker == "system" for speaker, _ in lines)
    questions = sum(move.item < 0 for move in found.moves)
    assert sum(found.asked) <= questions
    assert 0 <= found.streak <= questions
    assert set(found.offers) <= {i for i in range(len(catalog)) if offered >> i & 1}
    taste = taste_of(catalog, found)
    for f in range(3):
        assert not set(taste.wanted[f]) & set(taste.unwanted[f])


HOSTILE = hostile_catalog()
