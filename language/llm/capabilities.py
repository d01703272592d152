"""What an endpoint supports, learned from its first complaint and remembered in the process."""

from __future__ import annotations

import logging
import re
import threading
from dataclasses import dataclass, replace
from typing import Any

import openai

from language.llm.call import Message
from language.llm.faults import is_overflow, message_of
from language.llm.request import ChatRequest
from language.llm.schema import schema_text

_LOG = logging.getLogger("crsgym.llm")
_NEXT_FORMAT = {"json_schema": "json_object", "json_object": "none"}
_UNSUPPORTED = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed"
    r"|invalid param|use 'max_completion_tokens'|only the default",
    re.IGNORECASE,
)
_FORMAT_WORDS = re.compile(
    r"response_format|json_schema|json_object|structured output|guided|grammar", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Abilities:
    """What to send to an endpoint.

    Attributes:
        format: ``json_schema``, ``json_object`` or ``none``. In the latter two the schema goes into
            the messages.
        limit: Name of the length limit: ``max_tokens`` or ``max_completion_tokens``.
        temperature: Whether a temperature may be set.
    """

    format: str = "json_schema"
    limit: str = "max_tokens"
    temperature: bool = True


_KNOWN: dict[tuple[str, str], Abilities] = {}
_LOCK = threading.Lock()


def abilities_of(address: str, model: str) -> Abilities:
    """What is known of a model at an address; at first, that it supports everything."""
    return _KNOWN.get((address, model), Abilities())


def forget() -> None:
    """Forget everything that was learned, as a new process would."""
    with _LOCK:
        _KNOWN.clear()


def learn(address: str, model: str, used: Abilities, error: openai.APIStatusError) -> bool:
    """Take a lesson from an error, if there is one in it.

    Args:
        address: Of the endpoint.
        model: Its name there.
        used: What the failed request was made with.
        error: What came back.

    Returns:
        Whether it is worth sending the request again, made with what is known now. Each lesson is
        learned and announced once, however many requests run into it at the same time.
    """
    better = _without(used, error)
    if better is None:
        return False
    with _LOCK:
        if _KNOWN.get((address, model), Abilities()) != used:
            return True
        _KNOWN[address, model] = better
    _LOG.warning("%s at %s: %s", model, address, _difference(used, better))
    return True


def _without(used: Abilities, error: openai.APIStatusError) -> Abilities | None:
    """What is left without the thing that an error complains about; None if it is no such thing."""
    if error.status_code not in (400, 422) or is_overflow(error):
        return None
    said = message_of(error)[:500]
    param = error.param or ""
    if used.format in _NEXT_FORMAT and (
        _FORMAT_WORDS.search(param) or (not param and _FORMAT_WORDS.search(said))
    ):
        return replace(used, format=_NEXT_FORMAT[used.format])
    if not _UNSUPPORTED.search(said):
        return None
    about = param or said
    if used.limit == "max_tokens" and "max_tokens" in about:
        return replace(used, limit="max_completion_tokens")
    if used.temperature and "temperature" in about:
        return replace(used, temperature=False)
    return None


def _difference(used: Abilities, better: Abilities) -> str:
    if better.format != used.format:
        instead = "the JSON schema goes into the messages"
        return f"does not support response_format {used.format}; {instead} ({better.format})"
    if better.limit != used.limit:
        return f"does not support {used.limit}; {better.limit} is sent instead"
    return "does not support a temperature; none is sent"


def chat_body(request: ChatRequest, abilities: Abilities) -> dict[str, Any]:
    """The request as the endpoint supports it."""
    body: dict[str, Any] = {
        "model": request.role.model,
        "messages": list(request.messages),
        abilities.limit: request.max_tokens,
    }
    if request.role.temperature is not None and abilities.temperature:
        body["temperature"] = request.role.temperature
    if abilities.format == "json_schema":
        body["response_format"] = request.format
    else:
        body["messages"] = _instructed(request)
    if abilities.format == "json_object":
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
