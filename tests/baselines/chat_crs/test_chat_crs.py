"""ChatCRS: the goal, the relations followed, the triples, and the reply made from them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from baselines.chat_crs import ChatCRS, ChatCRSSettings
from baselines.chat_crs.knowledge import Pick, Picks, entities_of, follow
from baselines.heard import hear
from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.view import DialogueView, SystemTurn
from language.llm.call import Call
from retrieval.situation import read_situation
from tests.baselines.served import served_answer
from tests.baselines.texts_only import Players, opened, say
from tests.small_world import index

RNG = np.random.default_rng(0)
GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)


def decide(view: DialogueView, roles: Any = None, **settings: Any) -> SystemTurn:
    return ChatCRS(ChatCRSSettings(**settings), roles).decide(view, RNG)


def offered(catalog: Catalog, user: str, *acts: UserAct, opening: str = "Hi.") -> DialogueView:
    """A dialogue in which "cellar" was just offered, and what the user said to it."""
    view = opened(catalog, opening)
    item = index(catalog, "cellar")
    acts = tuple(act._replace(other=item) for act in acts)
    say(view, RECOMMEND, item, f"How about {catalog.items[item].label}?", user, acts)
    return view


def scripted(catalog: Catalog, answers: Mapping[str, Any]) -> Players:
    """Steps by name answer as given, the others as a server does."""

    def give(call: Call[Any]) -> Any:
        step = call.inputs()["step"]
        return answers[step] if step in answers else served_answer(catalog, call)

    return Players(give)


def steps(players: Players) -> list[str]:
    return [call.inputs()["step"] for call in players.calls]


def given(players: Players, step: str) -> dict[str, Any]:
    (found,) = [c.inputs()["given"] for c in players.calls if c.inputs()["step"] == step]
    return dict(found)


def goal(name: str, topic: str = "") -> dict[str, Any]:
    return {"chat_crs/goal": {"reason": "So.", "goal": name, "topic": topic}}


def picks(*found: tuple[int, str, str]) -> dict[str, Any]:
    each = [{"entity": entity, "relation": r, "use": use} for entity, r, use in found]
    return {"chat_crs/knowledge": {"picks": each}}


def test_three_calls_and_two_where_nothing_was_mentioned(small: Catalog) -> None:
    players = scripted(small, {})
    decide(opened(small, "A thriller."), players)
    assert set(steps(players)[:2]) == {"chat_crs/goal", "chat_crs/knowledge"}
    assert steps(players)[2:] == ["chat_crs/reply"]
    players = scripted(small, {})
    decide(opened(small, "Hi."), players)
    assert steps(players) == ["chat_crs/goal", "chat_crs/reply"]


def test_entities_are_what_the_dialogue_mentions(small: Catalog) -> None:
    players = scripted(small, {})
    opening = "Something thrilling, but no horror. Ada Lind?"
    decide(offered(small, "Hm.", opening=opening), players)
    entities = given(players, "chat_crs/knowledge")["entities"]
    assert [entity["entity"] for entity in entities] == [1, 2, 3, 4, 5]
    assert {(entity["name"], *entity["relations"]) for entity in entities} == {
        ("action", "genre"), ("thriller", "genre"), ("horror", "genre"), ("Ada Lind", "star"),
        ("Cellar (1999)", "genre", "star", "director"),
    }  # fmt: skip


def test_relations_lead_to_triples_and_candidates(small: Catalog) -> None:
    view = opened(small, "A thriller about crime with Ada Lind.")
    found = picks((1, "genre", "avoid"), (2, "genre", "maybe"), (3, "star", "seek"))
    players = scripted(small, {**goal("ItemRec"), **found})
    turn = decide(view, players)
    assert turn.query == "crime, Ada Lind"
    assert turn.ranking is not None
    assert turn.ranking[0] == index(small, "love")
    triples = given(players, "chat_crs/reply")["knowledge"]
    assert triples[0] == [small.items[turn.ranking[0]].label, "star", "Ada Lind"]
    assert ["Harbour of Glass (1991)", "genre", "crime"] in triples
    assert not any(value == "thriller" for _, _, value in triples)
    assert len(given(scripted_reply(small, view, triples=2), "chat_crs/reply")["knowledge"]) == 2


def scripted_reply(catalog: Catalog, view: DialogueView, **settings: Any) -> Players:
    players = scripted(catalog, {})
    decide(view, players, **settings)
    return players


def test_a_vague_word_counts_once(small: Catalog) -> None:
    """An item with both meanings gains no more than one with either."""
    heard = hear(read_situation(opened(small, "Drama or romance, I'm not sure which.")))
    entities = entities_of(heard)
    picked = [Pick(entity=k, relation="genre", use="maybe") for k in range(1, len(entities) + 1)]
    unclear = [heard.unclear(f) for f in range(3)]
    taste = follow(small, entities, Picks(picks=picked), unclear).taste
    assert taste.unclear == (heard.unclear(GENRE), (), ())
    both, one = index(small, "love"), index(small, "harbour")
    assert taste.fits(small, [both, one]) == [0.5, 0.5]
    alone = follow(small, entities, Picks(picks=picked[:1]), unclear).taste
    assert alone.unclear[GENRE] == ((entities[0].value, entities[0].value),)


def test_an_offer_can_lead_to_what_is_like_it(small: Catalog) -> None:
    """An offered item's relation, followed to seek: the next is like it in that facet."""
    view = offered(small, "I have seen it.", UserAct(int(Kind.SEEN)))
    found = picks((1, "director", "seek"))
    turn = decide(view, scripted(small, {**goal("ItemRec"), **found}))
    assert turn.query == "W. Quill"
    assert turn.ranking is not None
    assert {small.items[item].id for item in turn.ranking[:2]} == {"moth", "moons"}


def test_a_described_offer_is_told_from_the_triples(small: Catalog) -> None:
    view = offered(small, "Tell me more about it.", UserAct(int(Kind.DETAILS)))
    found = picks((1, "director", "describe"))
    players = scripted(small, found)
    turn = decide(view, players)
    assert turn.action == EXPLAIN
    assert turn.text == "About Cellar (1999): director: W. Quill."
    assert given(players, "chat_crs/reply")["knowledge"] == [
        ["Cellar (1999)", "director", "W. Quill"]
    ]


def test_values_of_the_user_cannot_be_described(small: Catalog) -> None:
    view = opened(small, "A thriller.")
    players = scripted(small, picks((1, "genre", "describe")))
    decide(view, players)
    assert given(players, "chat_crs/reply")["knowledge"] == []
    assert players.fallbacks == 0


def test_the_reply_pursues_the_goal(small: Catalog) -> None:
    view = offered(small, "No.", UserAct(int(Kind.REJECT)))
    first = decide(view, scripted(small, goal("ItemRec"))).ranking
    assert first is not None
    titles = {RECOMMEND: small.items[first[1]].title,
              small.domain.explain: small.items[view.offers[-1][0]].title}  # fmt: skip
    for action, name in enumerate(small.domain.actions):
        words = f"{titles.get(action, 'Well')}, then."
        reply = {"chat_crs/reply": {"item": 2, "reply": f" {words} "}}
        players = scripted(small, {**goal(name, "horror"), **reply})
        turn = decide(view, players)
        assert (turn.action, turn.text) == (action, words)
        chosen = (first[1], first[0], *first[2:])
        assert turn.ranking == (chosen if action == RECOMMEND else None)
        told = given(players, "chat_crs/reply")
        assert (told["goal"], told["topic"]) == (name, "horror")


@pytest.mark.parametrize("name", ["GenreInquiry", "DirectorInquiry", "FailureReflection", "ItemRec",
                                  "ItemExplanation"])  # fmt: skip
def test_the_rules_word_any_goal(small: Catalog, name: str) -> None:
    """A model plans, the rules word it: even a goal that they would not have planned."""
    view = offered(small, "No, no horror.", UserAct(int(Kind.REJECT)), opening="A thriller.")
    turn = decide(view, scripted(small, goal(name)))
    assert small.domain.actions[turn.action] == name
    expected = {"GenreInquiry": "genre", "DirectorInquiry": "director",
                "FailureReflection": "horror", "ItemExplanation": "Cellar (1999)"}  # fmt: skip
    assert turn.text is not None
    label = small.items[turn.ranking[0]].label if turn.ranking else ""
    assert expected.get(name, label) in turn.text


REJECTED = (UserAct(int(Kind.REJECT)),)
RULES: dict[str, tuple[Callable[[Catalog], DialogueView], dict[str, Any], int]] = {
    "a question first": (lambda c: opened(c, "Hi."), {}, STAR),
    "topics first": (lambda c: opened(c, "Hi."), {"people_first": False}, GENRE),
    "no questions in a row": (lambda c: opened(c, "Hi."), {"row": 0}, RECOMMEND),
    "enough is known": (
        lambda c: opened(c, "A thriller about crime with Ada Lind."), {"enough": 3}, RECOMMEND,
    ),
    "not enough is known": (
        lambda c: opened(c, "A thriller about crime with Ada Lind."), {"enough": 4}, DIRECTOR,
    ),
    "a complaint": (lambda c: offered(c, "No, no horror.", *REJECTED), {}, REFLECT),
    "a complaint, offers first": (
        lambda c: offered(c, "No, no horror.", *REJECTED), {"after_reason": "recommend"}, RECOMMEND,
    ),
    "no reason, offers first": (
        lambda c: offered(c, "No.", *REJECTED), {"after_blind": "recommend"}, RECOMMEND,
    ),
    "seen": (lambda c: offered(c, "I have seen it.", UserAct(int(Kind.SEEN))), {}, REFLECT),
    "seen, offers first": (
        lambda c: offered(c, "I have seen it.", UserAct(int(Kind.SEEN))),
        {"after_seen": "recommend"}, RECOMMEND,
    ),
    "between offers": (
        lambda c: offered(c, "Hm.", opening="A thriller."), {"between": 2}, STAR,
    ),
    "no question between offers": (
        lambda c: offered(c, "Hm.", opening="A thriller."), {"between": 1}, RECOMMEND,
    ),
    "about to leave": (
        lambda c: offered(c, "No. Last try, please.", *REJECTED), {"hurry": 1}, RECOMMEND,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", RULES)
def test_the_rules_in_cases(small: Catalog, case: str) -> None:
    make, settings, action = RULES[case]
    assert decide(make(small), **settings).action == action


def test_the_trace_says_what_was_planned_and_known(small: Catalog) -> None:
    view = opened(small, "A western.")
    assert decide(view).trace is None
    trace = decide(view, trace=True, row=0).trace
    assert trace is not None
    assert trace["goal"] == "ItemRec"
    assert trace["knowledge"] == [["Dust and Rope (1998)", "genre", "western"]]


@pytest.mark.parametrize(
    ("name", "value"),
    [("pool", 9), ("triples", 0), ("row", -1), ("enough", -1), ("between", -1), ("hurry", 0),
     ("hurry", 5), ("per_facet", 0), ("after_reason", "chat"), ("after_blind", ""),
     ("after_seen", "Ask")],
)  # fmt: skip
def test_constants_out_of_range_are_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"planner\.{name} must be"):
        ChatCRSSettings(**{name: value})
