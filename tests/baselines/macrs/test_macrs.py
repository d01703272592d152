"""MACRS: the reflections, the proposals, the choice, and what each passes on."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from baselines.macrs import MACRS, MACRSSettings
from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.view import DialogueView, SystemTurn
from language.llm.call import Call
from tests.baselines.served import served_answer
from tests.baselines.texts_only import Players, opened, say
from tests.small_world import index

RNG = np.random.default_rng(0)
GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)
AGENTS = ("macrs/ask", "macrs/recommend", "macrs/chat")


def decide(view: DialogueView, roles: Any = None, **settings: Any) -> SystemTurn:
    return MACRS(MACRSSettings(**settings), roles).decide(view, RNG)


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


def test_before_an_offer_two_agents_propose_and_nothing_is_learnt_yet(small: Catalog) -> None:
    players = scripted(small, {})
    decide(opened(small, "A thriller."), players)
    assert sorted(steps(players)) == sorted([*AGENTS[:2], "macrs/plan", "macrs/profile"])
    assert given(players, "macrs/plan")["strategy"]["next"] is None


def test_after_an_offer_feedback_is_reflected_on_first(small: Catalog) -> None:
    players = scripted(small, {})
    decide(offered(small, "No.", UserAct(int(Kind.REJECT))), players)
    made = steps(players)
    assert set(made[:2]) == {"macrs/profile", "macrs/strategy"}
    assert set(made[2:5]) == set(AGENTS)
    assert made[5:] == ["macrs/plan"]


def test_the_profile_searches_and_orders(small: Catalog) -> None:
    """A profile of a model's own words: known values order, all names are in the query."""
    profile = {
        "wanted": [{"facet": "genre", "name": "Westerns"}, {"facet": "Actors", "name": "Nobody"}],
        "unwanted": [{"facet": "actor", "name": "ada lind"}, {"facet": "colour", "name": "red"}],
        "unclear": [{"facet": "genre", "names": ["action", "thriller"]}],
    }
    plan = {"reason": "Enough.", "choice": "recommend"}
    players = scripted(small, {"macrs/profile": profile, "macrs/plan": plan})
    turn = decide(opened(small, "Hi."), players)
    assert turn.query == "Westerns, Nobody, action, thriller"
    assert turn.ranking is not None
    assert turn.ranking[0] == index(small, "dust")
    lind = small.value_index(STAR, "Ada Lind")
    assert lind in small.items[turn.ranking[-1]].values[STAR]
    assert given(players, "macrs/ask")["profile"] == profile


def test_the_planner_decides_whose_words_are_said(small: Catalog) -> None:
    view = offered(small, "Hm.")
    first = decide(view, row=0).ranking
    assert first is not None
    offer = f"Take {small.items[first[2]].title}."
    talk = f"{small.items[view.offers[-1][0]].title} is set below."
    answers = {
        "macrs/ask": {"action": "DirectorInquiry", "reply": " Who directs? "},
        "macrs/recommend": {"item": 3, "reply": offer},
        "macrs/chat": {"reply": talk},
    }
    expected = {"ask": (DIRECTOR, "Who directs?"), "recommend": (RECOMMEND, offer),
                "chat": (EXPLAIN, talk)}  # fmt: skip
    for choice, (action, text) in expected.items():
        plan = {"macrs/plan": {"reason": "So.", "choice": choice}}
        players = scripted(small, {**answers, **plan})
        turn = decide(view, players)
        assert (turn.action, turn.text) == (action, text)
        assert turn.ranking == (
            (first[2], *first[:2], *first[3:]) if choice == "recommend" else None
        )
        proposals = given(players, "macrs/plan")["proposals"]
        assert [p["agent"] for p in proposals] == ["ask", "recommend", "chat"]
        assert [p["reply"] for p in proposals] == [text for _, text in expected.values()]


def test_advice_reaches_agents_and_planner(small: Catalog) -> None:
    strategy = {"cause": "Too scary.", "facet": "genre", "next": "ask", "ask": "Ask kindly.",
                "recommend": "Avoid fear.", "chat": "", "planner": "Wait."}  # fmt: skip
    players = scripted(small, {"macrs/strategy": strategy})
    decide(offered(small, "No.", UserAct(int(Kind.REJECT))), players)
    for step in (*AGENTS, "macrs/plan"):
        assert given(players, step)["strategy"] == strategy


def test_the_planner_sees_the_acts_so_far_and_the_time_left(small: Catalog) -> None:
    view = opened(small, "A thriller.")
    say(view, STAR, -1, "Which actors would you like?", "Ada Lind.", ())
    item = index(small, "cellar")
    label = small.items[item].label
    say(view, RECOMMEND, item, f"How about {label}?", "What is it about?", ())
    say(
        view,
        EXPLAIN,
        item,
        f"About {label}: scary.",
        "No.",
        (UserAct(int(Kind.REJECT), -1, -1, item),),
    )
    say(view, REFLECT, -1, "What should it have?", "No idea.", ())
    players = scripted(small, {})
    decide(view, players)
    plan = given(players, "macrs/plan")
    assert plan["acts"] == ["ask star", "recommend", "chat", "ask"]
    assert plan["turns_left"] == view.max_turns - 4


REJECTED = (UserAct(int(Kind.REJECT)),)
RULES: dict[str, tuple[Callable[[Catalog], DialogueView], dict[str, Any], int]] = {
    "a question first": (lambda c: opened(c, "Hi."), {}, STAR),
    "topics first": (lambda c: opened(c, "Hi."), {"people_first": False}, GENRE),
    "no questions in a row": (lambda c: opened(c, "Hi."), {"row": 0}, RECOMMEND),
    "enough is known": (
        lambda c: opened(c, "A thriller about crime with Ada Lind by B. Tash."), {}, RECOMMEND,
    ),
    "all facets must be known": (
        lambda c: opened(c, "A western by C. Ashdown."), {"known": 3}, STAR,
    ),
    "a clear case needs no third facet": (
        lambda c: opened(c, "A western by C. Ashdown."), {"known": 2}, RECOMMEND,
    ),
    "a complaint": (lambda c: offered(c, "No, no horror.", *REJECTED), {}, REFLECT),
    "a complaint, offers first": (
        lambda c: offered(c, "No, no horror.", *REJECTED), {"after_reason": "recommend"}, RECOMMEND,
    ),
    "no reason": (lambda c: offered(c, "No.", *REJECTED), {}, REFLECT),
    "no reason, offers first": (
        lambda c: offered(c, "No.", *REJECTED), {"after_blind": "recommend"}, RECOMMEND,
    ),
    "seen": (lambda c: offered(c, "I have seen it.", UserAct(int(Kind.SEEN))), {}, REFLECT),
    "seen, offers first": (
        lambda c: offered(c, "I have seen it.", UserAct(int(Kind.SEEN))),
        {"after_seen": "recommend"}, RECOMMEND,
    ),
    "about to leave": (
        lambda c: offered(c, "No. Last try, please.", *REJECTED), {"hurry": 1}, RECOMMEND,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", RULES)
def test_the_rules_in_cases(small: Catalog, case: str) -> None:
    make, settings, action = RULES[case]
    assert decide(make(small), **settings).action == action


def test_a_reflection_names_what_was_wrong(small: Catalog) -> None:
    turn = decide(offered(small, "No, no horror.", *REJECTED))
    assert turn.text is not None
    assert "horror" in turn.text
    assert "genre" in turn.text


def test_the_calls_of_a_round_do_not_wait_for_each_other(small: Catalog) -> None:
    """With as many threads as agents, all three are asked before one has answered."""
    barrier = threading.Barrier(3)

    def give(call: Call[Any]) -> Any:
        if call.inputs()["step"] in AGENTS:
            barrier.wait(timeout=20)
        return served_answer(small, call)

    class Threads(Players):
        def map(self, function: Any, jobs: Any) -> list[Any]:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(3) as pool:
                return list(pool.map(function, jobs))

    view = offered(small, "No.", *REJECTED)
    assert decide(view, Threads(give)) == decide(view)


def test_the_trace_says_what_was_thought(small: Catalog) -> None:
    view = offered(small, "No, no horror.", *REJECTED, opening="A thriller.")
    assert decide(view).trace is None
    trace = decide(view, trace=True).trace
    assert trace is not None
    assert set(trace) == {"profile", "strategy", "proposals", "reason"}
    profile: Any = trace["profile"]
    assert profile["wanted"] == [{"facet": "genre", "name": "thriller"}]
    assert profile["unwanted"] == [{"facet": "genre", "name": "horror"}]


@pytest.mark.parametrize(
    ("name", "value"),
    [("pool", 9), ("row", -1), ("known", -1), ("sure", 0), ("hurry", 0), ("hurry", 5),
     ("per_facet", 0), ("after_reason", "chat"), ("after_blind", ""), ("after_seen", "Ask")],
)  # fmt: skip
def test_constants_out_of_range_are_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"planner\.{name} must be"):
        MACRSSettings(**{name: value})
