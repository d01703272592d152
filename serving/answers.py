"""Bodies of answers in OpenAI's shapes, and how tokens are counted."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.responses import Response
from starlette.types import Receive, Scope, Send


def estimated(characters: int) -> int:
    """Tokens of a text: a quarter of its characters, rounded up.

    That is close for English prose, and some 20 % low for JSON; no tokenizer is asked.
    """
    return -(-characters // 4)


def prompt_tokens(body: Mapping[str, Any]) -> int:
    """Tokens of a chat request: of its messages' contents and of the schema that it brings.

    What travels in the field ``crsgym`` is no part of a model's prompt and does not count.
    """
    characters = sum(len(message["content"]) for message in body["messages"])
    wanted = body.get("response_format")
    if wanted is not None and "json_schema" in wanted:
        characters += len(json.dumps(wanted["json_schema"], separators=(",", ":")))
    return estimated(characters)


def encoded(body: object) -> bytes:
    """JSON as bytes; ASCII only, so that no text, however odd, breaks the answer."""
    return json.dumps(body, separators=(",", ":"), allow_nan=False).encode("ascii")


def readable(result: object) -> str:
    """A role's result as the content of an answer."""
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class JSON(Response):
    """A JSON answer from bytes that are ready, or from an object."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The bytes of the body."""
        return content if isinstance(content, bytes) else encoded(content)


class Dropped(Response):
    """An answer that promises more than it sends: the server then closes the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send headers and half of the body, and return."""
        half = bytes(self.body[: len(self.body) // 2])
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": half, "more_body": True})


def error(
    status: int,
    message: str,
    *,
    kind: str = "invalid_request_error",
    param: str | None = None,
    code: str | None = None,
    retry_after_s: float | None = None,
) -> JSON:
    """An error in OpenAI's shape."""
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    headers = None if retry_after_s is None else {"Retry-After": f"{retry_after_s:g}"}
    return JSON(body, status, headers)


def completion(
    number: int,
    created: int,
    model: str,
    message: tuple[str | None, str | None, str],
    tokens: tuple[int, int],
) -> dict[str, Any]:
    """A chat completion.

    Args:
        number: Running number of the answer.
        created: Unix time in seconds.
        model: The model that was asked for.
        message: Content, refusal and finish reason.
        tokens: Of the prompt and of the answer.
    """
    content, refusal, finish = message
    said = {"role": "assistant", "content": content, "refusal": refusal}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [{"index": 0, "message": said, "finish_reason": finish, "logprobs": None}],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        },
    }


def embeddings(
    model: str, vectors: NDArray[np.float32], texts: Sequence[str], as_base64: bool
) -> dict[str, Any]:
    """An embeddings answer: vectors as lists of numbers, or as base64 of little-endian floats."""
    rows: list[Any]
    if as_base64:
        plain = np.ascontiguousarray(vectors, dtype="<f4")
        rows = [base64.b64encode(row.tobytes()).decode("ascii") for row in plain]
    else:
        rows = vectors.tolist()
    tokens = estimated(sum(map(len, texts)))
    return {
        "object": "list",
        "model": model,
        "data": [
            {"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)
        ],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def fault_answer(fault: str, retry_after_s: float) -> JSON:
    """The error that a fault without content is answered with."""
    if fault == "rate_limit":
        return error(
            429,
            "Rate limit reached (an injected fault).",
            kind="requests",
            code="rate_limit_exceeded",
            retry_after_s=retry_after_s,
        )
    if fault == "auth":
        return error(401, "The API key was refused (an injected fault).", code="invalid_api_key")
    if fault == "overflow":
        message = "The messages exceed this model's context length (an injected fault)."
        return error(400, message, param="messages", code="context_length_exceeded")
    if fault == "no_model":
        message = "The model does not exist (an injected fault)."
        return error(404, message, param="model", code="model_not_found")
    return error(500, "The server had an error (an injected fault).", kind="server_error")
