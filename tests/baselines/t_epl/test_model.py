"""T-EPL's search problem: its acts, the reactions, and values from the memory."""

import random
from dataclasses import replace

import pytest

from baselines.candidates import BeliefSettings, weigh
from baselines.extraction import SpokenState, embedded_extraction, state_of
from baselines.steps import Nothing
from baselines.t_epl.encoding import abstract, encode, surety
from baselines.t_epl.memory import Memory, Past
from baselines.t_epl.model import ACCEPTED, REFUSED, SILENT, TOLD, DialogueActs
from baselines.t_epl.settings import TEPLSettings
from retrieval.situation import spoken_situation
from search import UCT
from tests.baselines.texts_only import opened
from tests.small_world import films, index

GENRE, STAR, DIRECTOR, CLARIFY, RECOMMEND, JUSTIFY = range(6)
SMALL = films()
RNG = random.Random(1)
SURE = TEPLSettings(answers=1.0, answers_one=1.0, again=1.0)


def spoken(text: str, **changes: object) -> SpokenState:
    situation = spoken_situation(opened(SMALL, text))
    state = state_of(situation, embedded_extraction(situation, Nothing()))
    return replace(state, **changes)  # type: ignore[arg-type]


def flat(outcome: float) -> Memory:
    """A memory that finds every state worth the same."""
    vector = encode(abstract(spoken("Hi."), 0), 1.0, 1.0, 0.5, 1.0)
    return Memory([Past(vector, surety(0.5), outcome)], TEPLSettings())


def problem(
    text: str = "Hi.",
    turn: int = 0,
    pending: int = -1,
    memory: Memory | None = None,
    settings: TEPLSettings = SURE,
    **changes: object,
) -> DialogueActs:
    state = spoken(text, **changes)
    found = weigh(SMALL, range(len(SMALL)), state.taste, BeliefSettings())
    return DialogueActs(found, state, turn, 10, memory or flat(0.5), settings, pending)


def test_an_offer_is_accepted_or_refused() -> None:
    model = problem()
    world = model.sample(RNG)
    world.talk.target = 0
    assert model.step(world, RECOMMEND, RNG) == (ACCEPTED, 1.0, True)
    world = model.sample(RNG)
    world.talk.target = 2
    assert model.step(world, RECOMMEND, RNG) == (REFUSED, 0.0, False)
    assert (world.state.refused, world.state.offers, world.state.turn) == (True, 1, 1)
    assert model.prior(world)[CLARIFY] > 0


def test_an_answer_narrows_what_is_left_and_is_noted() -> None:
    model = problem()
    world = model.sample(RNG)
    before = world.talk.left.bit_count()
    assert model.step(world, STAR, RNG)[0] == TOLD
    assert world.talk.left.bit_count() < before
    assert (world.state.known[STAR], world.state.asked[STAR], world.state.streak) == (1, 1, 1)


def test_a_closed_facet_is_not_asked_about_and_would_not_be_answered() -> None:
    model = problem(closed=(True, False, False), asked=(0, 0, 2))
    world = model.sample(RNG)
    assert list(model.prior(world)) == [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    assert model.step(world, GENRE, RNG)[0] == SILENT


def test_clarifying_settles_what_is_unclear() -> None:
    text = "Drama or romance, I'm not sure which."
    model = problem(text)
    world = model.sample(RNG)
    assert world.state.unclear == 1
    assert model.prior(world)[CLARIFY] > 0
    assert model.step(world, CLARIFY, RNG)[0] == TOLD
    assert world.state.unclear == 0
    assert world.state.known[GENRE] == 1
    assert model.prior(world)[CLARIFY] == 0


def test_after_a_refusal_the_facet_complained_about_is_asked_for() -> None:
    model = problem(complaint=GENRE)
    for seed in range(20):
        world = model.sample(random.Random(seed))
        model.step(world, CLARIFY, random.Random(seed))
        assert world.talk.asked == [1, 0, 0]
        # The reason of a refusal that is imagined is not known: what tells most is asked for.
        model.step(world, RECOMMEND, random.Random(seed))
        model.step(world, CLARIFY, random.Random(seed))
        assert sum(world.talk.asked) == 2


def test_after_a_refusal_nothing_closed_is_asked_for() -> None:
    model = problem(closed=(True, False, True), complaint=-1)
    for seed in range(20):
        world = model.sample(random.Random(seed))
        model.step(world, CLARIFY, random.Random(seed))
        assert world.talk.asked == [0, 1, 0]
    silent = problem(closed=(True, True, True), complaint=-1)
    assert silent.step(silent.sample(RNG), CLARIFY, RNG)[0] == SILENT


def test_justifying_an_offer_that_is_wanted_is_a_success() -> None:
    item = index(SMALL, "dust")
    model = problem("A western by C. Ashdown.", pending=item, last="details")
    world = model.sample(RNG)
    assert model.prior(world)[JUSTIFY] > 0
    assert not world.talk.left >> world.pending & 1
    world.talk.target = world.pending
    assert model.step(world, JUSTIFY, RNG) == (ACCEPTED, 1.0, True)
    world = model.sample(RNG)
    world.talk.target = world.pending + 1
    assert model.step(world, JUSTIFY, RNG)[0] == REFUSED
    assert model.step(world, JUSTIFY, RNG)[0] == SILENT


def test_something_is_always_possible() -> None:
    model = problem(closed=(True, True, True))
    world = model.sample(RNG)
    world.talk.left = 0
    assert list(model.prior(world)) == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]


def test_the_dialogue_ends_with_its_turns() -> None:
    model = problem(turn=9)
    world = model.sample(RNG)
    assert model.step(world, GENRE, RNG)[2]


@pytest.mark.parametrize(("outcome", "asks"), [(1.0, True), (0.0, False)])
def test_the_memory_decides_whether_going_on_is_worth_it(outcome: float, asks: bool) -> None:
    """Where every past state ended well, a guess can wait; where none did, it cannot."""
    settings = replace(SURE, discount=1.0, depth=1)
    model = problem(memory=flat(outcome), settings=settings)
    result = UCT(model, model, settings.uct()).search(random.Random(3), 400)
    ask, offer = result.values[GENRE], result.values[RECOMMEND]
    assert ask is not None
    assert offer is not None
    assert (ask >= offer) == asks
