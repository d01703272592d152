"""One attempt at one endpoint, through the openai client."""

from __future__ import annotations

import base64
import json
import logging
import os
import re
from typing import Any, NoReturn
from urllib.parse import urlsplit

import httpx2
import numpy as np
import openai
from pydantic_core import from_json

from language.llm.abilities import abilities_of
from language.llm.attempt import TransportError
from language.llm.capabilities import chat_body, learn
from language.llm.errors import RunStopped
from language.llm.meanings import error_in, is_filtered, is_misshapen, meaning, of_status
from language.llm.request import Answer, ChatRequest, EmbeddingRequest, Vectors
from language.llm.settings import NO_KEY, RoleSettings

_LONGEST_CONNECT_S = 10.0
# Below the 5 s after which common servers close idle connections: a request that crosses such a
# closing on its way looks like a dropped connection.
_KEEPALIVE_S = 4.0
_LEAST_CONNECTIONS = 128

SHORTEST_KEY = 16
"""Characters of a key that is a secret."""


class OpenAIEndpoint:
    """An OpenAI-compatible address and its pool of connections, shared between threads.

    The key is read from the environment when this is made and held by the client alone.

    Args:
        role: Settings of a role that is there: address, key and timeout.
        connections: Number of connections at most, and more than there are calls in flight.

    Raises:
        RunStopped: The variable with the key is not set, or the local server does not start.
    """

    def __init__(self, role: RoleSettings, connections: int = _LEAST_CONNECTIONS) -> None:
        # The client's transport would log every request.
        for name in ("httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)
        base_url = _local_url() if role.backend == "local" else role.base_url
        count = max(connections, _LEAST_CONNECTIONS)
        limits = httpx2.Limits(
            max_connections=count, max_keepalive_connections=count, keepalive_expiry=_KEEPALIVE_S
        )
        here = urlsplit(base_url).hostname in ("127.0.0.1", "localhost", "::1")
        timeout = httpx2.Timeout(role.timeout_s, connect=min(role.timeout_s, _LONGEST_CONNECT_S))
        self._client = openai.OpenAI(
            api_key=_read_key(role),
            base_url=base_url,
            max_retries=0,
            timeout=timeout,
            http_client=httpx2.Client(limits=limits, timeout=timeout, trust_env=not here),
        )

    def __repr__(self) -> str:
        return f"OpenAIEndpoint({str(self._client.base_url)!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an endpoint holds a key and connections: pickle the settings instead")

    def chat(self, request: ChatRequest) -> Answer:
        """Send a chat request once, or again at once after learning what is not supported.

        Raises:
            TransportError: Another attempt may succeed.
            RunStopped: The key, the address or the model is refused, or there is no credit.
            DialogueFailed: The chat is too long, or the request is rejected.
        """
        role = request.role
        extra = None if request.extra is None else {"crsgym": request.extra()}
        while True:
            known = abilities_of(role.place, role.model)
            body = chat_body(request, known)
            found = self._post("/chat/completions", body | extra if extra else body)
            if isinstance(found, httpx2.Response):
                return self._answer(role, found)
            if is_filtered(found):
                return Answer("", finish="content_filter", refused=True)
            if is_misshapen(found):
                return Answer("(no JSON of the shape asked for)")
            if isinstance(found, openai.APIStatusError) and learn(
                role.place, role.model, known, body, found
            ):
                continue
            error = meaning(found, role, self._scrub)
            # An error of the client shows what the endpoint echoed, as would a traceback with it.
            del found
            raise error

    def embed(self, request: EmbeddingRequest) -> Vectors:
        """Send an embedding request once; errors as in :meth:`chat`.

        Vectors that are missing, of different lengths or not finite are a TransportError: there is
        nothing but another attempt that could mend them.
        """
        role = request.role
        body: dict[str, Any] = {"model": role.model, "input": list(request.texts)}
        if request.extra is not None:
            body["crsgym"] = request.extra()
        found = self._post("/embeddings", body)
        if not isinstance(found, httpx2.Response):
            error = meaning(found, role, self._scrub)
            del found
            raise error
        envelope = self._envelope(role, found)
        rows = _rows(envelope.get("data"), len(request.texts))
        if rows is None:
            raise TransportError(f"{_where(role)}: no usable vectors", "server_error")
        tokens_in, _ = _tokens(envelope)
        return Vectors(rows, tokens_in)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _post(self, path: str, body: dict[str, Any]) -> httpx2.Response | openai.OpenAIError:
        """The response, or the error itself.

        What raises ours is then outside of the handler, so that no chain of exceptions leads from
        it to a request with its headers.
        """
        for fit in (lambda: body, lambda: _encodable(body)):
            try:
                # Half the time of the typed method, which builds models that are not needed here.
                return self._client.post(path, cast_to=httpx2.Response, body=fit())
            except openai.OpenAIError as error:
                return error
            except UnicodeEncodeError:
                # Halves of characters, which no encoding can hold, from a title or a user's text;
                # or else a header.
                continue
        raise RunStopped(
            f"a header of a request to {self._client.base_url} holds characters that no header "
            "may: look at OPENAI_ORG_ID and OPENAI_PROJECT_ID"
        )

    def _scrub(self, text: str) -> str:
        key = self._client.api_key
        # Shorter ones are placeholders ("none", "ollama"), and words of answers too.
        return text.replace(key, "***") if len(key) >= SHORTEST_KEY and key in text else text

    def _envelope(self, role: RoleSettings, response: httpx2.Response) -> dict[str, Any]:
        data = _json(response.content)
        error = error_in(data)
        found: dict[str, Any] = data if isinstance(data, dict) else {}
        if not isinstance(data, dict) and error is None:
            raise TransportError(f"{_where(role)}: HTTP 200 without a JSON object", "server_error")
        if error is not None and not found.get("choices") and not found.get("data"):
            # Some gateways wrap the errors of those behind them into a success.
            status, said = error.get("code"), self._scrub(str(error.get("message", "")))[:300]
            status = status if isinstance(status, int) and 300 <= status < 600 else 500
            del data, found, error
            raise of_status(status, None, said, _where(role), response.headers)
        return found

    def _answer(self, role: RoleSettings, response: httpx2.Response) -> Answer:
        data = self._envelope(role, response)
        choices = data.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else {}
        choice = choice if isinstance(choice, dict) else {}
        message = choice.get("message")
        message = message if isinstance(message, dict) else {}
        finish = self._scrub(str(choice.get("finish_reason") or "stop"))[:40]
        tokens_in, tokens_out = _tokens(data)
        return Answer(
            text=self._scrub(_clean(_content(message.get("content")))),
            finish=finish,
            refused=bool(message.get("refusal")) or finish.startswith("content_filter"),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
        )


def _where(role: RoleSettings) -> str:
    return f"{role.model} at {role.address} for the role {role.role}"


def _local_url() -> str:
    from language.llm.local_server import start_local_server

    return start_local_server()


def _read_key(role: RoleSettings) -> str:
    if role.api_key_env is None:
        return NO_KEY
    key = os.environ.get(role.api_key_env, "").strip()
    if not key:
        raise RunStopped(
            f"the role {role.role} is played by {role.model} at {role.address}, which needs a key, "
            f"and {role.api_key_env} is not set; remedy: export {role.api_key_env}=..."
        )
    if not re.fullmatch(r"[!-~]+", key):
        raise RunStopped(
            f"{role.api_key_env} holds characters that no key has (blanks, line ends, accents); "
            f"remedy: export {role.api_key_env}=... again"
        )
    return key


def _json(content: bytes) -> Any:
    """The value, or None if it is no JSON."""
    try:
        return from_json(content)
    except ValueError:
        pass
    try:
        # Knows lone surrogates, which some servers write.
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _content(content: Any) -> str:
    """Text of a message, which may come in parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _clean(text: str) -> str:
    """The text without half characters, which no file and no request can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _tokens(data: dict[str, Any]) -> tuple[int, int]:
    usage = data.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    found = [counts.get("prompt_tokens"), counts.get("completion_tokens")]
    read, written = (
        n if isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 10**9 else 0 for n in found
    )
    return read, written


def _rows(data: Any, count: int) -> list[list[float]] | None:
    """Vectors in the order of the texts; None if they are not what was asked for."""
    if not isinstance(data, list) or len(data) != count:
        return None
    rows: list[list[float] | None] = [None] * count
    for place, each in enumerate(data):
        if not isinstance(each, dict):
            return None
        index = each.get("index", place)
        row = _row(each.get("embedding"))
        if row is None or not isinstance(index, int) or not 0 <= index < count:
            return None
        rows[index] = row
    full = [row for row in rows if row is not None]
    return full if len(full) == count and len({len(row) for row in full}) <= 1 else None


def _row(given: Any) -> list[float] | None:
    if isinstance(given, str):
        try:
            given = np.frombuffer(base64.b64decode(given), dtype="<f4").tolist()
        except ValueError:
            return None
    if not isinstance(given, list) or not given:
        return None
    if not all(type(x) in (int, float) for x in given):
        return None
    try:
        with np.errstate(over="ignore"):
            row = np.array(given, dtype=np.float32)
    except OverflowError:  # an integer that no float holds
        return None
    return [float(x) for x in given] if np.isfinite(row).all() else None


def _encodable(value: Any) -> Any:
    """The same JSON value with a replacement character for each half of a character."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(part) for key, part in value.items()}
    return [_encodable(part) for part in value] if isinstance(value, list | tuple) else value
