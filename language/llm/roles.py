"""The facade: who plays a role, and a typed answer from whoever does."""

from __future__ import annotations

import contextvars
import functools
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from catalogs.nearest import nearest_hint
from language.llm.answering import Answering
from language.llm.attempt import Endpoint
from language.llm.cache import Cache
from language.llm.call import Call
from language.llm.errors import RunStopped
from language.llm.recording import Recording, Replay
from language.llm.request import EmbeddingRequest, Store
from language.llm.settings import LLMSettings, RoleSettings, read_settings
from language.llm.transport import Transport
from language.llm.vectors import batches, stack

T = TypeVar("T")
J = TypeVar("J")
R = TypeVar("R")

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
        self._answering = Answering(self._transport)
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
        return self._answering.ask(self._model(call.role), call, fallback)

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
        """Run a function in a thread, in a copy of the caller's context; the result in a future.

        Raises:
            RunStopped: The roles are closed.
        """
        try:
            return self._pool.submit(contextvars.copy_context().run, function)
        except RuntimeError:
            if self.closed:
                raise RunStopped("a model is asked after the run has ended") from None
            raise

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
            self._transport.books().add("embed", cached=1)
        requests = [EmbeddingRequest(role, batch, extra) for batch in batches(missing)]
        for request, vectors in zip(
            requests, self.map(self._transport.embed, requests), strict=True
        ):
            known.update(zip(request.texts, vectors, strict=True))
        return stack([known[text] for text in wanted], role)

    def spent(self, calls: int, cost: float) -> None:
        """Count against the budget what an earlier start of the run has spent, cost in USD."""
        self._transport.budget.add(calls, cost)

    @property
    def paid(self) -> tuple[int, float]:
        """Calls and USD so far, with what :meth:`spent` was told."""
        return self._transport.budget.spent

    def totals(self) -> dict[str, dict[str, Any]]:
        """Counts by role of everything that was asked here, in a dialogue or not.

        In the shape of :meth:`language.llm.usage.Usage.by_role`; without what :meth:`spent` was
        told. Unfinished dialogues are in no other account.
        """
        return self._transport.totals.by_role()

    def close(self) -> None:
        """Let go of threads, connections and files; :func:`open_roles` then opens anew."""
        self.closed = True
        self._transport.close()
        # Who is in the queue is not left waiting: its calls raise.
        self._pool.shutdown(wait=False)

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


def _stores(settings: LLMSettings) -> list[Store]:
    if settings.replay is not None:
        return [Replay(settings.replay)]
    found: list[Store] = []
    if settings.record is not None:
        found.append(Recording(settings.record))
    if settings.cache is not None:
        found.append(Cache(settings.cache))
    return found


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
    key = _key(settings)
    with _OPEN_LOCK:
        found = _OPEN.get(key)
        if found is None or found.closed:
            found = _OPEN[key] = Roles(settings)
        return found


def close_roles(settings: Mapping[str, Any] | None = None) -> None:
    """Close the roles that are open by a configuration group ``llm``, if any are; opens nothing.

    Raises:
        ValueError: The settings are no plain values.
    """
    key = _key(settings)
    with _OPEN_LOCK:
        found = _OPEN.pop(key, None)
    if found is not None:
        found.close()


def _key(settings: Mapping[str, Any] | None) -> str:
    return json.dumps(settings, sort_keys=True, default=_plain)


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
