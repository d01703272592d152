"""From a request to an answer: kept answers, budget, the limit in flight, retries, the account."""

from __future__ import annotations

import base64
import functools
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt

from language.llm.attempt import Endpoint, TransportError
from language.llm.budget import Budget
from language.llm.errors import DialogueFailed, RunStopped
from language.llm.gate import GATE
from language.llm.request import (
    Answer,
    ChatRequest,
    EmbeddingRequest,
    Store,
    Vectors,
    canonical_json,
    key_of,
    not_an_answer,
)
from language.llm.settings import LLMSettings, RoleSettings, missing_prices
from language.llm.usage import Books, Usage, current

LONGEST_BACKOFF_S = 30.0
LONGEST_RETRY_AFTER_S = 60.0
"""An endpoint may ask for more; that is not waited for."""

_TEMPLATE_TOKENS = 64
"""What a chat template adds to the tokens of a request, at most."""

A = TypeVar("A", Answer, Vectors)


@dataclass(frozen=True, slots=True)
class _Job(Generic[A]):
    """One request with what it needs: how to send it, what it may cost, where it is counted.

    Attributes:
        role: Who asks.
        send: Sends the request once.
        most_usd: The most that it can cost in USD.
        books: Where it is counted.
    """

    role: RoleSettings
    send: Callable[[], A]
    most_usd: Callable[[], float]
    books: Books


class Transport:
    """Sends requests; the only place where anything is sent twice.

    Args:
        settings: Of the process.
        connect: Makes the endpoint of a role; once for each address, key and timeout.
        stores: Where answers are looked up and kept, in order.

    Attributes:
        budget: What may be spent, and was.
        totals: Counts of everything that is asked here, in a dialogue or not.
    """

    def __init__(
        self,
        settings: LLMSettings,
        connect: Callable[[RoleSettings], Endpoint],
        stores: Sequence[Store] = (),
    ) -> None:
        self.budget = Budget(settings.max_calls, settings.max_cost_usd)
        self.totals = Usage()
        self._settings = settings
        self._connect = connect
        self._stores = tuple(stores)
        self._endpoints: dict[tuple[str, str | None, float], Endpoint] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        # Of the waits alone, which no result depends on.
        self._jitter = random.Random()
        self._retrying = Retrying(
            stop=stop_after_attempt(settings.max_attempts),
            retry=retry_if_exception_type(TransportError),
            wait=self._wait,
            sleep=self._sleep,
            before_sleep=_count_retry,
            reraise=True,
        )

    def books(self) -> Books:
        """Where what the caller asks is counted."""
        return Books(current(), self.totals)

    def chat(self, request: ChatRequest) -> Answer:
        """Answer a chat request.

        Raises:
            RunStopped: The budget is spent, a replay has no answer, or the endpoint says so.
            DialogueFailed: The attempts are used up, or the endpoint says so.
        """
        role, books = request.role, self.books()
        described = request.described()
        key = key_of(described) if self._stores else ""
        found = self._find(key, role.role, described)
        if found is not None:
            books.add(role.role, cached=1)
            return Answer.from_json(found)
        most = functools.cache(lambda: _most(role, described, request.room))
        job = _Job(role, lambda: self._endpoint(role).chat(request), most, books)
        answer = self._run(job)
        if not self._stores:
            return answer
        return Answer.from_json(_keep(self._stores, key, role.role, described, answer.to_json()))

    def find_vector(
        self, role: RoleSettings, text: str, extra: Callable[[], dict[str, Any]] | None = None
    ) -> NDArray[np.float32] | None:
        """The vector of a text that is kept, None if there is none."""
        if not self._stores:
            return None
        described = EmbeddingRequest(role, (text,), extra).described(text)
        found = self._find(key_of(described), role.role, described)
        return None if found is None else _vector(found)

    def embed(self, request: EmbeddingRequest) -> list[NDArray[np.float32]]:
        """Vectors of texts, asked for and kept; errors as in :meth:`chat`."""
        role = request.role
        if missing := missing_prices(self._settings, role, top_s=False):
            raise RunStopped(missing)
        most = functools.cache(lambda: _most(role, {"input": request.texts}, 0))
        send = lambda: self._endpoint(role).embed(request)  # noqa: E731
        vectors = self._run(_Job(role, send, most, self.books()))
        rows = [np.asarray(row, dtype=np.float32) for row in vectors.rows]
        if not self._stores:
            return rows
        kept = []
        for text, row in zip(request.texts, rows, strict=True):
            described = request.described(text)
            answer = {"vector": base64.b64encode(row.astype("<f4").tobytes()).decode()}
            kept.append(
                _vector(_keep(self._stores, key_of(described), role.role, described, answer))
            )
        return kept

    def close(self) -> None:
        """Let go of everything; who waits to try again stops with RunStopped."""
        self._closed.set()
        with self._lock:
            for endpoint in self._endpoints.values():
                endpoint.close()
            self._endpoints.clear()
        for store in self._stores:
            store.close()

    def _find(self, key: str, role: str, request: dict[str, Any]) -> dict[str, Any] | None:
        """The answer that is kept; the stores before the one that has it are told of it."""
        for place, store in enumerate(self._stores):
            found = store.find(key, role)
            if found is not None:
                return _keep(self._stores[:place], key, role, request, found)
        return None

    def _endpoint(self, role: RoleSettings) -> Endpoint:
        place = (role.place, role.api_key_env, role.timeout_s)
        found = self._endpoints.get(place)
        self._check_open(role)
        if found is not None:
            return found
        with self._lock:
            self._check_open(role)
            if place not in self._endpoints:
                self._endpoints[place] = self._connect(role)
            return self._endpoints[place]

    def _check_open(self, role: RoleSettings) -> None:
        if self._closed.is_set():
            raise RunStopped(f"the role {role.role} asks after the run has ended")

    def _run(self, job: _Job[A]) -> A:
        try:
            answer: A = self._retrying(self._attempt, job)
            return answer
        except TransportError as error:
            fault = error
        raise DialogueFailed(
            f"{fault}; {self._settings.max_attempts} attempts are used up. Check that the endpoint "
            "is up, or raise llm.max_attempts, llm.backoff_s or llm.timeout_s",
            "unreachable",
        )

    def _attempt(self, job: _Job[A]) -> A:
        """One attempt. What timed out may have been paid for, so the budget counts it in full."""
        name, calls, cost = job.role.role, 0, 0.0
        most = job.most_usd() if self.budget.is_limited else 0.0
        self._check_open(job.role)
        self.budget.reserve(name, most)
        try:
            with GATE.enter(self._settings.concurrency):
                self._check_open(job.role)
                answer = job.send()
            counts = _counts(job, answer)
            calls, cost = 1, counts["cost_usd"] + counts["cost_reserved_usd"]
        except TransportError as fault:
            job.books.fault(name, fault.kind)
            if fault.kind == "timeout":
                calls, cost = 1, job.most_usd()
                job.books.add(name, cost_reserved_usd=cost)
            raise
        finally:
            self.budget.settle(most, calls, cost)
        job.books.add(name, calls=1, **counts)
        return answer

    def _wait(self, state: RetryCallState) -> float:
        """Seconds before the next attempt: doubling, within half and one and a half of it."""
        doublings = min(state.attempt_number - 1, 30)
        backoff = min(self._settings.backoff_s * 2.0**doublings, LONGEST_BACKOFF_S)
        wait = backoff * self._jitter.uniform(0.5, 1.5)
        fault = state.outcome.exception() if state.outcome is not None else None
        asked = fault.retry_after if isinstance(fault, TransportError) else None
        if asked is None:
            return wait
        # The jitter is on top: to come earlier than asked is to be sent away again.
        return min(asked, LONGEST_RETRY_AFTER_S) + wait / 4

    def _sleep(self, seconds: float) -> None:
        self._closed.wait(seconds)


def _keep(
    stores: Sequence[Store], key: str, role: str, request: dict[str, Any], answer: dict[str, Any]
) -> dict[str, Any]:
    """Keep an answer everywhere; the first store has the last word, as it has in a lookup."""
    for store in reversed(stores):
        answer = store.keep(key, role, request, answer)
    return answer


def _count_retry(state: RetryCallState) -> None:
    job = state.args[0]
    job.books.add(job.role.role, retries=1)


def _counts(job: _Job[A], answer: A) -> dict[str, float]:
    """What to book; where the endpoint counts no tokens, the most that it can have cost."""
    counted = answer.tokens_in or answer.tokens_out
    return {
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "cost_usd": job.role.cost(answer.tokens_in, answer.tokens_out),
        "cost_reserved_usd": 0.0 if counted else job.most_usd(),
    }


def _most(role: RoleSettings, described: dict[str, Any], max_tokens: int) -> float:
    """The most that a request can cost in USD: no token is shorter than a byte."""
    if not role.price_in and not role.price_out:
        return 0.0
    # The field for llm=server is no part of what a model reads.
    read = {name: part for name, part in described.items() if name != "crsgym"}
    return role.cost(len(canonical_json(read)) + _TEMPLATE_TOKENS, max_tokens)


def _vector(answer: dict[str, Any]) -> NDArray[np.float32]:
    try:
        return np.frombuffer(base64.b64decode(answer["vector"]), dtype="<f4").astype(np.float32)
    except (KeyError, TypeError, ValueError):
        raise not_an_answer(answer) from None
