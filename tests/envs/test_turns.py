"""Turns of a policy's own, wasted ones, and ones that cannot be played."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct, UserActs
from dialogue.view import SystemTurn
from envs.crs import CRSEnv
from simulators.user import EmbeddedUser
from tests.simulators.people import EXPLAIN, GENRE, RECOMMEND, REFLECT, STAR, crime
from tests.small_world import PLAIN, env_of, index, persona, world


def make(catalog: Catalog, channel: str = "acts", **behaviour: Any) -> CRSEnv:
    """An environment whose user is plain but for some parameters, in a dialogue."""
    someone = persona(replace(PLAIN, **behaviour))
    env = env_of(world(catalog, [crime(catalog)], [someone]), channel=channel)
    env.reset(seed=0, options={"episode": 0})
    return env


@pytest.mark.parametrize("action", [REFLECT, EXPLAIN])
def test_an_illegal_action_is_a_wasted_question(small: Catalog, action: int) -> None:
    env, twin = make(small), make(small)
    _, reward, terminated, truncated, info = env.step(action)
    _, plain, *_ = twin.step(GENRE)
    assert info["invalid_action"]
    assert (terminated, truncated) == (False, False)
    assert info["turn"] == env.view.turn == 1
    assert env.view.invalid == 1
    assert reward == pytest.approx(plain - 0.1)
    assert info["reward_terms"]["cost"] == pytest.approx(-0.2)
    assert env.view.state == twin.view.state
    (turn,) = env.dialogue_record()["turns"]
    assert (turn["action"], turn["legal"]) == ("GenreInquiry", False)
    assert env.step(GENRE)[4]["invalid_action"] is False


def test_offering_when_nothing_is_left_is_illegal(small: Catalog) -> None:
    env = make(small)
    env.view.offered = small.everything
    assert env.view.mask() == [True, True, True, False, False, False]
    for turn in (RECOMMEND, SystemTurn(RECOMMEND, ranking=(0,))):
        assert env.play(turn)[4]["invalid_action"]
        assert env.view.exchanges[-1].action == GENRE


def test_a_snapshot_with_nothing_left_to_offer(small: Catalog) -> None:
    """Then there is no best item, and its overlap is that of no item."""
    env = make(small)
    env.view.offered = small.everything
    env.step(GENRE)
    saved = env.get_state()
    expected = env.step(GENRE)[4]["reward_terms"]
    env.view.offered = 0
    env.step(GENRE)
    env.set_state(saved)
    assert env.conversation._transition.overlap_after == 0.0
    assert env.step(GENRE)[4]["reward_terms"] == expected


@pytest.mark.parametrize("action", [-1, 6, 100])
def test_an_action_that_does_not_exist(small: Catalog, action: int) -> None:
    env = make(small)
    before = env.get_state()
    for turn in (action, SystemTurn(action)):
        with pytest.raises(ValueError, match=rf"action {action} does not exist.*0\.\.5"):
            env.play(turn)
    assert env.get_state() == before


@pytest.mark.parametrize(
    ("ranking", "error", "message"),
    [
        ((1, 1), ValueError, "at most 10 different items"),
        (tuple(range(11)), ValueError, "at most 10 different items"),
        ((0, 12), ValueError, r"names items outside 0\.\.11"),
        ((-1,), ValueError, r"names items outside 0\.\.11"),
        ((0.5,), TypeError, "integer"),
        (("vault",), TypeError, "integer"),
    ],
)
def test_a_malformed_ranking_changes_nothing(
    small: Catalog, ranking: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    env = make(small)
    before = env.get_state()
    with pytest.raises(error, match=message):
        env.play(SystemTurn(RECOMMEND, ranking=ranking))
    assert env.get_state() == before


@pytest.mark.parametrize("action", ["ItemRec", "1", 1.7, None, [0]])
def test_an_action_that_is_no_whole_number(small: Catalog, action: Any) -> None:
    env = make(small)
    before = env.get_state()
    for play in (env.play, env.step, lambda given: env.play(SystemTurn(given))):
        with pytest.raises(TypeError):
            play(action)
    assert env.get_state() == before


@pytest.mark.parametrize("wrong", [{"text": 5}, {"text": b"hello"}, {"query": 5}])
def test_a_text_that_is_none(small: Catalog, wrong: dict[str, Any]) -> None:
    env = make(small)
    before = env.get_state()
    with pytest.raises(TypeError, match="of a turn must be a text or None"):
        env.play(SystemTurn(RECOMMEND, **wrong))
    assert env.get_state() == before


@pytest.mark.parametrize("ranking", [(np.int64(3), np.int32(4)), np.array([3, 4]), [3, 4]])
def test_turns_made_with_numpy_leave_plain_values(small: Catalog, ranking: Any) -> None:
    env = make(small, channel="text")
    turn = SystemTurn(np.int64(RECOMMEND), ranking=ranking, search_changed=np.bool_(True))  # type: ignore[arg-type]
    env.play(turn)
    saved = env.get_state()
    assert json.loads(json.dumps(saved)) == saved
    (recorded,) = json.loads(json.dumps(env.dialogue_record()))["turns"]
    assert recorded["search_changed"] is True
    assert len(recorded["ranking"]) == 2


def test_the_offer_is_the_first_of_the_ranking_and_nothing_else_counts(small: Catalog) -> None:
    vault, cellar = index(small, "vault"), index(small, "cellar")
    env = make(small)
    info = env.play(SystemTurn(RECOMMEND, ranking=(cellar, vault)))[4]
    assert not info["is_success"]
    info = env.play(SystemTurn(RECOMMEND, ranking=(vault, cellar)))[4]
    assert info["is_success"]
    assert env.view.exchanges[-1].ranking == (vault, cellar)


def test_an_item_is_offered_again_only_on_purpose(small: Catalog) -> None:
    cellar = index(small, "cellar")
    env = make(small)
    for _ in range(2):
        env.play(SystemTurn(RECOMMEND, ranking=(cellar,)))
    assert env.view.rejections == 2
    assert [item for item, _ in env.view.offers] == [cellar, cellar]
    env.step(RECOMMEND)
    assert env.view.offers[-1][0] != cellar


def test_an_explanation_is_about_the_item_asked_about(small: Catalog) -> None:
    cellar, vault = index(small, "cellar"), index(small, "vault")
    env = make(small, details=1.0)
    env.play(SystemTurn(RECOMMEND, ranking=(cellar,)))
    env.play(SystemTurn(RECOMMEND, ranking=(vault,)))
    assert env.view.details == vault
    info = env.step(EXPLAIN)[4]
    assert env.view.exchanges[-1].item == vault
    assert info["is_success"]
    assert info["reward_terms"]["cost"] == pytest.approx(-0.1)


def test_repeating_oneself_costs_twice(small: Catalog) -> None:
    env = make(small)
    costs = [env.step(2)[4]["reward_terms"]["cost"] for _ in range(3)]
    assert costs == pytest.approx([-0.1, -0.1, -0.2])  # told; nothing more; asked nevertheless
    env.play(SystemTurn(RECOMMEND, ranking=(index(small, "cellar"),)))
    assert env.step(EXPLAIN)[4]["reward_terms"]["cost"] == pytest.approx(-0.2)


def test_a_policys_own_words_and_query_are_kept(small: Catalog) -> None:
    env = make(small, channel="text")
    trace: dict[str, object] = {"why": ["because"]}
    env.play(SystemTurn(STAR, "Whom do you like?", "a query", None, True, trace))
    turn = env.dialogue_record()["turns"][0]
    assert turn["system"] == "Whom do you like?"
    assert env.view.transcript()[1] == ("system", "Whom do you like?")
    assert (turn["query"], turn["search_changed"], turn["trace"]) == ("a query", True, trace)
    env.play(SystemTurn(STAR, ""))
    assert env.dialogue_record()["turns"][1]["system"] == ""


class Polite(EmbeddedUser):
    """Accepts whatever is offered."""

    __slots__ = ()

    def respond(self, action: int, item: int) -> UserActs:
        return (UserAct(int(Kind.ACCEPT), -1, -1, item),)


def test_a_claimed_acceptance_is_not_believed(small: Catalog) -> None:
    """A user who accepts what is no target has not been served."""
    env = make(small)
    cellar = index(small, "cellar")
    env.conversation._user.__class__ = Polite
    _, _, terminated, _, info = env.play(SystemTurn(RECOMMEND, ranking=(cellar,)))
    assert not terminated
    assert not info["is_success"]
    assert info["reward_terms"]["accept"] == 0
    assert not env.view.ended


def test_the_turn_limit(small: Catalog) -> None:
    env = env_of(world(small, [crime(small)]), max_turns=3)
    env.reset(seed=0, options={"episode": 0})
    ends = [env.step(GENRE)[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]
    assert env.dialogue_record()["outcome"] == "truncated"
    with pytest.raises(RuntimeError, match="the dialogue is over"):
        env.step(GENRE)
    env.reset()
    env.step(GENRE)


def test_acceptance_on_the_last_turn_is_no_truncation(small: Catalog) -> None:
    env = env_of(world(small, [crime(small)]), max_turns=1)
    env.reset(seed=0, options={"episode": 0})
    target = index(small, "quay")
    _, _, terminated, truncated, info = env.play(SystemTurn(RECOMMEND, ranking=(target,)))
    assert (terminated, truncated, info["is_success"]) == (True, False, True)
    assert env.dialogue_record()["outcome"] == "accepted"


def test_giving_up_terminates(small: Catalog) -> None:
    env = make(small, patience=1.0)
    _, _, terminated, truncated, info = env.play(
        SystemTurn(RECOMMEND, ranking=(index(small, "cellar"),))
    )
    assert (terminated, truncated, info["is_success"]) == (True, False, False)
    assert env.dialogue_record()["outcome"] == "left"
    assert info["reward_terms"]["attitude"] == pytest.approx(-1.0)
