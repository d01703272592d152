"""The rules of the gold next action, one by one, and that the shipped gold follows them."""

import ast
from pathlib import Path

import pytest

import evaluation.prefixes
from catalogs.goal import targets
from dialogue.acts import DETAILS, EVADE, LIKE, NOMORE, REJECT, SEEN, VAGUE, UserAct
from dialogue.history import apply_exchange
from dialogue.view import DialogueView, Exchange
from envs.worlds import open_world
from evaluation.prefixes.data import CATALOG, read_prefixes
from evaluation.prefixes.gold import Gold, GoldRules
from retrieval.structured import StructuredRetriever
from tests.small_world import films, goal, index

GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)
FILMS = films()
WISH = goal(FILMS, "thriller|crime", "Otto Brand|Lee Park", "B. Tash")
TARGETS = targets(FILMS, WISH)  # Vault Street (two rows) and Quay Nights
THRILLER, CRIME = (FILMS.value_index(0, name) for name in ("thriller", "crime"))
TASH, OTTO, LEE = (
    FILMS.value_index(2, "B. Tash"), FILMS.value_index(1, "Otto Brand"),
    FILMS.value_index(1, "Lee Park"),
)  # fmt: skip


def like(facet: int, value: int) -> UserAct:
    return UserAct(LIKE, facet, value)


def gold(*turns: tuple[int, int, tuple[UserAct, ...]], max_turns: int = 10) -> Gold:
    """The gold after an opening and turns, each an action, an item, and what the user said."""
    view = DialogueView(FILMS, StructuredRetriever(FILMS), "text", max_turns)
    for number, (action, item, acts) in enumerate(turns):
        apply_exchange(view, Exchange(number, action, item, (), "", "", acts))
    return GoldRules(FILMS).of(view, WISH, TARGETS)


def opening(*acts: UserAct) -> tuple[int, int, tuple[UserAct, ...]]:
    return -1, -1, acts


LOVE, HARBOUR = index(FILMS, "love"), index(FILMS, "harbour")


def test_details_are_given() -> None:
    asked = (RECOMMEND, LOVE, (UserAct(DETAILS, other=LOVE),))
    found = gold(opening(), asked)
    assert (found.actions, found.rule) == ((EXPLAIN,), "details")


def test_a_reason_is_taken_up_while_there_is_more_to_say() -> None:
    complaint = (UserAct(REJECT, GENRE, FILMS.value_index(0, "romance"), LOVE),)
    found = gold(opening(), (RECOMMEND, LOVE, complaint))
    assert (found.actions, found.rule) == ((REFLECT, GENRE), "reason")
    assert found.needless == ()
    known = opening(like(GENRE, THRILLER), like(GENRE, CRIME))
    found = gold(known, (RECOMMEND, LOVE, complaint))
    assert found.rule != "reason"
    assert {GENRE, REFLECT} <= set(found.needless)


def test_a_reason_and_a_target_at_hand_are_both_right() -> None:
    complaint = (UserAct(REJECT, STAR, -1, HARBOUR), like(DIRECTOR, TASH))
    known = opening(like(GENRE, THRILLER), like(GENRE, CRIME), like(STAR, OTTO))
    found = gold(known, (RECOMMEND, HARBOUR, complaint))
    assert found.actions == (REFLECT, STAR, RECOMMEND)
    assert not found.any_offer


def test_a_target_on_top_is_offered() -> None:
    found = gold(opening(like(DIRECTOR, TASH), like(GENRE, CRIME)))
    assert (found.actions, found.rule) == ((RECOMMEND,), "target")
    assert not found.any_offer  # only that target, or another one


def test_in_the_last_turn_only_an_offer_helps() -> None:
    asked = (STAR, -1, (UserAct(EVADE, STAR),))
    assert gold(opening(), asked, max_turns=2).actions == (RECOMMEND,)
    assert gold(opening(), asked, max_turns=2).any_offer
    assert gold(opening(), asked, max_turns=3).rule == "question"


def test_the_question_is_the_one_that_brings_a_target_nearest() -> None:
    """Of thirteen films, two of three by Tash are targets; genre or stars leave more in the way."""
    found = gold(opening())
    assert (found.actions[0], found.rule) == (DIRECTOR, "question")
    assert RECOMMEND not in found.actions
    assert REFLECT in found.needless  # nothing was rejected


def test_what_was_just_evaded_is_not_asked_again_at_once() -> None:
    found = gold(opening(), (DIRECTOR, -1, (UserAct(EVADE, DIRECTOR),)))
    assert DIRECTOR not in found.actions
    assert DIRECTOR not in found.needless  # it is not known either


def test_what_is_closed_or_known_is_needless() -> None:
    closed = (DIRECTOR, -1, (UserAct(NOMORE, DIRECTOR),))
    found = gold(opening(like(GENRE, THRILLER), like(GENRE, CRIME)), closed)
    assert {GENRE, DIRECTOR} <= set(found.needless)
    assert found.actions[0] == STAR


def test_a_vague_word_may_always_be_cleared_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.prefixes.gold.NEAR", 1.0)  # the best inquiry alone
    vague = UserAct(VAGUE, GENRE, CRIME, FILMS.value_index(0, "horror"))
    plain, unclear = gold(opening()), gold(opening(vague))
    assert GENRE not in plain.actions
    assert GENRE in unclear.actions


def test_a_rejection_without_a_reason_may_be_asked_about_and_a_known_film_not() -> None:
    rejected = gold(opening(), (RECOMMEND, LOVE, (UserAct(REJECT, -1, -1, LOVE),)))
    known = gold(opening(), (RECOMMEND, LOVE, (UserAct(SEEN, other=LOVE),)))
    assert REFLECT in rejected.actions[1:]
    assert rejected.rule == "question"
    assert REFLECT not in known.actions
    assert REFLECT in known.needless


def test_when_nothing_is_left_to_say_any_offer_is_right() -> None:
    everything = opening(
        like(GENRE, THRILLER), like(GENRE, CRIME), like(STAR, OTTO), like(STAR, LEE),
        like(DIRECTOR, TASH), UserAct(LIKE, STAR, FILMS.value_index(1, "Bea Tash")),
    )  # fmt: skip
    quay, vault = index(FILMS, "quay"), index(FILMS, "vault")
    seen = [(RECOMMEND, item, (UserAct(SEEN, other=item),)) for item in (vault, quay)]
    found = gold(everything, *seen)
    assert (found.actions, found.rule, found.any_offer) == ((RECOMMEND,), "nothing left", True)


def test_the_shipped_gold_follows_the_rules(no_data: str) -> None:
    """From what is shipped alone: views, goals and targets."""
    world = open_world(CATALOG)
    rules = GoldRules(world.catalog)
    for prefix in read_prefixes(world.catalog):
        view = prefix.view(world.catalog, world.retriever)
        assert rules.of(view, prefix.goal, prefix.targets) == prefix.gold, prefix.name


def imported(module: str) -> set[str]:
    """Names that a module of the prefixes imports, with where from."""
    source = Path(evaluation.prefixes.__file__).with_name(f"{module}.py").read_text("utf-8")
    return {
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_the_rules_share_no_code_with_policies_or_the_scorer():
    floors = {name.partition(".")[0] for name in imported("gold")}
    assert floors <= {"__future__", "dataclasses", "catalogs", "dialogue", "retrieval"}
    assert not [name for name in imported("scoring") if "gold" in name]
