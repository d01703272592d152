"""What is left to ask: the order, what closes a facet, and the words."""

from typing import Any

import pytest

from baselines.heard import hear_lines
from baselines.questions import (
    Question,
    QuestionRules,
    open_questions,
    question_text,
    reflection_text,
)
from baselines.taste import taste_of
from catalogs.catalog import Catalog

GENRE, STAR, DIRECTOR = range(3)
RULES = QuestionRules(people_first=True, clarify_first=False, more_people=False, per_facet=2)


def left(catalog: Catalog, *texts: str, **changes: Any) -> list[tuple[int, str]]:
    speakers = ("user", "system")
    lines = [(speakers[i % 2], text) for i, text in enumerate(texts)]
    heard = hear_lines(catalog, lines, 0)
    rules = RULES.model_copy(update=changes)
    return [
        (q.facet, q.kind) for q in open_questions(catalog, heard, taste_of(catalog, heard), rules)
    ]


def test_people_come_first_where_they_should(small: Catalog) -> None:
    unknown = [(f, "unknown") for f in (STAR, DIRECTOR, GENRE)]
    assert left(small, "Hi.") == unknown
    assert left(small, "Hi.", people_first=False) == [unknown[2], *unknown[:2]]


def test_what_is_known_is_asked_about_last_and_only_where_more_may_come(small: Catalog) -> None:
    said = "A thriller with Ada Lind."
    assert left(small, said) == [(DIRECTOR, "unknown"), (GENRE, "more")]
    assert left(small, said, more_people=True) == [
        (DIRECTOR, "unknown"), (GENRE, "more"), (STAR, "more"),
    ]  # fmt: skip


def test_vague_words_are_cleared_up(small: Catalog) -> None:
    said = "Something thrilling."
    assert left(small, said) == [(STAR, "unknown"), (DIRECTOR, "unknown"), (GENRE, "unclear")]
    assert left(small, said, clarify_first=True)[0] == (GENRE, "unclear")


@pytest.mark.parametrize(
    "answers",
    [("Nobody else comes to mind.",), ("No idea.", "Which actors would you like?", "No idea.")],
)
def test_a_facet_is_closed_by_the_user_or_by_being_asked_about(
    small: Catalog, answers: tuple[str, ...]
) -> None:
    found = left(small, "Hi.", "Which actors would you like?", *answers)
    assert STAR not in [facet for facet, _ in found]


def test_the_words_ask_about_the_facet(small: Catalog) -> None:
    heard = hear_lines(small, [("user", "Something thrilling with Ada Lind.")], 0)
    taste = taste_of(small, heard)
    texts = [
        question_text(small, taste, Question(GENRE, "unclear")),
        question_text(small, taste, Question(STAR, "more")),
        question_text(small, taste, Question(DIRECTOR, "unknown")),
        question_text(small, taste, Question(DIRECTOR, "more")),
    ]
    assert all(word in texts[0] for word in ("action", "thriller", "genre"))
    assert "Ada Lind" in texts[1]
    assert texts[2] == texts[3]
    lines = [("system", text) for text in texts]
    assert hear_lines(small, lines, 0).asked == (1, 1, 2)


def test_the_words_after_a_failure(small: Catalog) -> None:
    horror = small.value_index(GENRE, "horror")
    texts = [
        reflection_text(small, GENRE, horror),
        reflection_text(small, STAR, -1),
        reflection_text(small, -1, -1),
    ]
    assert "horror" in texts[0]
    found = hear_lines(small, [("system", text) for text in texts], 0)
    assert found.asked == (1, 1, 0)
    assert len(found.moves) == 3
