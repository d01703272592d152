"""T-EPL: what it reads and decides, embedded, on a model and from a request."""

import json
import pickle
from typing import Any

import numpy as np
import pytest

from baselines.references import AskAll
from baselines.t_epl import TEPL, TEPLSettings
from baselines.t_epl.prompts import STEPS
from catalogs.catalog import Catalog
from dialogue.experience import ExperienceBase
from dialogue.policy import Policy
from dialogue.view import DialogueView, SystemTurn
from envs.crs import CRSEnv
from language.llm.call import Call
from retrieval.build import make_retriever
from tests.baselines.served import served_answer
from tests.baselines.t_epl.past import base_of, experience, held
from tests.baselines.texts_only import Players, TextsOnly, opened, say
from tests.dialogues import hold
from tests.small_world import films, index

GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)
FEW = TEPLSettings(simulations=40)
PATIENT = TEPLSettings(discount=1.0, depth=1)


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.fixture(scope="module")
def little() -> ExperienceBase:
    """A memory of two dialogues: what began with a question went well, then an offer did."""
    small = films()
    begun = opened(small)
    told = opened(small, "A thriller with Ada Lind.")
    return base_of(
        experience(begun, 0, GENRE, True),
        experience(told, 1, RECOMMEND, True),
        experience(begun, 2, RECOMMEND, False),
    )


@pytest.fixture
def env(no_data: str) -> CRSEnv:
    return CRSEnv("redial", channel="text", split="test", data_dir=no_data, keep_steps=True)


@pytest.fixture
def memory(env: CRSEnv) -> ExperienceBase:
    return held(env, AskAll(), 10)


def scripted(read: dict[str, Any], words: str) -> Players:
    """A model that reads the same and says the same."""

    def give(call: Call[Any]) -> Any:
        if call.prompt.startswith("t_epl/read"):
            plain: dict[str, Any] = {
                "named": [], "last": "said", "complaint": None, "closed": [], "impatience": 0,
            }  # fmt: skip
            return {**plain, **read}
        return {"reply": words}

    return Players(give)


def test_it_is_a_policy_that_can_be_sent_to_workers(little: ExperienceBase) -> None:
    policy = TEPL(FEW, None, little)
    assert isinstance(policy, Policy)
    assert isinstance(pickle.loads(pickle.dumps(policy)), TEPL)


def test_it_needs_texts_and_a_memory(small: Catalog, little: ExperienceBase) -> None:
    view = DialogueView(small, make_retriever(small), "acts", 10)
    with pytest.raises(ValueError, match="channel='text'"):
        TEPL(FEW, None, little).reset(view, rng())
    with pytest.raises(ValueError, match="memory"):
        TEPL(FEW, None, base_of()).reset(opened(small), rng())


@pytest.mark.parametrize("kind", ["structured", "lexical", "dense", "fusion"])
def test_it_reads_texts_only(small: Catalog, little: ExperienceBase, kind: str) -> None:
    view = opened(small, "A thriller with Ada Lind, please.", kind)
    players = Players(lambda call: served_answer(small, call))
    for policy in (TEPL(FEW, None, little), TEPL(FEW, players, little)):
        policy.reset(TextsOnly(view), rng())  # type: ignore[arg-type]
        policy.decide(TextsOnly(view), rng())  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_turn_anywhere(small: Catalog, little: ExperienceBase) -> None:
    view, told = opened(small, "A thriller, please."), TEPLSettings(trace=True)
    first = TEPL(told, None, little).decide(view, rng())
    used = TEPL(told, None, little)
    used.decide(opened(small, "A western."), rng())
    assert used.decide(view, rng()) == first
    assert json.loads(json.dumps(first.trace)) == first.trace


def test_only_legal_actions_and_items_that_are_new(env: CRSEnv, memory: ExperienceBase) -> None:
    for episode in range(6):
        outcome = hold(env, TEPL(FEW, None, memory), 0, episode)
        assert env.view.invalid == 0
        offered = 0
        for turn in outcome.decisions:
            assert isinstance(turn, SystemTurn)
            assert turn.text
            if turn.action == RECOMMEND:
                assert turn.ranking is not None
                assert len(set(turn.ranking)) == len(turn.ranking) == 10
                assert not any(offered >> item & 1 for item in turn.ranking)
                assert env.view.catalog.items[turn.ranking[0]].title in turn.text
                offered |= env.view.catalog.works[turn.ranking[0]]


def test_a_dialogue_may_be_entered_in_the_middle(env: CRSEnv, memory: ExperienceBase) -> None:
    class Fresh:
        def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
            pass

        def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
            return TEPL(FEW, None, memory).decide(view, rng)

    assert hold(env, TEPL(FEW, None, memory), 0, 2) == hold(env, Fresh(), 0, 2)


def test_a_server_decides_as_the_embedded_rules(env: CRSEnv, memory: ExperienceBase) -> None:
    players = Players(lambda call: served_answer(env.world.catalog, call))
    for episode in range(5):
        served = hold(env, TEPL(FEW, players, memory), 0, episode)
        assert served == hold(env, TEPL(FEW, None, memory), 0, episode)
    assert players.calls
    assert players.fallbacks == 0
    assert not players.errors


def test_other_memories_other_decisions(small: Catalog) -> None:
    """Whether a first guess is made depends on what came of going on."""
    view = opened(small)
    gone_on = opened(small, "Drama, please.")
    say(gone_on, STAR, -1, "Which actors would you like?", "Ada Lind.", ())
    well = base_of(experience(gone_on, 0, RECOMMEND, True))
    badly = base_of(experience(gone_on, 0, RECOMMEND, False))
    assert TEPL(PATIENT, None, well).decide(view, rng()).action < REFLECT
    assert TEPL(PATIENT, None, badly).decide(view, rng()).action == RECOMMEND


def test_what_is_unclear_is_clarified(small: Catalog) -> None:
    """Where all went well that went on, and nothing else can be asked."""
    named = [{"facet": "genre", "value": "drama", "other": "romance", "wanted": True}]
    players = scripted(
        {"named": named, "closed": ["genre", "star", "director"]}, "Which genre of the two?"
    )
    view = opened(small, "Something moving.")
    policy = TEPL(PATIENT, players, base_of(experience(view, 0, RECOMMEND, True)))
    turn = policy.decide(view, rng())
    assert (turn.action, turn.text) == (GENRE, "Which genre of the two?")
    given = players.calls[-1].inputs()["given"]
    assert (given["act"], given["facet"]) == ("clarify", "genre")
    assert given["either"] == ["drama", "romance"]


def test_after_a_refusal_it_asks_what_to_have_instead(small: Catalog) -> None:
    closed = ["genre", "star", "director"]
    read = {"last": "rejected", "complaint": "star", "closed": closed}
    players = scripted(read, "Which actor instead?")
    view = opened(small, "Something moving.")
    view.apply_system(RECOMMEND, index(small, "moth"))
    view.just_rejected = True
    policy = TEPL(PATIENT, players, base_of(experience(opened(small), 0, RECOMMEND, True)))
    turn = policy.decide(view, rng())
    assert (turn.action, turn.text) == (REFLECT, "Which actor instead?")
    given = players.calls[-1].inputs()["given"]
    assert (given["act"], given["facet"]) == ("ask_instead", "star")


def test_an_offer_is_justified_when_asked(small: Catalog, little: ExperienceBase) -> None:
    view = opened(small, "A western by C. Ashdown.")
    dust = index(small, "dust")
    label = small.items[dust].label
    say(view, RECOMMEND, dust, f"How about {label}?", "Can you tell me more about it?", ())
    turn = TEPL(TEPLSettings(), None, little).decide(view, rng())
    assert turn.action == EXPLAIN
    assert turn.text is not None
    assert label in turn.text
    assert "C. Ashdown" in turn.text


def test_a_model_reads_the_state_and_realises_the_act(
    small: Catalog, little: ExperienceBase
) -> None:
    named = [{"facet": "director", "value": "C. Ashdown", "other": None, "wanted": True}]
    players = scripted({"named": named}, " You might like Dust and Rope. ")
    turn = TEPL(FEW, players, little).decide(opened(small, "You know whose films!"), rng())
    assert turn.action == RECOMMEND
    assert turn.ranking is not None
    assert turn.ranking[0] == index(small, "dust")
    assert turn.text == "You might like Dust and Rope."
    assert [call.prompt for call in players.calls] == [step.prompt for step in STEPS]


def test_a_useless_reading_falls_back_to_the_rules(small: Catalog, little: ExperienceBase) -> None:
    view = opened(small, "A western by C. Ashdown.")
    players = scripted({"last": "seen"}, "How about Dust and Rope?")
    turn = TEPL(FEW, players, little).decide(view, rng())
    assert turn.ranking == TEPL(FEW, None, little).decide(view, rng()).ranking
    assert (len(players.errors), players.fallbacks) == (2, 1)


def test_nothing_left_to_offer(small: Catalog, little: ExperienceBase) -> None:
    view = opened(small)
    view.offered = small.everything
    assert view.mask()[TEPL(FEW, None, little).decide(view, rng()).action]


@pytest.mark.parametrize(
    "wrong", [{"simulations": 0}, {"neighbours": 0}, {"bandwidth": 0}, {"leading": 0}, {"keep": 0}]
)
def test_settings_out_of_range_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"planner.{next(iter(wrong))} must be"):
        TEPLSettings(**wrong)
