"""One attempt at an endpoint: who makes it, and how it fails so that another may succeed."""

from __future__ import annotations

from typing import Protocol

from language.llm.request import Answer, ChatRequest, EmbeddingRequest, Vectors


class TransportError(Exception):
    """One attempt failed in a way that another may not; it never leaves this package.

    Attributes:
        kind: ``rate_limit``, ``server_error``, ``timeout`` or ``connection``.
        retry_after: Seconds that the endpoint asks to wait, None if it does not say.
    """

    def __init__(self, message: str, kind: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


class Endpoint(Protocol):
    """What the transport needs of an endpoint.

    Its methods raise TransportError where another attempt may succeed, else RunStopped or
    DialogueFailed.
    """

    def chat(self, request: ChatRequest) -> Answer:
        """Send a chat request once."""

    def embed(self, request: EmbeddingRequest) -> Vectors:
        """Send an embedding request once."""

    def close(self) -> None:
        """Close connections."""
