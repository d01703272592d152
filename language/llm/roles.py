"""The facade: who plays a role, and a typed answer from whoever does."""

from __future__ import annotations

import contextvars
import functools
import json
import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from catalogs.nearest import nearest_hint
from language.llm.attempt import Endpoint
from language.llm.cache import Cache
from language.llm.call import Call, Message
from language.llm.errors import RunStopped
from language.llm.parsing import Read, Unusable, read_answer, repair_messages
from language.llm.recording import Recording, Replay
from language.llm.request import Answer, ChatRequest, EmbeddingRequest, Store
from language.llm.settings import LLMSettings, RoleSettings, read_settings
from language.llm.transport import Transport
from language.llm.usage import current

T = TypeVar("T")
J = TypeVar("J")
R = TypeVar("R")

_LOG = logging.getLogger("crsgym.llm")
_BATCH_TEXTS = 256
_BATCH_CHARACTERS = 200_000
_WORKER = threading.local()


class Roles:
    """Who plays the roles of a process; safe between threads. Made by :func:`open_roles`.

    Args:
        given: The configuration group ``llm`` as plain values, or None: all roles are embedded.
        connect: Makes the endpoint of a role.

    Attributes:
        settings: The group, resolved.

    Raises:
        ValueError: A setting is impossible.
        RunStopped: The cache, the recording or the replay cannot be used.
    """

    def __init__(
        self,
        given: Mapping[str, Any] | None = None,
        connect: Callable[[RoleSettings], Endpoint] | None = None,
    ) -> None:
        self.settings: LLMSettings = read_settings(given)
        self._given = given
        self.closed = False
        concurrency = self.settings.concurrency
        self._transport = Transport(self.settings, connect or self._connect, _stores(self.settings))
        # More than are in flight: who waits to try again should keep nobody from trying.
        self._pool = ThreadPoolExecutor(
            2 * concurrency, "llm", initializer=lambda: setattr(_WORKER, "here", True)
        )

    def __repr__(self) -> str:
        return f"Roles({self.described()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return open_roles, (self._given,)

    def is_model(self, role: str) -> bool:
        """Whether a language model plays the role."""
        return self._role(role).is_model

    def described(self) -> dict[str, str]:
        """Model's name by role, for roles that a model plays."""
        return {name: role.model for name, role in self.settings.roles.items() if role.is_model}

    def ask(self, call: Call[T], fallback: Callable[[], T]) -> T:
        """The answer to a call, or what the embedded role says in its place.

        An answer that cannot be used is sent back once to be mended; a refusal is not. If that
        does not help, the embedded role stands in, which is counted with its reason.

        Args:
            call: Of a role that a model plays.
            fallback: The embedded role.

        Raises:
            RunStopped: Nothing that follows can work either, or may be paid for.
            DialogueFailed: This dialogue cannot go on.
            ValueError: The role is embedded.
        """
        role = self._model(call.role)
        extra = _extra(role, call)
        answer = self._chat(role, call, call.messages, call.max_tokens, extra)
        found = read_answer(call, answer)
        if isinstance(found, Unusable) and found.kind != "refusal":
            found = self._mend(role, call, answer, found, extra)
        if isinstance(found, Read):
            return found.value
        usage = current()
        usage.fault(call.role, found.kind)
        usage.fallback(call.role, found.kind, call.turn)
        _LOG.info("%s, turn %d: %s; the embedded role answers", call.role, call.turn, found.kind)
        return fallback()

    def map(self, function: Callable[[J], R], jobs: Sequence[J]) -> list[R]:
        """Results of a function in the order of the jobs, which run at the same time.

        Model calls are booked where the caller's are. All jobs end before this returns or raises.
        Jobs that map themselves run theirs one after another.

        Raises:
            Exception: The first, in the order of the jobs, that a job raised.
        """
        if len(jobs) < 2 or getattr(_WORKER, "here", False):
            return [function(job) for job in jobs]
        futures = [self.submit(functools.partial(function, job)) for job in jobs]
        try:
            for future in futures:
                future.exception()
        except BaseException:
            for future in futures:
                future.cancel()
            raise
        return [future.result() for future in futures]

    def submit(self, function: Callable[[], R]) -> Future[R]:
        """Run a function in a thread, in a copy of the caller's context; the result in a future."""
        return self._pool.submit(contextvars.copy_context().run, function)

    def embed(
        self, texts: Sequence[str], inputs: Callable[[], dict[str, Any]]
    ) -> NDArray[np.float32]:
        """Vectors of texts by the role ``embed``.

        Args:
            texts: What to embed; equal ones are asked for once.
            inputs: What the embedded implementation needs; used with ``llm=server`` only.

        Returns:
            float32 of shape (texts, dimensions), not normalised; (0, 0) for no texts.

        Raises:
            RunStopped: As in :meth:`ask`, or the vectors' lengths differ.
            DialogueFailed: As in :meth:`ask`; also where no attempt gave usable vectors.
        """
        role = self._model("embed")
        # Endpoints refuse to embed nothing.
        wanted = [text or " " for text in texts]
        field = functools.cache(lambda: {"role": "embed", "inputs": inputs()})
        extra = field if role.backend == "server" else None
        find = self._transport.find_vector
        known = {text: find(role, text, extra) for text in dict.fromkeys(wanted)}
        missing = [text for text, vector in known.items() if vector is None]
        if known and not missing:
            current().add("embed", cached=1)
        requests = [EmbeddingRequest(role, batch, extra) for batch in _batches(missing)]
        for request, vectors in zip(
            requests, self.map(self._transport.embed, requests), strict=True
        ):
            known.update(zip(request.texts, vectors, strict=True))
        return _stack([known[text] for text in wanted], role)

    def spent(self, calls: int, cost: float) -> None:
        """Count against the budget what an earlier start of the run has spent, cost in USD."""
        self._transport.budget.add(calls, cost)

    def close(self) -> None:
        """Let go of threads, connections and files; :func:`open_roles` then opens anew."""
        self.closed = True
        self._transport.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _connect(self, role: RoleSettings) -> Endpoint:
        # The openai client is slow to import, and embedded runs have no use for it.
        from language.llm.endpoint import OpenAIEndpoint

        return OpenAIEndpoint(role, self.settings.concurrency)

    def _role(self, role: str) -> RoleSettings:
        roles = self.settings.roles
        if role not in roles:
            raise ValueError(f"there is no role {role!r}{nearest_hint(role, roles)}")
        return roles[role]

    def _model(self, role: str) -> RoleSettings:
        found = self._role(role)
        if not found.is_model:
            raise ValueError(f"the role {role} is embedded (llm.roles.{role}.backend): no model")
        return found

    def _chat(
        self,
        role: RoleSettings,
        call: Call[T],
        messages: tuple[Message, ...],
        max_tokens: int,
        extra: Callable[[], dict[str, Any]] | None,
    ) -> Answer:
        return self._transport.chat(
            ChatRequest(role, messages, call.result, max_tokens, call.sample, extra)
        )

    def _mend(
        self,
        role: RoleSettings,
        call: Call[T],
        answer: Answer,
        problem: Unusable,
        extra: Callable[[], dict[str, Any]] | None,
    ) -> Read[T] | Unusable:
        usage = current()
        usage.fault(call.role, problem.kind)
        usage.add(call.role, repairs=1)
        # What was cut off needs more room, not only another go.
        room = 2 * call.max_tokens if problem.kind == "truncated" else call.max_tokens
        messages = repair_messages(call, answer, problem)
        return read_answer(call, self._chat(role, call, messages, room, extra))


def _extra(role: RoleSettings, call: Call[Any]) -> Callable[[], dict[str, Any]] | None:
    """The field that goes to this project's own server and nowhere else, made once if at all."""
    if role.backend != "server":
        return None
    return functools.cache(
        lambda: {"role": call.role, "prompt": call.prompt, "inputs": call.inputs()}
    )


def _stores(settings: LLMSettings) -> list[Store]:
    if settings.replay is not None:
        return [Replay(settings.replay)]
    found: list[Store] = []
    if settings.record is not None:
        found.append(Recording(settings.record))
    if settings.cache is not None:
        found.append(Cache(settings.cache))
    return found


def _batches(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Texts in order, as many together as endpoints take."""
    batches: list[list[str]] = []
    size = 0
    for text in texts:
        size += len(text)
        if not batches or len(batches[-1]) == _BATCH_TEXTS or size > _BATCH_CHARACTERS:
            batches.append([])
            size = len(text)
        batches[-1].append(text)
    return [tuple(batch) for batch in batches]


def _stack(
    vectors: Sequence[NDArray[np.float32] | None], role: RoleSettings
) -> NDArray[np.float32]:
    rows = [vector for vector in vectors if vector is not None]
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        raise RunStopped(
            f"vectors of {role.model} at {role.address} have different lengths ({lengths}): the "
            "model behind that name has changed; delete what llm.cache holds of it"
        )
    return np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)


_OPEN: dict[str, Roles] = {}
_OPEN_LOCK = threading.Lock()


def open_roles(settings: Mapping[str, Any] | None = None) -> Roles:
    """The roles by a configuration group ``llm``: one for the process and equal settings.

    Args:
        settings: Plain values, as :func:`~language.llm.settings.read_settings` takes them; None
            makes every role embedded.

    Raises:
        ValueError: A setting is impossible; the message names it.
        RunStopped: The cache, the recording or the replay cannot be used.
    """
    key = json.dumps(settings, sort_keys=True, default=_plain)
    with _OPEN_LOCK:
        found = _OPEN.get(key)
        if found is None or found.closed:
            found = _OPEN[key] = Roles(settings)
        return found


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise ValueError(f"the settings of llm must be plain values, not {value!r}")


def _forget_parent() -> None:
    global _OPEN_LOCK
    _OPEN_LOCK = threading.Lock()
    _OPEN.clear()


if hasattr(os, "register_at_fork"):
    # Threads, connections and open files are the parent's.
    os.register_at_fork(after_in_child=_forget_parent)
