"""RA-CRS: the state is made from text each turn, and what is said comes from item texts."""

import json
from typing import Any

import numpy as np
import pytest

from baselines.ra_crs import RACRS, RACRSSettings
from baselines.steps import Player
from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.view import DialogueView
from tests.baselines.texts_only import Players, opened, say
from tests.small_world import index

RNG = np.random.default_rng(0)
GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)
ALWAYS = ("intents", "hard", "soft")


def offered(view: DialogueView, key: str, user: str, kind: Kind) -> int:
    item = index(view.catalog, key)
    act = UserAct(int(kind), other=item)
    say(view, RECOMMEND, item, f"How about {view.catalog.items[item].label}?", user, (act,))
    return item


def decided(view: DialogueView, roles: Player | None = None, **settings: Any) -> Any:
    return RACRS(RACRSSettings(**{"people_first": False, **settings}), roles).decide(view, RNG)


def state_of(view: DialogueView) -> dict[str, Any]:
    turn = decided(view, trace=True)
    return dict(json.loads(json.dumps(turn.trace))["state"])


def test_the_state_is_made_from_the_whole_text(small: Catalog) -> None:
    view = opened(small, "Something thrilling with Ada Lind. No comedy, please.")
    first = offered(view, "vault", "I've seen that one already.", Kind.SEEN)
    second = offered(view, "harbour", "No, I don't like crime.", Kind.REJECT)
    found = state_of(view)
    assert {"facet": "star", "value": "Ada Lind", "wanted": True} in found["hard"]
    assert {"facet": "genre", "value": "comedy", "wanted": False} in found["hard"]
    assert {"facet": "genre", "value": "crime", "wanted": False} in found["hard"]
    assert {c["value"] for c in found["soft"]} == {"action", "thriller"}
    assert found["known"] == [small.items[first].label]
    assert found["current"] == small.items[second].label
    assert found["rejected"] == [
        {"item": small.items[second].label, "facet": "genre", "value": "crime"}
    ]
    assert found["intents"] == ["rejects_item"]


def test_a_correction_counts_and_nothing_is_carried_over(small: Catalog) -> None:
    """Turn-independent: the same policy, the same text, the same state, whatever came before."""
    view = opened(small, "A western, please.")
    policy = RACRS(RACRSSettings(trace=True))
    policy.decide(opened(small, "Horror with Jem Stone."), RNG)
    turn = policy.decide(view, RNG)
    assert turn == RACRS(RACRSSettings(trace=True)).decide(view, RNG)
    say(view, GENRE, -1, "Which genres would you like?", "Not western, I meant horror.", ())
    wanted = [c["value"] for c in state_of(view)["hard"] if c["wanted"]]
    assert wanted == ["horror"]


@pytest.mark.parametrize(
    ("said", "action", "words"),
    [
        ("Hello.", GENRE, "genres"),
        ("A western.", STAR, "actors"),
        ("Something thrilling.", GENRE, "thriller or action"),
    ],
)
def test_questions_name_what_they_are_about(
    small: Catalog, said: str, action: int, words: str
) -> None:
    turn = decided(opened(small, said))
    assert turn.action == action
    assert words in turn.text
    assert turn.trace is None


def test_an_offer_is_explained_from_its_passages(small: Catalog) -> None:
    view = opened(small, "A thriller with Otto Brand, please.")
    turn = decided(view, opening=0)
    item = small.items[turn.ranking[0]]
    assert turn.query == "thriller, Otto Brand"
    assert item.label in turn.text
    assert "Otto Brand" in turn.text
    assert "thriller" in turn.text


def test_questions_about_an_item_are_answered_from_its_texts(small: Catalog) -> None:
    view = opened(small, "A thriller.")
    item = offered(view, "quay", "Tell me more about it.", Kind.DETAILS)
    turn = decided(view)
    assert turn.action == EXPLAIN
    assert small.items[item].label in turn.text
    assert "Lee Park" in turn.text


def test_a_reason_is_reflected_on(small: Catalog) -> None:
    view = opened(small, "A thriller.")
    offered(view, "harbour", "No, I don't like crime.", Kind.REJECT)
    turn = decided(view)
    assert turn.action == REFLECT
    assert "genre" in turn.text


class Model:
    """Answers each step with what it has for it."""

    def __init__(self, **answers: Any) -> None:
        self.answers: dict[str, Any] = {
            "intents": {"intents": ["states_preference"], "settled": []},
            "hard": {"constraints": []},
            "soft": {"constraints": []},
            "items": {"reactions": []},
            **answers,
        }
        self.players = Players(lambda call: self.answers[call.prompt.split("/")[1]])

    @property
    def steps(self) -> list[str]:
        return [call.prompt.split("/")[1] for call in self.players.calls]


def data(call: Any) -> dict[str, Any]:
    return dict(json.loads(call.messages[1]["content"]))


def test_a_model_makes_the_state_and_the_priorities_decide(small: Catalog) -> None:
    """What the model reads counts, not what the rules would."""
    hard = [
        {"facet": "genre", "value": "Comedies", "wanted": True},
        {"facet": "star", "value": "lee park", "wanted": True},
    ]
    script = Model(
        hard={"constraints": hard},
        query={"query": "comedy Lee Park"},
        explain={"text": "Love, Mostly or The Sad Clown, who knows."},
    )
    view = opened(small, "A western with Jem Stone.")
    turn = decided(view, script.players, elaborate=1.0, trace=True)
    assert sorted(script.steps[:3]) == sorted(ALWAYS)
    assert script.steps[3:] == ["query", "explain"]
    assert turn.action == RECOMMEND
    assert turn.query == "comedy Lee Park"
    assert small.items[turn.ranking[0]].id in {"love", "clown"}
    assert turn.text == "Love, Mostly or The Sad Clown, who knows."
    assert turn.trace["state"]["hard"] == hard
    shown = data(script.players.calls[-1])
    assert shown["state"]["hard"] == hard
    assert any("Lee Park" in passage for passage in shown["passages"])
    assert all(data(call)["candidates"] == [] for call in script.players.calls)


def test_a_model_may_call_facets_by_their_nouns(small: Catalog) -> None:
    """What is known is not asked for again because a model wrote "Genres" for "genre"."""
    script = Model(
        hard={"constraints": [
            {"facet": "Genres", "value": "comedy", "wanted": True},
            {"facet": "actor", "value": "Lee Park", "wanted": True},
            {"facet": "colour", "value": "red", "wanted": True},
        ]},
        query={"query": "comedy Lee Park"},
        explain={"text": "Love, Mostly or The Sad Clown, who knows."},
    )  # fmt: skip
    turn = decided(opened(small, "Hi."), script.players, elaborate=1.0, trace=True)
    assert turn.action == RECOMMEND
    hard = turn.trace["state"]["hard"]
    assert [constraint["facet"] for constraint in hard] == ["genre", "star", "colour"]


def test_a_model_tells_reactions_apart(small: Catalog) -> None:
    script = Model(
        intents={"intents": ["rejects_item"], "settled": []},
        items={
            "reactions": [
                {"offer": 2, "reaction": "rejected", "facet": "director", "value": None},
                {"offer": 1, "reaction": "known", "facet": None, "value": None},
            ]
        },
        ask={"text": " Which director would you rather have? "},
    )
    view = opened(small, "Hello.")
    first = offered(view, "vault", "Old hat.", Kind.SEEN)
    second = offered(view, "harbour", "The maker is not to my taste.", Kind.REJECT)
    turn = decided(view, script.players, trace=True)
    assert (turn.action, turn.text) == (REFLECT, "Which director would you rather have?")
    assert turn.trace["state"]["known"] == [small.items[first].label]
    assert turn.trace["state"]["rejected"][0]["item"] == small.items[second].label
    assert sorted(script.steps[:4]) == sorted((*ALWAYS, "items"))
    assert script.steps[4:] == ["ask"]
    assert script.players.errors == []


@pytest.mark.parametrize(
    ("step", "wrong", "message"),
    [
        ("items", {"reactions": [
            {"offer": 2, "reaction": "known", "facet": None, "value": None}
        ]}, "offers 1 to 1, not 2"),
        ("ask", {"text": "Which actor of which genre?"}, "must ask about genres"),
        ("ask", {"text": "What else?"}, "must ask about genres"),
        ("ask", {"text": "Which genre beside Vault Street (1994)?"}, "must not name the title"),
        ("query", {"query": "  "}, "query is empty"),
        ("explain", {"text": "Try this."}, "must name the title"),
        ("hard", {"constraints": [{"facet": "genre", "value": "drama"}]}, "wanted"),
        ("intents", {"intents": ["dances"], "settled": []}, "intents"),
    ],
)  # fmt: skip
def test_an_answer_that_breaks_a_rule_is_told_why(
    small: Catalog, step: str, wrong: dict[str, Any], message: str
) -> None:
    """After one repair in vain the rules stand in for that step alone."""
    offering = step in ("query", "explain")
    script = Model(
        ask={"text": "Which genre, then?"},
        query={"query": "drama"},
        explain={"text": "Harbour of Glass, or Nine Moons."},
    )
    script.answers[step] = wrong
    view = opened(small, "Hello.")
    offered(view, "vault", "No.", Kind.REJECT)
    turn = decided(view, script.players, opening=0, between=0 if offering else 1)
    assert message in script.players.errors[0]
    assert turn.action == (RECOMMEND if offering else GENRE)
    assert turn.text
