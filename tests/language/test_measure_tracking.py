"""Measuring the tracker against annotated human dialogues."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from language.measure_tracking import Score, measure, read_dialogues, table
from tests.language.samples import small_catalog


def session(messages: list[str], **preferences: list[str]) -> dict[str, Any]:
    roles = ("Assistant", "User")
    dialogue = [
        {"role": roles[i % 2], "turn_number": i, "message": text} for i, text in enumerate(messages)
    ]
    return {"dialogue": dialogue, "preferences": preferences}


USERS = [
    {
        "sessions": [
            session(
                ["Hi! Which genre do you like?", "Crime and comedies, but no horror"],
                genre_preferences_like=["dark comedy", "superhero", "romantic"],
                genre_preferences_dislike=["scary stuff"],
            ),
            session(
                ["Do you have favourite actors?", "Bruno Tash. And not Lee Park."],
                actor_like=["Bruno Tash (as director)", "great cast"],
                actor_dislike=["lee park"],
            ),
        ]
    }
]


def test_counts() -> None:
    scores = measure(USERS, small_catalog())
    likes = scores["genre likes"]
    assert (likes.both, likes.tracked, likes.annotated) == (1, 2, 2)
    assert likes.precision == likes.recall == 0.5
    assert scores["genre dislikes"].recall == scores["genre dislikes"].precision == 1
    assert scores["actor likes"].recall == scores["actor likes"].precision == 1
    assert scores["actor dislikes"].recall == scores["actor dislikes"].precision == 1


def test_nothing_to_count_is_not_a_number() -> None:
    score = Score()
    assert math.isnan(score.precision)
    assert math.isnan(score.recall)
    assert "nan" in table({"empty": score})


def test_files_that_are_no_dialogues(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    with pytest.raises(SystemExit, match="no such file"):
        read_dialogues(path)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(SystemExit, match="not JSON"):
        read_dialogues(path)
    path.write_text(json.dumps([{"x": 1}]), encoding="utf-8")
    with pytest.raises(SystemExit, match="sessions"):
        read_dialogues(path)
    path.write_text(json.dumps(USERS), encoding="utf-8")
    assert read_dialogues(path) == USERS
