"""What is asked of an endpoint and what it answers, as caches and recordings know them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel

from language.llm.call import Message
from language.llm.errors import RunStopped
from language.llm.schema import response_format
from language.llm.settings import RoleSettings


def canonical_json(value: Any) -> str:
    """JSON that is the same for equal values: keys sorted, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def key_of(described: dict[str, Any]) -> str:
    """SHA-256 of a request's canonical JSON, in hex."""
    return hashlib.sha256(canonical_json(described).encode()).hexdigest()


def _for_server(extra: Callable[[], dict[str, Any]] | None) -> dict[str, Any]:
    """The field for ``llm=server`` but for where this machine keeps its data sets.

    A recording is to be replayed elsewhere; the catalogue's name and size stay.
    """
    if extra is None:
        return {}
    field = extra()
    inputs = dict(field["inputs"])
    if isinstance(inputs.get("catalog"), dict):
        inputs["catalog"] = {k: v for k, v in inputs["catalog"].items() if k != "data_dir"}
    return {"crsgym": {**field, "inputs": inputs}}


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One chat request, before it is known what the endpoint supports.

    Attributes:
        role: Settings of the role that asks.
        messages: The chat.
        result: Pydantic model of the answer.
        max_tokens: Longest answer in tokens, without what the model thinks before it.
        sample: Index among requests that are equal otherwise.
        extra: The field for ``llm.server``, made when the request is sent; None for other backends.
    """

    role: RoleSettings
    messages: tuple[Message, ...]
    result: type[BaseModel]
    max_tokens: int
    sample: int = 0
    extra: Callable[[], dict[str, Any]] | None = field(default=None, compare=False)

    @property
    def format(self) -> dict[str, Any]:
        """The structured output that is wanted; short where a very small model answers."""
        return response_format(self.result, self.role.backend == "local")

    @property
    def room(self) -> int:
        """The limit to send: endpoints count what a model thinks as part of its answer."""
        return self.max_tokens + self.role.thinking_tokens

    def described(self) -> dict[str, Any]:
        """What decides the answer, and never a key.

        It names the structured output that is wanted, not what the endpoint turned out to support:
        a repeated run finds its answers before it has asked anything. The field for ``llm=server``
        belongs to it: that server computes its answers from it, not from the messages.
        """
        own = _for_server(self.extra)
        # Named only where they are set: answers that were kept before there were these settings
        # stay what they are.
        if self.role.reasoning_effort is not None:
            own["reasoning_effort"] = self.role.reasoning_effort
        if self.role.thinking_tokens:
            own["thinking_tokens"] = self.role.thinking_tokens
        return own | {
            "base_url": self.role.address,
            "model": self.role.model,
            "messages": list(self.messages),
            "response_format": self.format,
            "temperature": self.role.temperature,
            "max_tokens": self.max_tokens,
            "sample": self.sample,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What an endpoint answered to a chat request.

    Attributes:
        text: Content of the message, "" if there was none.
        finish: Why it ended, in the endpoint's word: ``stop``, ``length``, ``content_filter``.
        refused: Whether the model, or a filter before it, refused.
        tokens_in: Tokens read; 0 where the endpoint does not say.
        tokens_out: Tokens written.
    """

    text: str
    finish: str = "stop"
    refused: bool = False
    tokens_in: int = 0
    tokens_out: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain values; :meth:`from_json` reads them back."""
        return {
            "text": self.text,
            "finish": self.finish,
            "refused": self.refused,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Answer:
        """An answer from its plain values.

        Raises:
            RunStopped: They are not those of an answer.
        """
        try:
            found = cls(**data)
        except TypeError:
            raise not_an_answer(data) from None
        shape = (str, str, bool, int, int)
        values = (found.text, found.finish, found.refused, found.tokens_in, found.tokens_out)
        if tuple(map(type, values)) != shape:
            raise not_an_answer(data)
        return found


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """Texts whose vectors are wanted, in one request.

    Attributes:
        role: Settings of the role ``embed``.
        texts: What to embed.
        extra: As in :class:`ChatRequest`.
    """

    role: RoleSettings
    texts: tuple[str, ...]
    extra: Callable[[], dict[str, Any]] | None = field(default=None, compare=False)

    def described(self, text: str) -> dict[str, Any]:
        """What decides the vector of one text: vectors are kept by text, whatever the batch."""
        own = _for_server(self.extra)
        return own | {"base_url": self.role.address, "model": self.role.model, "input": text}


@dataclass(frozen=True, slots=True)
class Vectors:
    """What an endpoint answered to an embedding request: one vector a text, in order."""

    rows: list[list[float]]
    tokens_in: int = 0
    tokens_out: int = 0


def not_an_answer(data: dict[str, Any]) -> RunStopped:
    """The error that something else is kept where an answer should be."""
    return RunStopped(
        f"what llm.cache, llm.record or llm.replay keeps is no answer (it has {sorted(data)}): the "
        "file was made by another version or changed by hand; delete it, or make it anew"
    )


class Store(Protocol):
    """Where answers are kept by key: a cache, a recording."""

    def find(self, key: str, role: str) -> dict[str, Any] | None:
        """The answer that is kept under a key, None if there is none."""

    def keep(
        self, key: str, role: str, request: dict[str, Any], answer: dict[str, Any]
    ) -> dict[str, Any]:
        """Keep an answer and return the one that stands: the first that was kept under its key.

        Whoever asked the same thing at the same time goes on with the same answer, so that a
        repeated run, which knows only one, makes the same records.
        """

    def close(self) -> None:
        """Close files."""
