"""What a model answers to a typed call: read, mended once, or the embedded role in its place."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from language.llm.abilities import shaped
from language.llm.call import Call
from language.llm.errors import DialogueFailed
from language.llm.parsing import Read, Unusable, read_answer, repair_messages
from language.llm.request import Answer, ChatRequest
from language.llm.settings import RoleSettings
from language.llm.transport import Transport
from language.llm.usage import Books
from language.llm.watch import FallbackWatch

T = TypeVar("T")

_LOG = logging.getLogger("crsgym.llm")
_SHAPE = ("malformed", "schema")


class Answering:
    """Answers typed calls; safe between threads.

    Args:
        transport: Sends the requests.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._watch = FallbackWatch()

    def ask(self, role: RoleSettings, call: Call[T], fallback: Callable[[], T]) -> T:
        """The answer to a call of a role; see :meth:`language.llm.roles.Roles.ask`."""
        books = self._transport.books()
        extra = _extra(role, call)
        request = ChatRequest(role, call.messages, call.result, call.max_tokens, call.sample, extra)
        answer = self._transport.chat(request)
        found = read_answer(call, answer)
        if isinstance(found, Unusable):
            books.fault(call.role, found.kind)
            found = self._mended(request, call, answer, found, books)
        elif role.backend != "server":
            shaped(role.place, role.model, call.role, mended=False)
        if isinstance(found, Read):
            self._watch.saw(role, None)
            return found.value
        books.fallback(call.role, found.kind, call.turn)
        self._watch.saw(role, found.kind)
        _LOG.info("%s, turn %d: %s; the embedded role answers", call.role, call.turn, found.kind)
        return fallback()

    def _mended(
        self,
        request: ChatRequest,
        call: Call[T],
        answer: Answer,
        problem: Unusable,
        books: Books,
    ) -> Read[T] | Unusable:
        """What comes of a repair; the problem that remains where it is of no use."""
        if problem.kind == "refusal":
            return problem
        books.add(call.role, repairs=1)
        # What was cut off needs more room, not only another go.
        room = 2 * call.max_tokens if problem.kind == "truncated" else call.max_tokens
        messages = repair_messages(call, answer, problem)
        try:
            second = self._transport.chat(replace(request, messages=messages, max_tokens=room))
        except DialogueFailed as error:
            if error.reason not in ("context_overflow", "rejected"):
                raise
            # The dialogue fits; only with the bad answer and the plea does it not.
            return problem
        found = read_answer(call, second)
        if isinstance(found, Unusable):
            books.fault(call.role, found.kind)
        # The project's own server decides without the messages: no words can help it.
        if request.role.backend != "server":
            mended = isinstance(found, Read) and problem.kind in _SHAPE
            shaped(request.role.place, request.role.model, call.role, mended)
        return found


def _extra(role: RoleSettings, call: Call[Any]) -> Callable[[], dict[str, Any]] | None:
    """The field that goes to this project's own server and nowhere else, made once if at all."""
    if role.backend != "server":
        return None
    return functools.cache(
        lambda: {"role": call.role, "prompt": call.prompt, "inputs": call.inputs()}
    )
