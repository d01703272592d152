"""SAPIENT-LLM: what it reads and decides, embedded, on a model and from a request."""

import json
import pickle
from typing import Any

import numpy as np
import pytest

from baselines.sapient_llm import SapientLLM, SapientSettings
from baselines.sapient_llm.prompts import STEPS
from catalogs.catalog import Catalog
from dialogue.policy import Policy
from dialogue.view import DialogueView, SystemTurn
from envs.crs import CRSEnv
from language.llm.call import Call
from retrieval.build import make_retriever
from tests.baselines.served import served_answer
from tests.baselines.texts_only import Players, TextsOnly, opened, say
from tests.dialogues import hold
from tests.small_world import index

GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)
FEW = SapientSettings(simulations=40)


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.fixture
def env(no_data: str) -> CRSEnv:
    return CRSEnv("redial", channel="text", split="test", data_dir=no_data, keep_steps=True)


def scripted(track: dict[str, Any], words: str) -> Players:
    """A model that extracts the same and says the same."""

    def give(call: Call[Any]) -> Any:
        if call.prompt.startswith("sapient_llm/track"):
            plain: dict[str, Any] = {
                "named": [], "last": "said", "complaint": None, "closed": [], "impatience": 0,
            }  # fmt: skip
            return {**plain, **track}
        return {"reply": words}

    return Players(give)


def test_it_is_a_policy_that_can_be_sent_to_workers() -> None:
    assert isinstance(SapientLLM(), Policy)
    assert isinstance(pickle.loads(pickle.dumps(SapientLLM(FEW))), SapientLLM)


def test_it_needs_texts(small: Catalog) -> None:
    view = DialogueView(small, make_retriever(small), "acts", 10)
    with pytest.raises(ValueError, match="channel='text'"):
        SapientLLM().reset(view, rng())


@pytest.mark.parametrize("kind", ["structured", "lexical", "dense", "fusion"])
def test_it_reads_texts_only(small: Catalog, kind: str) -> None:
    view = opened(small, "A thriller with Ada Lind, please.", kind)
    served = SapientLLM(FEW, Players(lambda call: served_answer(small, call)))
    for policy in (SapientLLM(FEW), served):
        policy.reset(TextsOnly(view), rng())  # type: ignore[arg-type]
        policy.decide(TextsOnly(view), rng())  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_turn_anywhere(small: Catalog) -> None:
    view = opened(small, "A thriller, please.")
    first = SapientLLM(SapientSettings(trace=True)).decide(view, rng())
    used = SapientLLM(SapientSettings(trace=True))
    used.decide(opened(small, "A western."), rng())
    assert used.decide(view, rng()) == first
    assert json.loads(json.dumps(first.trace)) == first.trace


def test_a_dialogue_may_be_entered_in_the_middle(env: CRSEnv) -> None:
    """Nothing is kept between turns: each turn comes out alike from a fresh policy."""

    class Fresh:
        def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
            pass

        def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn:
            return SapientLLM(FEW).decide(view, rng)

    for episode in range(3):
        assert hold(env, SapientLLM(FEW), 0, episode) == hold(env, Fresh(), 0, episode)


def test_only_legal_actions_and_items_that_are_new(env: CRSEnv) -> None:
    for episode in range(8):
        outcome = hold(env, SapientLLM(FEW), 0, episode)
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


def test_a_server_decides_as_the_embedded_rules(env: CRSEnv) -> None:
    players = Players(lambda call: served_answer(env.world.catalog, call))
    for episode in range(6):
        served = hold(env, SapientLLM(FEW, players), 0, episode)
        assert served == hold(env, SapientLLM(FEW), 0, episode)
    assert players.calls
    assert players.fallbacks == 0
    assert not players.errors


def test_what_is_certain_is_recommended_and_what_is_open_is_asked(small: Catalog) -> None:
    certain = opened(small, "A western by C. Ashdown.")
    turn = SapientLLM().decide(certain, rng())
    assert turn.action == RECOMMEND
    assert turn.ranking is not None
    assert turn.ranking[0] == index(small, "dust")
    assert turn.text is not None
    assert small.items[turn.ranking[0]].label in turn.text
    assert "western" in turn.text
    assert SapientLLM().decide(opened(small), rng()).action < REFLECT


def test_a_wish_for_details_is_answered(small: Catalog) -> None:
    view = opened(small, "A western by C. Ashdown.")
    dust = index(small, "dust")
    label = small.items[dust].label
    say(view, RECOMMEND, dust, f"How about {label}?", "Can you tell me more about it?", ())
    turn = SapientLLM().decide(view, rng())
    assert turn.action == EXPLAIN
    assert turn.text is not None
    assert label in turn.text
    assert "C. Ashdown" in turn.text


def test_asking_after_a_refusal_asks_what_to_have_instead(small: Catalog) -> None:
    track = {"last": "rejected", "complaint": "director"}
    view = opened(small)
    moth = index(small, "moth")
    view.apply_system(RECOMMEND, moth)
    view.just_rejected = True
    dear = SapientSettings(refuse_cost=100.0, ask_cost=0.0)
    players = scripted(track, "Which director instead?")
    turn = SapientLLM(dear, players).decide(view, rng())
    assert (turn.action, turn.text) == (REFLECT, "Which director instead?")
    assert players.calls[1].inputs()["given"]["facet"] == "director"
    plain = SapientSettings(refuse_cost=100.0, ask_cost=0.0, reflect=False)
    assert (
        SapientLLM(plain, scripted(track, "Which director?")).decide(view, rng()).action == DIRECTOR
    )


def test_a_model_extracts_the_state_and_words_the_act(small: Catalog) -> None:
    named = [{"facet": "director", "value": "c. ashdown", "other": None, "wanted": True}]
    words = "You might like Dust and Rope."
    players = scripted({"named": named}, f" {words} ")
    turn = SapientLLM(FEW, players).decide(opened(small, "You know whose films I like!"), rng())
    assert turn.action == RECOMMEND
    assert turn.ranking is not None
    assert turn.ranking[0] == index(small, "dust")
    assert turn.text == words
    assert turn.query is not None
    assert "C. Ashdown" in turn.query
    assert [call.prompt for call in players.calls] == [step.prompt for step in STEPS]
    assert {call.turn for call in players.calls} == {1}


@pytest.mark.parametrize(
    "track",
    [
        {"named": [{"facet": "plot", "value": "x", "other": None, "wanted": True}]},
        {"last": "details"},
        {"last": "dancing"},
        {"impatience": 9},
        {"accepted": True},
    ],
)
def test_a_useless_extraction_falls_back_to_the_rules(small: Catalog, track: Any) -> None:
    view = opened(small, "A western by C. Ashdown.")
    players = scripted(track, "How about Dust and Rope?")
    turn = SapientLLM(FEW, players).decide(view, rng())
    assert turn.ranking == SapientLLM(FEW).decide(view, rng()).ranking
    assert (len(players.errors), players.fallbacks) == (2, 1)


@pytest.mark.parametrize("words", ["", " \n", "How about another one?"])
def test_words_that_do_not_name_the_offer_are_replaced(small: Catalog, words: str) -> None:
    view = opened(small, "A western by C. Ashdown.")
    named = [{"facet": "director", "value": "C. Ashdown", "other": None, "wanted": True}]
    players = scripted({"named": named}, words)
    turn = SapientLLM(FEW, players).decide(view, rng())
    assert turn.text is not None
    assert "Dust and Rope" in turn.text
    assert players.fallbacks == 1


def test_nothing_left_to_offer(small: Catalog) -> None:
    view = opened(small)
    view.offered = small.everything
    assert view.mask()[SapientLLM(FEW).decide(view, rng()).action]


@pytest.mark.parametrize(
    "wrong", [{"simulations": 0}, {"depth": 0}, {"discount": 1.1}, {"look": -1}, {"pool": 0}]
)
def test_settings_out_of_range_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"planner.{next(iter(wrong))} must be"):
        SapientSettings(**wrong)
