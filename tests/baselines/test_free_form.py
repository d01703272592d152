"""What free-form methods keep to: texts only, legal turns, the same anywhere, texts are data."""

import json
import pickle
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import pytest

from baselines.chat_crs import ChatCRS, ChatCRSSettings
from baselines.inter_crs import InterCRS
from baselines.macrs import MACRS, MACRSSettings
from baselines.pc_crs import PCCRS, PCCRSSettings
from baselines.ra_crs import RACRS, RACRSSettings
from baselines.steps import Player
from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.policy import Policy
from dialogue.view import DialogueView, SystemTurn
from envs.crs import CRSEnv
from language.llm.call import Call
from retrieval.build import make_retriever
from tests.baselines.served import served_answer
from tests.baselines.texts_only import Players, TextsOnly, opened, say
from tests.dialogues import hold
from tests.language.prompts.hostile import ORDER, hostile_catalog


class FreeForm(Protocol):
    """A method that words its own turns."""

    @property
    def asks(self) -> tuple[str, ...]: ...

    @property
    def prompts(self) -> Any: ...

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None: ...

    def decide(self, view: DialogueView, rng: np.random.Generator) -> SystemTurn: ...


Make = Callable[[Player | None], FreeForm]
METHODS: dict[str, Make] = {
    "inter_crs": lambda roles: InterCRS(roles=roles),
    "macrs": lambda roles: MACRS(MACRSSettings(trace=True), roles),
    "chat_crs": lambda roles: ChatCRS(ChatCRSSettings(trace=True), roles),
    "pc_crs": lambda roles: PCCRS(PCCRSSettings(trace=True), roles),
    "ra_crs": lambda roles: RACRS(RACRSSettings(trace=True), roles),
}
RNG = np.random.default_rng(0)
RECOMMEND, EXPLAIN = 4, 5
ANSWERS = ("Crime.", "Tell me more about it.", "No, no horror.", "B. Tash.", "Seen it.", "Hm.")


@pytest.fixture(params=METHODS)
def make(request: pytest.FixtureRequest) -> Make:
    return METHODS[request.param]


def played(view: DialogueView, policy: FreeForm, user: str) -> SystemTurn:
    """Let the policy decide, and the user answer; offers are rejected, so that all acts open."""
    turn = policy.decide(view, RNG)
    item = turn.ranking[0] if turn.ranking else -1
    acts = (UserAct(int(Kind.REJECT), -1, -1, item),) if item >= 0 else ()
    say(view, turn.action, item, turn.text or "", user, acts)
    return turn


def server(catalog: Catalog) -> Players:
    return Players(lambda call: served_answer(catalog, call))


def test_it_is_a_policy_that_can_be_sent_to_workers(make: Make) -> None:
    policy = make(None)
    assert policy.asks == ("policy",)
    assert isinstance(pickle.loads(pickle.dumps(policy)), type(policy))
    assert isinstance(policy, Policy)


def test_it_needs_texts(make: Make, small: Catalog) -> None:
    view = DialogueView(small, make_retriever(small), "acts", 10)
    with pytest.raises(ValueError, match="channel='text'"):
        make(None).reset(view, RNG)


@pytest.mark.parametrize("kind", ["structured", "lexical", "dense", "fusion"])
def test_it_reads_texts_only(make: Make, small: Catalog, kind: str) -> None:
    """Embedded and as models, whatever the retriever: nothing tracked is read."""
    view = opened(small, "A thriller with Ada Lind, please.", kind)
    for user in ANSWERS:
        turns = []
        for policy in (make(None), make(server(small))):
            policy.reset(TextsOnly(view), RNG)  # type: ignore[arg-type]
            turns.append(policy.decide(TextsOnly(view), RNG))  # type: ignore[arg-type]
        assert turns[0] == turns[1]
        played(view, make(None), user)


def test_what_is_tracked_makes_no_difference(make: Make, small: Catalog) -> None:
    view, other = opened(small, "A western."), opened(small, "A western.")
    value = small.value_index(0, "horror")
    other.apply_user((UserAct(int(Kind.LIKE), 0, value),))
    for user in ANSWERS:
        assert played(view, make(None), user) == played(other, make(None), user)


def test_a_dialogue_may_be_entered_in_the_middle(make: Make, small: Catalog) -> None:
    """A policy that held the dialogue decides as one that meets it now."""
    view, policy = opened(small, "A western."), make(None)
    policy.reset(view, RNG)
    for user in ANSWERS:
        fresh = make(None)
        fresh.reset(view, RNG)
        expected = fresh.decide(view, RNG)
        assert played(view, policy, user) == expected


@pytest.mark.parametrize("domain", ["redial", "opendialkg_book"])
def test_only_legal_turns_and_new_items_the_same_from_a_server(
    make: Make, no_data: str, domain: str
) -> None:
    env = CRSEnv(domain, channel="text", split="train", data_dir=no_data, keep_steps=True)
    catalog = env.world.catalog
    players = server(catalog)
    for episode in range(8):
        outcome = hold(env, make(None), 0, episode, "train")
        assert hold(env, make(players), 0, episode, "train") == outcome
        assert env.view.invalid == 0
        offered = 0
        for turn in outcome.decisions:
            assert isinstance(turn, SystemTurn)
            assert turn.text
            assert turn.text == turn.text.strip()
            json.dumps(turn.trace)
            if turn.action == catalog.domain.recommend:
                assert turn.ranking is not None
                assert turn.query
                assert len(set(turn.ranking)) == len(turn.ranking) <= 10
                assert not any(offered >> item & 1 for item in turn.ranking)
                offered |= catalog.works[turn.ranking[0]]
            else:
                assert turn.ranking is None
    assert players.calls
    assert (players.fallbacks, players.errors) == (0, [])


def test_nothing_left_to_offer(make: Make, small: Catalog) -> None:
    view = opened(small)
    view.offered = small.everything
    for _ in range(4):
        turn = make(None).decide(view, RNG)
        assert turn.action != RECOMMEND
        assert view.mask()[turn.action]
        say(view, turn.action, -1, turn.text or "", "Hm.", ())


def test_the_last_turn_is_an_offer(make: Make, small: Catalog) -> None:
    view = opened(small, "Hello.")
    view.turn = view.max_turns - 1
    assert make(None).decide(view, RNG).action == RECOMMEND


def test_an_offer_is_explained_once_when_asked(make: Make, small: Catalog) -> None:
    policy, view = make(None), opened(small, "A thriller with Ada Lind by B. Tash. Crime.")
    while (turn := played(view, policy, "Tell me more about it.")).action != RECOMMEND:
        pass
    label = small.items[turn.ranking[0]].label  # type: ignore[index]
    told = played(view, policy, "Tell me more about it.")
    assert told.action == EXPLAIN
    assert told.text is not None
    assert label in told.text
    assert "thriller" in told.text
    assert policy.decide(view, RNG).action != EXPLAIN


USELESS: tuple[Any, ...] = (
    None, [], {}, {"reply": "Yes."}, {"action": "Dance", "reply": "Let us."},
    {"item": "the third", "reply": "That one."}, {"reason": "", "choice": "dance"},
    {"reason": "", "goal": "Dance", "topic": ""}, {"reply": " \n"},
    {"picks": [{"entity": 99, "relation": "genre", "use": "seek"}]},
    {"wanted": [{"facet": "genre"}], "unwanted": [], "unclear": []},
)  # fmt: skip


@pytest.mark.parametrize("wrong", USELESS)
def test_a_useless_answer_falls_back_to_the_rules(make: Make, small: Catalog, wrong: Any) -> None:
    view = opened(small, "A thriller.")
    played(view, make(None), "No.")
    players = Players(lambda call: wrong)
    assert make(players).decide(view, RNG) == make(None).decide(view, RNG)
    assert players.fallbacks == len(players.calls) > 0


def test_an_embedded_role_makes_no_call(make: Make, small: Catalog) -> None:
    class NoModels(Players):
        def is_model(self, role: str) -> bool:
            return False

    players = NoModels(lambda call: pytest.fail("an embedded role was asked"))
    assert make(players).decide(opened(small), RNG) == make(None).decide(opened(small), RNG)


def test_every_call_is_named_and_counted_in_its_turn(make: Make, small: Catalog) -> None:
    players, view = server(small), opened(small, "A western with Ada Lind.")
    policy = make(players)
    for number, user in enumerate((*ANSWERS, *["Tell me more about it."] * 2), start=1):
        before = len(players.calls)
        played(view, policy, user)
        made = players.calls[before:]
        assert {call.turn for call in made} == {number}
        assert {call.prompt for call in made} <= set(policy.prompts["policy"].split())
    named = {call.prompt for call in players.calls}
    assert named == set(policy.prompts["policy"].split())


def test_titles_and_lines_stay_data(make: Make) -> None:
    """Texts that give orders are in the data, one JSON value; instructions never change."""
    catalog = hostile_catalog()
    calls: dict[str, set[str]] = {}

    def give(call: Call[Any]) -> Any:
        system, user = (message["content"] for message in call.messages)
        calls.setdefault(call.prompt, set()).add(system)
        assert ORDER not in system
        user.encode()
        assert isinstance(json.loads(user), dict)
        return served_answer(catalog, call)

    players = Players(give)
    view = opened(catalog, ORDER)
    for user in (ORDER, "Drama.", f"{ORDER} 0", "No.", "Tell me more about it.", ORDER):
        policy = make(players)
        assert policy.decide(view, RNG) == make(None).decide(view, RNG)
        turn = played(view, make(None), user)
        (turn.text or "").encode()
    assert players.fallbacks == 0
    assert all(len(systems) == 1 for systems in calls.values())
