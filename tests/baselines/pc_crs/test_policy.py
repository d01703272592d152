"""PC-CRS: strategy, account, check and rewriting, by rules and by a scripted model."""

from typing import Any

import numpy as np
import pytest

from baselines.heard import hear_lines
from baselines.pc_crs import PCCRS, PCCRSSettings
from baselines.pc_crs.claims import false_claims
from baselines.pc_crs.rules import choose_strategy
from baselines.pc_crs.shapes import About
from baselines.pc_crs.strategies import STRATEGIES
from baselines.retrieving import find_candidates
from baselines.steps import Player
from catalogs.catalog import Catalog
from dialogue.acts import Kind, UserAct
from dialogue.view import DialogueView
from language.llm.call import Call
from retrieval.situation import read_situation
from tests.baselines.served import served_answer
from tests.baselines.texts_only import Players, opened, say
from tests.small_world import index

RNG = np.random.default_rng(0)
GENRE, STAR, DIRECTOR, REFLECT, RECOMMEND, EXPLAIN = range(6)


def offered(view: DialogueView, key: str, user: str, *acts: UserAct) -> int:
    """Offer an item in a dialogue made by hand; the user answers."""
    item = index(view.catalog, key)
    reacted = tuple(act._replace(other=item) for act in acts)
    say(view, RECOMMEND, item, f"How about {view.catalog.items[item].label}?", user, reacted)
    return item


def decided(view: DialogueView, roles: Player | None = None, **settings: Any) -> Any:
    return PCCRS(PCCRSSettings(**settings), roles).decide(view, RNG)


def test_an_offer_claims_only_what_is_true(small: Catalog) -> None:
    """The first draft promises all that was wanted; what the item lacks is struck."""
    view = opened(small, "A western with Ada Lind, please.")
    turn = decided(view, opening=0, trace=True)
    assert turn.action == RECOMMEND
    drafts = turn.trace["drafts"]
    assert "western" in drafts[0]["text"]
    assert "Ada Lind" in drafts[0]["text"]
    assert len(drafts[0]["false"]) == 1
    struck = drafts[0]["false"][0]["claim"]
    assert struck not in turn.text
    assert drafts[1] == {"text": turn.text, "false": []}
    assert turn.trace["credible"] is True
    assert false_claims(small, small.items[turn.ranking[0]], turn.text) == []


def test_without_refinements_the_first_draft_goes_out(small: Catalog) -> None:
    view = opened(small, "A western with Ada Lind, please.")
    turn = decided(view, opening=0, refinements=0, trace=True)
    assert "western" in turn.text
    assert "Ada Lind" in turn.text
    assert turn.trace == {"strategy": "logic", "drafts": [], "credible": False}
    assert decided(view, opening=0).trace is None


def test_the_best_of_what_was_named_is_offered_first(small: Catalog) -> None:
    view = opened(small, "A thriller with Otto Brand, please.")
    turn = decided(view, opening=0)
    values = small.items[turn.ranking[0]].values
    assert "thriller" in [small.value(0, v) for v in values[0]]
    assert "Otto Brand" in [small.value(1, v) for v in values[1]]
    assert turn.query == "A thriller with Otto Brand, please."


@pytest.mark.parametrize(
    ("settings", "action"),
    [
        ({}, STAR),
        ({"people_first": True}, STAR),
        ({"opening": 0}, RECOMMEND),
        ({"enough": 1}, RECOMMEND),
        ({"late": 10}, RECOMMEND),
    ],
)
def test_when_to_ask(small: Catalog, settings: dict[str, Any], action: int) -> None:
    assert decided(opened(small, "A thriller, please."), **settings).action == action


@pytest.mark.parametrize(
    ("action", "reply", "why"),
    [
        ("StarInquiry", "Who?", "must ask about actors"),
        ("StarInquiry", "Which genre, or which actor?", "must ask about actors"),
        ("FailureReflection", "Not {label}?", "must not name the title"),
    ],
)
def test_a_models_questions_are_checked(small: Catalog, action: str, reply: str, why: str) -> None:
    """Accounts of items have checks of their own: the words of this call do not go out."""
    view = opened(small, "A thriller, please.")
    offered(view, "harbour", "No.", UserAct(int(Kind.REJECT)))
    reply = reply.format(label=small.items[view.offers[-1][0]].label)

    def answer(call: Call[Any]) -> Any:
        if call.prompt == "pc_crs/decide/2":
            return {"action": action, "item": None, "reply": reply}
        return served_answer(small, call)

    players = Players(answer)
    assert decided(view, players) == decided(view)
    assert players.fallbacks == 1
    assert why in str(players.errors[0])


def test_questions_in_a_row_are_limited(small: Catalog) -> None:
    view = opened(small, "Hello.")
    policy = PCCRS(PCCRSSettings(opening=2, per_facet=1, people_first=False))
    asked = []
    for _ in range(2):
        turn = policy.decide(view, RNG)
        asked.append(turn.action)
        say(view, turn.action, -1, turn.text or "", "No idea.", ())
    assert asked == [GENRE, STAR]
    assert policy.decide(view, RNG).action == RECOMMEND
    longer = PCCRS(PCCRSSettings(opening=3, per_facet=1, people_first=False))
    assert longer.decide(view, RNG).action == DIRECTOR


def test_a_reason_is_taken_up(small: Catalog) -> None:
    view = opened(small, "A thriller, please.")
    reject = UserAct(int(Kind.REJECT), 0, small.value_index(0, "crime"))
    offered(view, "harbour", "No, I don't like crime.", reject)
    turn = decided(view)
    assert turn.action == REFLECT
    assert "crime" in turn.text
    assert "genres" in turn.text
    free = decided(view, reflect=False, between=0)
    assert free.action == RECOMMEND
    assert "crime" not in [small.value(0, v) for v in small.items[free.ranking[0]].values[0]]


def test_having_seen_it_is_no_reason(small: Catalog) -> None:
    view = opened(small, "A thriller, please.")
    offered(view, "harbour", "I've seen that one already.", UserAct(int(Kind.SEEN)))
    assert decided(view).action != REFLECT


def test_details_are_evidence(small: Catalog) -> None:
    view = opened(small, "A thriller, please.")
    item = offered(view, "vault", "Tell me more about it.", UserAct(int(Kind.DETAILS)))
    turn = decided(view, trace=True)
    assert turn.action == EXPLAIN
    assert turn.trace["strategy"] == "evidence"
    assert small.items[item].label in turn.text
    assert "Otto Brand" in turn.text


def test_every_strategy_has_its_dialogue(small: Catalog) -> None:
    chosen = []
    for text in ("Hello.", "A thriller.", "A thriller with Ada Lind.", "Something with Ada Lind."):
        situation = read_situation(opened(small, text))
        chosen.append(choose_strategy(situation, About(item=0, offered=False)).strategy)
    assert chosen == ["social_proof", "emotion", "logic", "logic"]
    view = opened(small, "A thriller with Ada Lind.")
    offered(view, "quay", "No.", UserAct(int(Kind.REJECT)))
    situation = read_situation(view)
    assert choose_strategy(situation, About(item=0, offered=False)).strategy == "anchoring"
    assert choose_strategy(situation, About(item=0, offered=True)).strategy == "evidence"
    tired = opened(small, "I am getting a bit tired of this. A thriller.")
    level = hear_lines(small, tired.transcript(), 0).impatience
    expected = "framing" if level >= 2 else "emotion"
    found = choose_strategy(read_situation(tired), About(item=0, offered=False)).strategy
    assert found == expected


class Model:
    """Answers each step with what it has for it, and counts the calls."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.players = Players(self.answer)

    def answer(self, call: Any) -> Any:
        step = call.prompt.split("/")[1]
        given = self.answers[step]
        return given(call) if callable(given) else given

    @property
    def steps(self) -> list[str]:
        return [call.prompt.split("/")[1] for call in self.players.calls]


FALSE = {"claim": "with Bob", "field": "star", "fact": "actors: Otto Brand"}


@pytest.mark.parametrize(
    ("found", "steps"),
    [
        ([[]], ["check"]),
        ([[FALSE], []], ["check", "refine", "check"]),
        ([[FALSE], [FALSE], [FALSE]], ["check", "refine", "check", "refine"]),
    ],
)
def test_a_model_rewrites_until_nothing_is_false(
    small: Catalog, found: list[list[dict[str, str]]], steps: list[str]
) -> None:
    view = opened(small, "A thriller, please.")
    candidates = find_candidates(view, "A thriller, please.", PCCRSSettings()).candidates
    title = small.items[candidates[1]].title
    texts = iter([f"{title} it is, draft {n}." for n in range(9)])
    checks = iter(found)
    script = Model(
        decide={"action": "ItemRec", "item": 2, "reply": "Well."},
        strategy={"strategy": "emotion"},
        explain=lambda call: {"text": next(texts)},
        check=lambda call: {"false": next(checks)},
        refine=lambda call: {"text": next(texts)},
    )
    turn = decided(view, script.players, refinements=2, trace=True)
    assert script.steps == ["decide", "strategy", "explain", *steps]
    assert turn.ranking[0] == candidates[1]
    assert turn.text == f"{title} it is, draft {steps.count('refine')}."
    assert turn.trace["credible"] is (steps[-1] == "check")
    assert script.players.errors == []
    told = "".join(message["content"] for message in script.players.calls[2].messages)
    assert STRATEGIES["emotion"].how in told


def test_an_account_names_its_title_and_no_other_offer(small: Catalog) -> None:
    view = opened(small, "A thriller, please.")
    other = offered(view, "quay", "No.", UserAct(int(Kind.REJECT)))
    label = small.items[other].label
    for text, message in (("Try it.", "must name the title"), (label, "must name the title")):
        script = Model(
            decide={"action": "ItemRec", "item": 1, "reply": "Well."},
            strategy={"strategy": "anchoring"},
            explain={"text": text},
            check={"false": []},
        )
        turn = decided(view, script.players)
        assert script.players.fallbacks == 1
        assert message in script.players.errors[0]
        assert small.items[turn.ranking[0]].label in turn.text
    script.answers["explain"] = lambda call: {
        "text": f"{small.items[turn.ranking[0]].title} is better than {label}."
    }
    script.players.errors.clear()
    again = decided(view, script.players)
    assert "must not name the title" in script.players.errors[0]
    assert again == turn


def test_a_question_costs_one_call(small: Catalog) -> None:
    script = Model(decide={"action": "StarInquiry", "item": None, "reply": " Which actor? "})
    turn = decided(opened(small), script.players)
    assert (turn.action, turn.text, turn.ranking) == (STAR, "Which actor?", None)
    assert script.steps == ["decide"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("refinements", -1), ("refinements", 11), ("opening", "two"), ("opening", -1),
        ("pool", 9), ("pool", 1001), ("between", -1),
        ("per_facet", 0), ("enough", 0), ("hurry", 0), ("hurry", 5), ("late", -1),
    ],
)  # fmt: skip
def test_settings_out_of_range_name_their_key(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"planner\.{key} must be .*not {value!r}"):
        PCCRSSettings(**{key: value})
