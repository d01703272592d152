"""Judges: labels from words alone, and what a model judge may and may not say."""

import json
from typing import Any

import pytest

from evaluation.judge import EmbeddedJudge, Judgement, ModelJudge, TurnLabel, write_judgement
from language.llm.errors import DialogueFailed
from tests.language.script import Script
from tests.small_world import films

CATALOG = films()
JUDGE = EmbeddedJudge(CATALOG)
WISH = ("user", "I want a thriller with crime and drama, with Ada Lind, directed by B. Tash")
VAULT, LOVE = "How about Vault Street (1994)?", "How about Love, Mostly (1993)?"


def labels(*lines: tuple[str, str]) -> list[tuple[str, bool]]:
    return [(label.intent, label.retrieval) for label in JUDGE.judge(lines).turns]


def test_a_question_is_needless_once_a_target_could_be_found() -> None:
    lines = (
        ("user", "hello"), ("system", "Which genres do you like?"), WISH,
        ("system", "Which actors do you like?"), ("user", "that is all"),
        ("system", VAULT), ("user", "Perfect, I'll take it!"),
    )  # fmt: skip
    assert labels(*lines) == [("ask", False), ("ask", True), ("recommend", True)]
    assert JUDGE.judge(lines).cge2_counts() == (1, 3)


def test_what_is_turned_down_or_known_is_wrong() -> None:
    turned_down = labels(WISH, ("system", VAULT), ("user", "No, that's not for me."))
    known = labels(WISH, ("system", VAULT), ("user", "I have already seen it."))
    assert turned_down == known == [("recommend", False)]


@pytest.mark.parametrize(
    ("answer", "ignored"),
    [
        ("Which actors do you like?", True),
        ("Which genre would you rather have?", False),
        ("What should be different?", False),
        ("How about The Sad Clown (1996)?", True),
        ("How about Cellar (1999)?", False),
    ],
)
def test_a_reason_must_be_taken_up(answer: str, ignored: bool) -> None:
    lines = (
        ("user", "hello"), ("system", LOVE), ("user", "No thanks. I don't want a comedy."),
        ("system", answer), ("user", "hm"),
    )  # fmt: skip
    assert JUDGE.judge(lines).fge2 is ignored


def test_what_does_not_fit_after_all_was_said_is_an_error() -> None:
    assert JUDGE.judge((WISH, ("system", LOVE), ("user", "hm"))).pe2
    assert not JUDGE.judge((WISH, ("system", VAULT), ("user", "hm"))).pe2
    assert not JUDGE.judge((("user", "a thriller"), ("system", LOVE), ("user", "hm"))).pe2


def test_a_model_judge_answers_for_every_turn_or_the_embedded_one_does() -> None:
    lines = (WISH, ("system", VAULT), ("user", "Perfect, I'll take it!"))
    answer: dict[str, Any] = {
        "turns": [{"turn": 1, "intent": "other", "retrieval": False}], "fge2": True, "pe2": True,
    }  # fmt: skip
    script = Script(lambda call: answer)
    judge = ModelJudge(CATALOG, JUDGE, script)
    assert judge.judge(lines) == Judgement((TurnLabel("other", False),), True, True)
    data = json.loads(script.calls[0].messages[1]["content"])
    assert data["turns"] == [{"turn": 1, "system": VAULT, "user": "Perfect, I'll take it!"}]
    assert data["opening"] == [WISH[1]]
    assert [entry["title"] for entry in data["catalogue"]] == ["Vault Street"]
    assert script.calls[0].inputs()["lines"] == [list(line) for line in lines]
    answer["turns"][0]["turn"] = 2
    assert judge.judge(lines) == JUDGE.judge(lines)
    assert script.fallbacks == 1
    script.give = lambda call: DialogueFailed("too long", "context_overflow")
    with pytest.raises(DialogueFailed):
        judge.judge(lines)


def test_what_the_embedded_judge_says_survives_json() -> None:
    lines = (WISH, ("system", "Which genres?"), ("user", "hm"), ("system", VAULT), ("user", "ok"))
    script = Script(
        lambda call: write_judgement(JUDGE.judge(json.loads(json.dumps(call.inputs()))["lines"]))
    )
    assert ModelJudge(CATALOG, JUDGE, script).judge(lines) == JUDGE.judge(lines)
    assert script.fallbacks == 0
