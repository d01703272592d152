"""From an endpoint's answer to what the caller needs, or to what is wrong with it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from language.llm.call import Call, Message
from language.llm.request import Answer
from language.llm.schema import schema_text

T = TypeVar("T")

REPAIR_QUOTE = 4000
"""Characters of an unusable answer that are sent back with the request to mend it."""

_THOUGHT = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_OBJECT = re.compile(r'\{\s*["}]')
_FENCE = re.compile(r'```(?:json)?\s*(?=\{\s*["}])', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Read(Generic[T]):
    """A usable answer's value."""

    value: T


@dataclass(frozen=True, slots=True)
class Unusable:
    """An answer that cannot be used.

    Attributes:
        kind: One of :data:`~language.llm.usage.FAULTS`.
        why: A sentence for the model that is to mend it.
    """

    kind: str
    why: str


def read_answer(call: Call[T], answer: Answer) -> Read[T] | Unusable:
    """What an answer says, in a fixed order of tolerance.

    Thoughts before the answer are dropped. The whole text is read as JSON; failing that, the
    object in the first code fence; failing that, the first object in the text. What follows the
    object is ignored. An object that ends early is never completed, and nothing inside a broken
    object is taken for the answer.
    """
    if answer.refused:
        return Unusable("refusal", "It was a refusal.")
    if answer.finish == "length":
        return Unusable("truncated", "It was cut off at the length limit; be brief.")
    found = find_object(answer.text)
    if isinstance(found, Unusable):
        return found
    try:
        result = call.result.model_validate(found)
    except ValidationError as error:
        return Unusable("schema", _explain(error))
    try:
        return Read(call.read(result))
    except ValueError as error:
        return Unusable("schema", f"{str(error)[:500]}.")


def find_object(text: str) -> dict[str, Any] | Unusable:
    """The JSON object in a text, or what is wrong: ``empty``, ``truncated``, ``malformed``..."""
    thought = _THOUGHT.match(text)
    text = (text[thought.end() :] if thought else text).strip()
    if not text:
        return Unusable("empty", "It was empty.")
    whole = _load(text)
    if not isinstance(whole, Unusable) or (whole.kind == "truncated" and text.startswith("{")):
        return _checked(whole)
    start = _start(text)
    if start is None:
        return Unusable("malformed", "It held no JSON object.")
    return _checked(_load(text[start:]))


def _start(text: str) -> int | None:
    """Where the object begins in a text that is not JSON as a whole."""
    first = _OBJECT.search(text)
    if first is None or first.start() == 0:
        return None if first is None else 0
    fence = _FENCE.search(text)
    return fence.end() if fence else first.start()


def _load(text: str) -> Any:
    """The JSON value that a text begins with, or Unusable."""
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        message = str(error)
    if message.startswith("EOF"):
        return Unusable("truncated", "It ended before its JSON was complete; be brief.")
    if message.startswith("trailing characters") and text.startswith("{"):
        return from_json(text, allow_inf_nan=False, allow_partial=True)
    return Unusable("malformed", f"It was not valid JSON: {message[:200]}.")


def _checked(found: Any) -> dict[str, Any] | Unusable:
    if isinstance(found, Unusable):
        return found
    if not isinstance(found, dict):
        return Unusable("schema", "It was JSON, but not one object.")
    try:
        json.dumps(found, allow_nan=False)
    except ValueError:
        return Unusable("malformed", "It held a number beyond any range.")
    return found


def _explain(error: ValidationError) -> str:
    """The first few breaches of the shape, without the values that were given."""
    lines = [
        f"{'.'.join(str(part) for part in each['loc']) or 'the object'}: {each['msg']}"
        for each in error.errors(include_url=False, include_context=False, include_input=False)[:5]
    ]
    return ("It did not fit the shape: " + "; ".join(lines))[:800] + "."


def repair_messages(call: Call[Any], answer: Answer, problem: Unusable) -> tuple[Message, ...]:
    """The chat that asks the model to mend an answer: what was wrong, and the shape again."""
    plea = (
        f"Your answer could not be used. {problem.why} Answer again with one complete JSON object "
        f"and nothing else. Its JSON schema: {schema_text(call.result)}"
    )
    said = answer.text[:REPAIR_QUOTE].strip()
    if said:
        return (
            *call.messages,
            {"role": "assistant", "content": said},
            {"role": "user", "content": plea},
        )
    # Some endpoints reject empty messages, and two in a row from the same side.
    *before, last = call.messages
    return (*before, {"role": last["role"], "content": f"{last['content']}\n\n{plea}"})
