"""Reading requests: is this a chat or embeddings request that the endpoint can answer?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from catalogs.nearest import nearest_hint
from serving.handlers import HANDLERS
from serving.inputs import short
from serving.settings import ServingSettings

NO_FIELD = (
    "this endpoint has no language model: it computes the embedded roles, and needs the field "
    "'crsgym' with role, prompt and inputs, which only llm=server sends"
)
MOST_TEXTS = 2048
"""Texts of an embeddings request."""


class RefusedError(Exception):
    """A request that cannot be answered.

    Attributes:
        status: Of the answer.
        param: The field that is wrong, as OpenAI's errors name it.
    """

    def __init__(self, message: str, status: int = 400, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.param = param


def chat_request(raw: bytes, settings: ServingSettings) -> dict[str, Any]:
    """A chat request, its frame checked; the role checks its own inputs.

    Raises:
        RefusedError: Something is missing, of the wrong type, or not supported.
    """
    body = _frame(raw)
    if body.get("stream"):
        raise RefusedError("stream=true is not supported: answers come whole", param="stream")
    if body.get("n") not in (None, 1):
        raise RefusedError("n must be 1: one answer comes back", param="n")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise RefusedError("messages must be a list with at least one message", param="messages")
    for said in messages:
        if not (
            isinstance(said, dict)
            and isinstance(said.get("role"), str)
            and isinstance(said.get("content"), str)
        ):
            raise RefusedError(
                "each message needs a role and a content, both texts", param="messages"
            )
    _check_format(body.get("response_format"), settings)
    role = _field(body).get("role")
    if not isinstance(role, str) or role not in HANDLERS:
        hint = nearest_hint(role[:40], HANDLERS, cutoff=0.4) if isinstance(role, str) else ""
        known = f"{hint} (there are {', '.join(HANDLERS)})"
        raise RefusedError(f"crsgym.role: no chat role {short(role)}{known}", param="crsgym")
    return body


def embed_request(raw: bytes) -> tuple[dict[str, Any], list[str]]:
    """An embeddings request and its texts.

    Raises:
        RefusedError: Something is missing, of the wrong type, or not supported.
    """
    body = _frame(raw)
    wanted = body.get("input")
    texts = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise RefusedError("input must be a text or a list of texts", param="input")
    if not 1 <= len(texts) <= MOST_TEXTS:
        raise RefusedError(
            f"input must hold 1..{MOST_TEXTS} texts, not {len(texts)}", param="input"
        )
    if body.get("encoding_format") not in (None, "float", "base64"):
        raise RefusedError("encoding_format must be 'float' or 'base64'", param="encoding_format")
    if body.get("dimensions") is not None:
        raise RefusedError("dimensions cannot be chosen here", param="dimensions")
    if _field(body).get("role", "embed") != "embed":
        raise RefusedError("crsgym.role: this address has the role 'embed' only", param="crsgym")
    return body, texts


def _frame(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw, parse_constant=_no_number)
    except RecursionError:
        raise RefusedError("the body is nested too deeply") from None
    except ValueError as wrong:
        raise RefusedError(f"the body is not JSON: {str(wrong)[:200]}") from None
    if not isinstance(body, dict):
        raise RefusedError("the body must be a JSON object")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise RefusedError("model must name a model; any name does", param="model")
    return body


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _field(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The field ``crsgym`` with its inputs and their catalogue."""
    field = body.get("crsgym")
    if field is None:
        raise RefusedError(NO_FIELD, param="crsgym")
    if not isinstance(field, dict):
        raise RefusedError("crsgym must be an object with role, prompt and inputs", param="crsgym")
    prompt = field.get("prompt")
    if prompt is not None and not isinstance(prompt, str):
        raise RefusedError("crsgym.prompt must be a text such as 'track/1'", param="crsgym")
    inputs = field.get("inputs")
    if not isinstance(inputs, dict):
        raise RefusedError(
            "crsgym.inputs must be an object with what the role needs", param="crsgym"
        )
    if not isinstance(inputs.get("catalog"), dict):
        raise RefusedError(
            "crsgym.inputs.catalog must say how to open the catalogue", param="crsgym"
        )
    return field


def _check_format(wanted: object, settings: ServingSettings) -> None:
    """Whether the response format is one of OpenAI's, and one that this endpoint supports."""
    if wanted is None:
        return
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind not in ("text", "json_object", "json_schema"):
        message = "response_format must have the type 'json_schema', 'json_object' or 'text'"
        raise RefusedError(message, param="response_format")
    supported = {"json_schema": settings.json_schema, "json_object": settings.json_object}
    if not supported.get(kind, True):
        message = f"response_format of type {kind!r} is not supported by this model"
        raise RefusedError(message, param="response_format")
    if kind == "json_schema":
        assert isinstance(wanted, dict)
        described = wanted.get("json_schema")
        if not (
            isinstance(described, dict)
            and isinstance(described.get("name"), str)
            and isinstance(described.get("schema"), dict)
        ):
            message = "response_format.json_schema needs a name and a schema"
            raise RefusedError(message, param="response_format")
