"""What an endpoint does not support, by its complaints, and requests that do without it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import openai

from language.llm.abilities import Abilities, replace_abilities
from language.llm.call import Message
from language.llm.meanings import field_of, is_overflow, message_of
from language.llm.request import ChatRequest
from language.llm.schema import schema_text

_NEXT_FORMAT = {"json_schema": "json_object", "json_object": "none"}
_UNSUPPORTED = re.compile(
    r"unsupported|(not|n't) support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed"
    r"|invalid param|use 'max_completion_tokens'|only the default",
    re.IGNORECASE,
)
# Names that endpoints have for structured output and for the parts of a schema.
_FORMAT_WORDS = re.compile(
    r"response[ _-]?(format|schema|mime[ _]?type)|json[ _-]?(schema|object|mode)"
    r"|structured[ _-]?output|output[ _-](format|config|schema)|additional_?properties"
    r"|guided|grammar|(unsupported|not support|invalid|unknown|complex).{0,60}\bschema\b"
    r"|\bschema\b.{0,60}(unsupported|not support|invalid|too (many|complex|deep|large))",
    re.IGNORECASE,
)
_EFFORT_WORDS = re.compile(r"reasoning|thinking", re.IGNORECASE)


def learn(
    address: str,
    model: str,
    used: Abilities,
    sent: Collection[str],
    error: openai.APIStatusError,
) -> bool:
    """Take a lesson from an error, if there is one in it.

    Args:
        address: Of the endpoint.
        model: Its name there.
        used: What the failed request was made with.
        sent: Names of the request's fields.
        error: What came back.

    Returns:
        Whether it is worth sending the request again, made with what is known now. Each lesson is
        learned and announced once, however many requests run into it at the same time.
    """
    better = _without(used, sent, error)
    if better is None:
        return False
    replace_abilities(address, model, used, better, _difference(used, better))
    return True


def _without(
    used: Abilities, sent: Collection[str], error: openai.APIStatusError
) -> Abilities | None:
    """What is left without the thing that an error complains about; None if it is no such thing."""
    if error.status_code not in (400, 422) or is_overflow(error):
        return None
    said = message_of(error)[:500]
    param = field_of(error, "param")
    if "response_format" in sent and (
        _FORMAT_WORDS.search(param) or (not param and _FORMAT_WORDS.search(said))
    ):
        return replace(used, format=_NEXT_FORMAT[used.format])
    about = param or said
    # An effort that is refused may be a word that this model does not know.
    if "reasoning_effort" in sent and _EFFORT_WORDS.search(about):
        return replace(used, effort=False)
    if not _UNSUPPORTED.search(said):
        return None
    if "max_tokens" in sent and "max_tokens" in about:
        return replace(used, limit="max_completion_tokens")
    if "temperature" in sent and "temperature" in about:
        return replace(used, temperature=False)
    return None


def _difference(used: Abilities, better: Abilities) -> str:
    if better.format != used.format:
        instead = "the JSON schema goes into the messages"
        return f"does not support response_format {used.format}; {instead} ({better.format})"
    if better.limit != used.limit:
        return f"does not support {used.limit}; {better.limit} is sent instead"
    if better.effort != used.effort:
        return "does not support the reasoning_effort; none is sent"
    return "does not support a temperature; none is sent"


def chat_body(request: ChatRequest, abilities: Abilities) -> dict[str, Any]:
    """The request as the endpoint supports it."""
    body: dict[str, Any] = {
        "model": request.role.model,
        "messages": list(request.messages),
        abilities.limit: request.room,
    }
    if request.role.temperature is not None and abilities.temperature:
        body["temperature"] = request.role.temperature
    if request.role.reasoning_effort is not None and abilities.effort:
        body["reasoning_effort"] = request.role.reasoning_effort
    if abilities.in_words:
        body["messages"] = _instructed(request)
    if abilities.format == "json_schema":
        body["response_format"] = request.format
    elif abilities.format == "json_object":
        body["response_format"] = {"type": "json_object"}
    return body


def _instructed(request: ChatRequest) -> list[Message]:
    """The messages with the schema as an instruction, in the constant first one if there is one."""
    order = (
        "Answer with one JSON object and nothing else. It must fit this JSON schema: "
        f"{schema_text(request.result)}"
    )
    first, *rest = request.messages
    if first["role"] != "system":
        return [{"role": "system", "content": order}, first, *rest]
    return [{"role": "system", "content": f"{first['content']}\n\n{order}"}, *rest]
