"""T-EPL's memory: what is read of past dialogues, and how their outcomes become values."""

from dataclasses import replace

import pytest

from baselines.t_epl.encoding import AbstractState, encode, surety
from baselines.t_epl.memory import Memory, Past, memory_of, offers_before, remember
from baselines.t_epl.settings import TEPLSettings
from catalogs.catalog import Catalog
from dialogue.experience import Experience
from tests.baselines.t_epl.past import base_of, experience
from tests.baselines.texts_only import opened, say
from tests.small_world import index

GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)
PLAIN = TEPLSettings(neighbours=2, doubt=1e-6)


def state(**changes: object) -> AbstractState:
    plain = {
        "turn": 0, "streak": 0, "offers": 0, "refused": False, "details": False,
        "impatience": 0, "unclear": 0, "known": [0, 0, 0], "asked": [0, 0, 0],
    }  # fmt: skip
    return AbstractState(**{**plain, **changes})  # type: ignore[arg-type]


def past(seen: AbstractState, lead: float, outcome: float, entropy: float = 2.0) -> Past:
    vector = encode(seen, entropy, PLAIN.w_course, PLAIN.w_known, PLAIN.w_belief)
    return Past(vector, surety(lead), outcome)


def test_what_is_near_votes() -> None:
    fresh, worn = state(), state(turn=6, offers=4, streak=3, impatience=2)
    memory = Memory([past(fresh, 0.5, 1.0)] * 2 + [past(worn, 0.5, 0.0)] * 2, PLAIN)
    assert memory.value(fresh, 2.0, (1.0,)) == pytest.approx(1.0, abs=1e-3)
    assert memory.value(worn, 2.0, (1.0,)) == pytest.approx(0.0, abs=1e-3)


def test_votes_are_weighted_by_the_candidates_probabilities() -> None:
    """Each candidate asks those past states whose leading candidate stood as it does now."""
    here = state()
    memory = Memory([past(here, 0.8, 1.0)] * 2 + [past(here, 0.2, 0.0)] * 2, PLAIN)
    assert memory.value(here, 2.0, (0.8, 0.2)) == pytest.approx(0.8, abs=1e-2)
    assert memory.value(here, 2.0, (0.2,) * 5) == pytest.approx(0.0, abs=1e-2)
    half = memory.value(here, 2.0, (0.5, 0.5))
    assert memory.value(here, 2.0, (0.5,)) == pytest.approx(half)


def test_without_anything_near_the_mean_counts() -> None:
    memory = Memory(
        [past(state(), 0.5, 1.0), past(state(turn=1), 0.5, 0.0)], TEPLSettings(doubt=1.0)
    )
    far = memory.value(state(turn=10, offers=6, impatience=3, known=[3, 3, 3]), 9.0, (1.0,))
    assert far == pytest.approx(0.5, abs=1e-3)
    assert memory.value(state(), 2.0, ()) == 0.0


def refused_once(catalog: Catalog) -> list[Experience]:
    """A dialogue of three decisions: a question, an offer that is refused, another offer."""
    view = opened(catalog, "A thriller, please.")
    first = experience(view, 4, STAR, True)
    say(view, STAR, -1, "Which actors would you like?", "Otto Brand.", ())
    second = experience(view, 4, RECOMMEND, True)
    vault = index(catalog, "vault")
    say(view, RECOMMEND, vault, f"Try {catalog.items[vault].label}!", "No thanks.", ())
    return [first, second, experience(view, 4, RECOMMEND, True)]


def test_outcomes_are_discounted_by_the_turns_they_took(small: Catalog) -> None:
    entries = refused_once(small)
    memory = remember(small, base_of(*entries), TEPLSettings(discount=0.5))
    assert list(memory._outcomes) == [0.25, 0.5, 1.0]


def test_failures_are_worth_nothing(small: Catalog) -> None:
    view = opened(small)
    memory = remember(small, base_of(experience(view, 0, GENRE, False)), TEPLSettings())
    assert memory.value(state(), 3.0, (1.0,)) == 0.0


def test_offers_are_found_by_their_titles_where_the_act_was_an_offer(small: Catalog) -> None:
    entries = refused_once(small)
    found = [offers_before(small, entries, entry) for entry in entries]
    assert found == [(), (), (index(small, "vault"),)]


def test_only_words_acts_and_outcomes_are_read(small: Catalog) -> None:
    """What the environment tracked makes no difference."""
    entries = refused_once(small)
    stripped = [replace(entry, state={}, facts={}, query="x", reward=9.0) for entry in entries]
    one = remember(small, base_of(*entries), TEPLSettings())
    other = remember(small, base_of(*stripped), TEPLSettings())
    assert (one._vectors == other._vectors).all()
    assert (one._leads == other._leads).all()


def test_an_empty_memory_is_refused(small: Catalog) -> None:
    with pytest.raises(ValueError, match=r"experience\.rebuild=true"):
        remember(small, base_of(), TEPLSettings())


def test_a_process_encodes_a_base_once(small: Catalog) -> None:
    entries = refused_once(small)
    first = memory_of(small, base_of(*entries), TEPLSettings())
    assert memory_of(small, base_of(*entries), TEPLSettings()) is first
    assert memory_of(small, base_of(*entries[:2]), TEPLSettings()) is not first
    assert memory_of(small, base_of(*entries), TEPLSettings(w_course=3.0)) is not first
