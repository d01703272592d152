"""Canonical lines: round trip of any text, one spelling, refusals that name the place."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.canonical import NotJSONError, canonical_line
from tests.evaluation.fakes import HOSTILE

# Lone surrogates included; a high one directly before a low one is JSON for another character.
texts = st.text(st.characters(codec=None, exclude_categories=())).filter(
    lambda text: (
        not any(
            "\ud800" <= a <= "\udbff" and "\udc00" <= b <= "\udfff"
            for a, b in itertools.pairwise(text)
        )
    )
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
records = st.dictionaries(texts, values, max_size=6)


@given(records)
def test_any_record_reads_back_from_one_line(record):
    line = canonical_line(record)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    text = line.decode("utf-8")
    assert len(text.splitlines()) == 1
    assert json.loads(text) == record


@given(records)
def test_the_order_of_keys_does_not_matter(record):
    backwards = dict(reversed(list(record.items())))
    assert canonical_line(backwards) == canonical_line(record)


def test_hostile_text_survives():
    long = "x" * 10_000
    record = {"a": HOSTILE, "b": long, HOSTILE: 1}
    assert json.loads(canonical_line(record)) == record


def test_text_stays_readable():
    assert canonical_line({"é": "🎬 א"}) == '{"é":"🎬 א"}\n'.encode()


def test_two_halves_of_one_character_become_it():
    assert json.loads(canonical_line({"a": "\ud83c\udfac"})) == {"a": "🎬"}


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (float("nan"), "record['turns'][1]['x'] = nan"),
        (np.int64(3), "int64"),
        ({1, 2}, "set"),
        ({3: "x", "a": 1}, "key 3"),
    ],
)
def test_what_json_lacks_is_named(value, place):
    with pytest.raises(NotJSONError) as caught:
        canonical_line({"ok": 1, "turns": [0, {"x": value}]})
    assert place in str(caught.value)
    assert "turns" in str(caught.value)
