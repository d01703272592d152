"""Dreams with parts left out: each ablation differs by its switches, and reads what it may."""

import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from baselines.inter_crs import InterCRS
from catalogs.catalog import Catalog
from conf.policies import dreams_settings, make_policy
from dialogue.streams import Role, generator
from dialogue.view import DialogueView, SystemTurn
from envs.crs import CRSEnv
from language.free_reading import free_reader
from planners.dreams import Dreams
from planners.dreams_settings import DreamsSettings
from planners.prior_only import PriorOnly
from planners.text_rollouts import TextRolloutRetriever
from retrieval.build import text_ranker
from retrieval.query import Query
from retrieval.spoken import spoken_ranker
from retrieval.structured import StructuredRetriever
from tests.baselines.texts_only import TextsOnly, opened, say
from tests.command_line import composed
from tests.dialogues import hold
from tests.small_world import index

ABLATIONS: dict[str, dict[str, Any]] = {
    "dreams_no_exnode": {"retrieve": "history"},
    "dreams_no_elnode": {"act": "prior"},
    "dreams_no_elnode_no_json": {"act": "prior", "context": "history"},
    "dreams_json_only": {"act": "prior", "retrieve": "state"},
}
ASKS = {
    "dreams_no_exnode": ("score", "imagine"),
    "dreams_no_elnode": ("score", "refine"),
    "dreams_no_elnode_no_json": ("policy", "refine"),
    "dreams_json_only": ("score",),
}
FAST = DreamsSettings(n_el=12, goals=20)
RNG = np.random.default_rng(0)


@pytest.fixture
def env(no_data: str) -> CRSEnv:
    return CRSEnv("redial", channel="text", split="train", data_dir=no_data, keep_steps=True)


def ablation(name: str, **changes: Any) -> Dreams:
    choose = InterCRS().choose if name == "dreams_no_elnode_no_json" else None
    return Dreams(replace(FAST, **ABLATIONS[name], **changes), choose=choose)


def turns(env: CRSEnv, policy: Any, episodes: int) -> list[SystemTurn]:
    found = [t for k in range(episodes) for t in hold(env, policy, 0, k, "train").decisions]
    assert all(isinstance(turn, SystemTurn) for turn in found)
    return found  # type: ignore[return-value]


@pytest.mark.parametrize("name", ABLATIONS)
def test_an_ablation_differs_by_its_switches_alone(name: str) -> None:
    whole, planner = composed("planner=dreams")["planner"], composed(f"planner={name}")["planner"]
    differing = {key for key in whole if whole[key] != planner[key]}
    assert differing == {"name", *ABLATIONS[name]}
    assert planner.keys() == whole.keys()
    assert dreams_settings(planner) == replace(DreamsSettings(), **ABLATIONS[name])


@pytest.mark.parametrize("name", ABLATIONS)
def test_it_is_made_from_its_configuration(name: str) -> None:
    policy = make_policy(composed(f"planner={name}"))
    assert isinstance(policy, Dreams)
    assert policy.asks == ASKS[name]
    own = {"refine": "refine-text/1"} if name == "dreams_no_elnode_no_json" else {}
    assert policy.prompts == own


@pytest.mark.parametrize("name", ABLATIONS)
def test_it_holds_dialogues_of_legal_turns(name: str, env: CRSEnv) -> None:
    offered = 0
    for episode in range(6):
        outcome = hold(env, ablation(name), 0, episode, "train")
        assert env.view.invalid == 0
        assert outcome == hold(env, ablation(name), 0, episode, "train")
        for turn in outcome.decisions:
            assert isinstance(turn, SystemTurn)
            if turn.action == env.domain.recommend:
                assert turn.ranking
                offered += 1
            else:
                assert turn.ranking is None
    assert offered > 6


def test_only_a_search_says_whether_it_changed_the_decision(env: CRSEnv) -> None:
    for name in ABLATIONS:
        told = {turn.search_changed for turn in turns(env, ablation(name), 3)}
        assert told <= ({True, False} if name == "dreams_no_exnode" else {None})


def test_json_only_acts_and_offers_as_the_scorer_alone(env: CRSEnv) -> None:
    """Its structure is that of ``prior_only``: what is tracked, and nothing more."""
    for episode in range(8):
        outcomes = [
            hold(env, policy, 0, episode, "train")
            for policy in (ablation("dreams_json_only"), PriorOnly())
        ]
        assert outcomes[0].rewards == outcomes[1].rewards
        actions = [t.action for t in outcomes[0].decisions if isinstance(t, SystemTurn)]
        assert actions == list(outcomes[1].decisions)


def test_without_a_search_the_scorer_chooses_and_the_exnode_offers(env: CRSEnv) -> None:
    found = turns(env, ablation("dreams_no_elnode", trace=True), 4)
    for turn in found:
        trace: Any = json.loads(json.dumps(turn.trace, allow_nan=False))
        scores = trace["choice"]["scores"]
        assert trace["choice"]["chosen"] == turn.action == scores.index(max(scores))
        assert ("exploitation" in trace) == (turn.ranking is not None)
        assert "elicitation" not in trace


def test_without_exnode_the_whole_dialogue_is_the_query(env: CRSEnv) -> None:
    """What is offered is the text's first hit, and the search knows it."""
    policy, offers = ablation("dreams_no_exnode", trace=True), 0
    for episode in range(6):
        env.reset(seed=0, options={"episode": episode})
        policy.reset(env.view, generator(0, episode, Role.POLICY, 0))
        over, number = False, 0
        while not over:
            number += 1
            view = env.view
            said = "\n".join(text for _, text in view.transcript())
            turn = policy.decide(view, generator(0, episode, Role.POLICY, number))
            assert turn.trace is not None
            assert "exploitation" not in turn.trace
            if turn.ranking is not None:
                offers += 1
                ranker = text_ranker(view.retriever, view.catalog)
                assert turn.query == said
                assert list(turn.ranking) == ranker.rank(Query(None, said), 10, view.offered)
            over = any(env.play(turn)[2:4])
    assert offers > 6


# What is said, and nothing else


def dialogue(catalog: Catalog, kind: str = "structured") -> DialogueView:
    view = opened(catalog, "A thriller with Ada Lind, please.", kind)
    say(view, 0, -1, "Which genres would you like?", "Crime. Not comedy.", ())
    say(view, 1, -1, "Which actors would you like?", "Anybody.", ())
    say(view, 2, -1, "Which directors would you like?", "B. Tash.", ())
    return view


@pytest.mark.parametrize("kind", ["structured", "lexical", "dense", "fusion"])
@pytest.mark.parametrize("retrieve", ["refined", "history"])
def test_free_form_reads_texts_only(small: Catalog, kind: str, retrieve: Any) -> None:
    settings = replace(FAST, act="prior", context="history", retrieve=retrieve, trace=True)
    policy, view = Dreams(settings, choose=InterCRS().choose), dialogue(small, kind)
    only: Any = TextsOnly(view)
    for _ in range(4):
        policy.reset(only, RNG)
        turn = policy.decide(only, RNG)
        item = turn.ranking[0] if turn.ranking else -1
        said = f"How about {small.items[item].label}?" if item >= 0 else turn.text or ""
        say(view, turn.action, item, said, "No. Not that one.", ())
    assert len(view.offers) == 4


def test_free_form_refines_what_was_said(small: Catalog) -> None:
    policy, view = ablation("dreams_no_elnode_no_json", trace=True), dialogue(small)
    policy.reset(view, RNG)
    turn = policy.decide(view, RNG)
    assert turn.action == small.domain.recommend
    assert turn.text is None
    assert turn.ranking is not None
    assert turn.ranking[0] == index(small, "vault")
    trace: Any = turn.trace
    assert trace["choice"]["chosen"] == turn.action
    tree = trace["exploitation"]["tree"]
    assert tree["strategy"] == "raw"
    assert tree["query"].startswith("A thriller with Ada Lind")
    assert {child["strategy"] for child in tree["children"]} <= {"formalise", "drop_noise",
                                                                 "without_people"}  # fmt: skip


def test_a_tracked_value_makes_no_difference_to_free_form(small: Catalog) -> None:
    view, other = dialogue(small), dialogue(small)
    other.state.likes[0] = (small.value_index(0, "horror"),)
    policy = ablation("dreams_no_elnode_no_json")
    policy.reset(view, RNG)
    assert policy.decide(view, RNG) == policy.decide(other, RNG)


@pytest.mark.parametrize("name", ["dreams_no_exnode", "dreams_no_elnode_no_json"])
def test_texts_are_needed(name: str, no_data: str) -> None:
    env = CRSEnv("redial", channel="acts", split="train", data_dir=no_data)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="channel='text'"):
        ablation(name).reset(env.view, RNG)


# Rollouts that retrieve by text


def test_rollouts_rank_by_what_was_said_and_what_is_added(small: Catalog) -> None:
    view = opened(small, "Something with Tom Hollis.")
    ranker, structured = spoken_ranker(small), StructuredRetriever(small)
    found = TextRolloutRetriever(view, view, ranker, structured, {})
    assert list(found.top(view, 3)) == ranker.rank(Query(None, "Something with Tom Hollis."), 3)
    later = view.fork()
    later.state.likes[0] = (small.value_index(0, "war"),)
    later.offered = 1 << index(small, "harbour")
    both = ranker.rank(Query(None, "Something with Tom Hollis. war"), 3, later.offered)
    assert list(found.top(later, 3)) == both
    assert found.assess(later).best == both[0] == index(small, "parade")
    later.offered = small.everything
    assert found.top(later, 3) == ()
    assert found.assess(later).best == -1


# Settings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"act": "think"}, r"planner\.act is one of search, prior, not 'think'"),
        ({"retrieve": None}, r"planner\.retrieve is one of"),
        ({"context": "history"}, r"needs planner\.act=prior"),
        ({"context": "history", "act": "prior", "first_inquiries": 2}, "first_inquiries=0"),
        ({"context": "history", "act": "prior", "force_reflection": True}, "force_reflection"),
        ({"context": "history", "act": "prior", "retrieve": "state"}, "refined or history"),
    ],
)
def test_impossible_switches_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DreamsSettings(**changes)


def test_the_free_form_choice_must_be_given() -> None:
    with pytest.raises(ValueError, match="needs choose"):
        Dreams(replace(FAST, act="prior", context="history"))


def test_the_readers_are_shared(small: Catalog) -> None:
    assert free_reader(small) is free_reader(small)


def test_the_defaults_are_the_whole_method() -> None:
    found = asdict(DreamsSettings())
    assert (found["act"], found["context"], found["retrieve"]) == ("search", "state", "refined")
