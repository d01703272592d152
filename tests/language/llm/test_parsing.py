"""What can be read from an answer's text, and how what cannot is named."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.llm.parsing import Read, Unusable, find_object, read_answer, repair_messages
from language.llm.request import Answer
from tests.language.llm.calls import Everything, Said, call

ONE = {"reply": "a } { ``` b", "n": [1, {"x": None}]}
TEXT = json.dumps(ONE)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"\n  {TEXT}\n",
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```",
        f"Here you are: {TEXT} I hope that helps.",
        f"{TEXT}}}]",
        f'{TEXT}\n{{"reply": "another"}}',
        f'The shape {{"reply": ...}} is filled:\n```json\n{TEXT}\n```',
        f"{{name}} says {TEXT}",
        f'<think>maybe {{"reply": "no"}}</think>\n{TEXT}',
    ],
)
def test_an_object_is_found_where_models_put_it(text):
    assert find_object(text) == ONE


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("<think>hm</think> ", "empty"),
        ("Sure, I can help.", "malformed"),
        ("{", "truncated"),
        ('{"a": tru', "truncated"),
        ('Of course: {"a": {"b": 1}', "truncated"),
        ('```json\n{"a": "x', "truncated"),
        ('{"a": 1,}', "malformed"),
        ('{"a": {"b": 1}, oops}', "malformed"),
        ("{'a': 1}", "malformed"),
        ('{"a": NaN}', "malformed"),
        ('{"a": 1e999}', "malformed"),
        (f'{{"a": {"9" * 5000}}}', "malformed"),
        ("[1, 2]", "schema"),
        ("12", "schema"),
        ("null", "schema"),
        ("[" * 100_000, "malformed"),
        ('{"a":' * 100_000, "malformed"),
        ("{" * 100_000, "malformed"),
    ],
)
def test_what_cannot_be_read_is_named(text, kind):
    found = find_object(text)
    assert isinstance(found, Unusable)
    assert found.kind == kind


@given(st.dictionaries(st.text(), st.none() | st.text() | st.integers(), max_size=4), st.data())
def test_no_part_of_an_object_is_taken_for_the_whole(value, data):
    text = json.dumps(value)
    cut = data.draw(st.integers(1, len(text) - 1))
    found = find_object(text[:cut])
    assert isinstance(found, Unusable)
    assert found.kind == "truncated"


@given(st.text())
def test_any_text_gives_an_object_or_a_named_fault(text):
    found = find_object(text)
    assert isinstance(found, dict | Unusable)


def test_finish_reasons_say_more_than_the_text():
    good = '{"reply": "x"}'
    for answer, kind in [
        (Answer(good, finish="length"), "truncated"),
        (Answer(good, refused=True), "refusal"),
    ]:
        found = read_answer(call(), answer)
        assert isinstance(found, Unusable)
        assert found.kind == kind
    assert read_answer(call(), Answer(good)) == Read(Said(reply="x"))


def test_a_breach_of_the_shape_is_explained_without_what_was_given():
    text = '{"text": 3, "scores": [{"action": "SECRET", "score": "x", "count": 1, "note": null}]}'
    found = read_answer(call(result=Everything), Answer(text))
    assert isinstance(found, Unusable)
    assert found.kind == "schema"
    assert "scores.0.action" in found.why
    assert "'ask' or 'offer'" in found.why
    assert "SECRET" not in found.why


def test_a_rule_of_the_reader_is_explained_in_its_own_words():
    def read(found):
        raise ValueError("there is no facet 'colour'")

    found = read_answer(call(read=read), Answer('{"reply": "x"}'))
    assert isinstance(found, Unusable)
    assert (found.kind, found.why) == ("schema", "there is no facet 'colour'.")


def test_an_error_of_the_reader_is_no_fault_of_the_model():
    def read(found):
        raise KeyError("a mistake here")

    with pytest.raises(KeyError):
        read_answer(call(read=read), Answer('{"reply": "x"}'))


def test_the_plea_says_what_was_wrong_and_repeats_the_shape():
    asked = call()
    messages = repair_messages(asked, Answer("{bad"), Unusable("malformed", "It was bad."))
    assert messages[:2] == asked.messages
    assert messages[2] == {"role": "assistant", "content": "{bad"}
    assert "It was bad." in messages[3]["content"]
    assert '"required":["reply"]' in messages[3]["content"]


def test_an_empty_answer_is_not_sent_back():
    messages = repair_messages(call(), Answer(" "), Unusable("empty", "It was empty."))
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[1]["content"].startswith("hello\n\n")
    assert "It was empty." in messages[1]["content"]


def test_a_long_answer_is_sent_back_in_part():
    messages = repair_messages(call(), Answer("x" * 99_999), Unusable("malformed", "Bad."))
    assert len(messages[2]["content"]) == 4000
