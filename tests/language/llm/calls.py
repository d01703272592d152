"""Typed calls for tests, and roles on a stubbed endpoint."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from language.llm.call import Call, Message
from language.llm.request import Answer, ChatRequest, EmbeddingRequest, Vectors
from language.llm.roles import Roles
from language.llm.settings import RoleSettings


class Said(BaseModel):
    reply: str


class Scored(BaseModel):
    model_config = ConfigDict(extra="forbid")

    action: Literal["ask", "offer"]
    score: float
    count: int
    note: str | None


class Everything(BaseModel):
    text: str
    scores: list[Scored]


def call(
    text: str = "hello",
    result: type[BaseModel] = Said,
    read: Callable[[Any], Any] = lambda found: found,
    **kwargs: Any,
) -> Call[Any]:
    messages: tuple[Message, ...] = (
        {"role": "system", "content": "You answer."},
        {"role": "user", "content": text},
    )
    given: dict[str, Any] = {
        "role": "track",
        "prompt": "track/1",
        "messages": messages,
        "result": result,
        "read": read,
        "inputs": lambda: {"text": text},
    }
    return Call(**{**given, **kwargs})


class Stub:
    """An endpoint without a network: each chat request is answered by a function."""

    def __init__(self, answer: Callable[[ChatRequest], Answer]) -> None:
        self.answer = answer
        self.requests: list[ChatRequest] = []
        self.batches: list[tuple[str, ...]] = []
        self._lock = threading.Lock()

    def chat(self, request: ChatRequest) -> Answer:
        with self._lock:
            self.requests.append(request)
        return self.answer(request)

    def embed(self, request: EmbeddingRequest) -> Vectors:
        with self._lock:
            self.batches.append(request.texts)
        return Vectors([[float(len(text)), 1.0, 0.1] for text in request.texts], 3)

    def close(self) -> None:
        pass


def stubbed(*answers: Answer | Exception, **settings: Any) -> tuple[Roles, Stub]:
    """Roles whose endpoint gives these answers in turn; the last one repeats."""
    left = list(answers)

    def answer(request: ChatRequest) -> Answer:
        found = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(found, Exception):
            raise found
        return found

    return on_stub(Stub(answer), **settings)


def on_stub(stub: Stub, **settings: Any) -> tuple[Roles, Stub]:
    def connect(role: RoleSettings) -> Stub:
        return stub

    given = {"backend": "openai", "base_url": "http://x/v1", "backoff_s": 0.0, **settings}
    return Roles(given, connect), stub
