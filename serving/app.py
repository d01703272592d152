"""The endpoint: requests in OpenAI's shapes, answered by the embedded roles."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from language.llm.settings import SERVER_MODEL
from serving.answers import (
    JSON,
    Dropped,
    completion,
    embeddings,
    encoded,
    error,
    estimated,
    fault_answer,
    prompt_tokens,
    readable,
)
from serving.catalogues import Opener, Place, Places
from serving.counts import Counts
from serving.faults import AT_ONCE, CONTENT, Draw, FaultPlan, spoil
from serving.handlers import HANDLERS
from serving.inputs import InputError
from serving.requests import RefusedError, chat_request, embed_request
from serving.settings import ServingSettings

Tokens = tuple[int, int]
"""Tokens of a prompt and of its answer."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that may be answered.

    Attributes:
        role: Who is asked.
        catalog: The catalogue's origin.
        slow: Whether computing belongs in a thread.
        chat: Whether faults of content can happen.
        answer: Computes the body for a fault (or none) and says its tokens in and out.
    """

    role: str
    catalog: Mapping[str, Any]
    slow: bool
    chat: bool
    answer: Callable[[Place, str], tuple[bytes, Tokens]]


class Service:
    """What the addresses of one endpoint share.

    Args:
        settings: How it behaves.
        worlds: What makes a world of a catalogue's origin, in place of opening it by name.
    """

    def __init__(self, settings: ServingSettings, worlds: Opener | None = None) -> None:
        self.settings = settings
        self.places = Places(worlds)
        self.counts = Counts()
        self.closing = asyncio.Event()
        self._plan = FaultPlan(settings.faults, settings.script, settings.seed)
        self._slots = asyncio.Semaphore(settings.capacity) if settings.capacity else None
        self._numbers = itertools.count(1)

    async def chat(self, request: Request) -> Response:
        """``POST /v1/chat/completions``."""
        try:
            body = chat_request(await self._body(request), self.settings)
        except RefusedError as refused:
            return self._refuse(refused)
        inputs, role = body["crsgym"]["inputs"], body["crsgym"]["role"]
        handler = HANDLERS[role]

        def answer(place: Place, fault: str) -> tuple[bytes, Tokens]:
            result = handler.compute(inputs, place)
            content = readable(result)
            message = spoil(fault, content)
            tokens = prompt_tokens(body), estimated(len(message[0] or message[1] or ""))
            whole = completion(
                next(self._numbers), int(time.time()), body["model"], message, tokens
            )
            return encoded(whole), tokens

        return await self._serve(
            request, Asked(role, inputs["catalog"], handler.slow, True, answer)
        )

    async def embed(self, request: Request) -> Response:
        """``POST /v1/embeddings``."""
        try:
            body, texts = embed_request(await self._body(request))
        except RefusedError as refused:
            return self._refuse(refused)
        as_base64 = body.get("encoding_format") == "base64"

        def answer(place: Place, _fault: str) -> tuple[bytes, Tokens]:
            vectors = place.encoder().encode(texts)
            whole = embeddings(body["model"], vectors, texts, as_base64)
            return encoded(whole), (whole["usage"]["prompt_tokens"], 0)

        catalog = body["crsgym"]["inputs"]["catalog"]
        return await self._serve(request, Asked("embed", catalog, True, False, answer))

    async def _body(self, request: Request) -> bytes:
        """The body; what is too long is read to its end, so that the client hears the answer."""
        limit = self.settings.largest_body
        parts, size = [], 0
        try:
            async for part in request.stream():
                size += len(part)
                if size <= limit:
                    parts.append(part)
        except ClientDisconnect:
            raise RefusedError("the client went away in the middle of its request") from None
        if size > limit:
            raise RefusedError(f"the request has {size} bytes; at most {limit} are read")
        return b"".join(parts)

    def _refuse(self, refused: RefusedError) -> Response:
        self.counts.bad_requests += 1
        return error(refused.status, str(refused), param=refused.param)

    async def _serve(self, request: Request, asked: Asked) -> Response:
        """Draw the request's fault, wait for its turn, compute, and answer when it is time."""
        counts, settings = self.counts, self.settings
        counts.requests[asked.role] += 1
        lot = self._plan.draw()
        if not asked.chat and lot.fault in CONTENT:
            lot = Draw("", lot.wobble)
        if lot.fault in AT_ONCE:
            counts.faults[lot.fault] += 1
            return fault_answer(lot.fault, settings.retry_after_s)
        if lot.fault == "hang":
            counts.faults["hang"] += 1
            return await self._hang(request)
        if self._slots is None:
            return await self._take_turn(asked, lot)
        if settings.when_full == "reject" and self._slots.locked():
            counts.full += 1
            return fault_answer("rate_limit", settings.retry_after_s)
        counts.wait()
        try:
            await self._slots.acquire()
        finally:
            counts.stop_waiting()
        try:
            return await self._take_turn(asked, lot)
        finally:
            self._slots.release()

    async def _take_turn(self, asked: Asked, lot: Draw) -> Response:
        self.counts.begin()
        try:
            begun = time.perf_counter()
            # Requests that came in together begin together, before the first of them computes.
            await asyncio.sleep(0)
            response, tokens = await self._respond(asked, lot.fault)
            if response.status_code in (200, 500):
                latency = self.settings.latency_s * (1.0 + self.settings.jitter * lot.wobble)
                left = begun + latency - time.perf_counter()
                if left > 0:
                    await asyncio.sleep(left)
            if tokens is not None:
                self.counts.answer(asked.role, *tokens)
            return response
        finally:
            self.counts.end()

    async def _respond(self, asked: Asked, fault: str) -> tuple[Response, Tokens | None]:
        """The response and, if it is a whole answer, its tokens."""
        if fault == "server_error":
            self.counts.faults[fault] += 1
            return fault_answer(fault, 0.0), None
        try:
            place = self.places.ready(asked.catalog)
            if place is None:
                place = await asyncio.to_thread(self.places.open, asked.catalog)
            begun = time.perf_counter()
            if asked.slow:
                found = await asyncio.to_thread(asked.answer, place, fault)
            else:
                found = asked.answer(place, fault)
            self.counts.computed(asked.role, time.perf_counter() - begun)
        except InputError as refused:
            return self._refuse(RefusedError(str(refused), 422, "crsgym")), None
        except Exception as failure:
            # The same request would fail the same way again: 500 would have it sent again.
            _LOG.exception("the role %s failed", asked.role)
            told = f"{type(failure).__name__}: {str(failure)[:300]}"
            message = f"the embedded role {asked.role} cannot work with these inputs ({told})"
            return self._refuse(RefusedError(message, 422, "crsgym")), None
        body, tokens = found
        if fault:
            self.counts.faults[fault] += 1
        if fault == "drop":
            return Dropped(body, media_type="application/json"), None
        return JSON(body), tokens

    async def _hang(self, request: Request) -> Response:
        """Say nothing until the client goes away, the time is over, or the server closes."""
        gone = asyncio.ensure_future(_disconnected(request))
        closing = asyncio.ensure_future(self.closing.wait())
        try:
            await asyncio.wait(
                (gone, closing),
                timeout=self.settings.hang_s,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            gone.cancel()
            closing.cancel()
        return Dropped(b"{}", media_type="application/json")


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _http_error(request: Request, failure: Exception) -> Response:
    """Unknown addresses and wrong methods, in the shape of the other errors."""
    status = failure.status_code if isinstance(failure, HTTPException) else 500
    return error(status, f"{request.method} {request.url.path}: {failure}")


def create_app(settings: ServingSettings | None = None, worlds: Opener | None = None) -> Starlette:
    """The endpoint as an ASGI application.

    Args:
        settings: How it behaves; default: fast, without limits and faults.
        worlds: What makes a world of ``inputs["catalog"]``, for catalogues that no file describes.
            Each catalogue is asked for once.
    """
    service = Service(settings or ServingSettings(), worlds)

    async def models(_: Request) -> Response:
        # Requests may name any other.
        model = {"id": SERVER_MODEL, "object": "model", "created": 0, "owned_by": "crsgym"}
        return JSON({"object": "list", "data": [model]})

    async def stats(_: Request) -> Response:
        return JSON(service.counts.to_json())

    async def reset(_: Request) -> Response:
        service.counts.reset()
        return JSON(service.counts.to_json())

    async def health(_: Request) -> Response:
        return JSON({"status": "ok"})

    app = Starlette(
        routes=[
            Route("/v1/chat/completions", service.chat, methods=["POST"]),
            Route("/v1/embeddings", service.embed, methods=["POST"]),
            Route("/v1/models", models),
            Route("/stats", stats),
            Route("/stats/reset", reset, methods=["POST"]),
            Route("/health", health),
        ],
        exception_handlers={HTTPException: _http_error},
    )
    app.state.service = service
    return app
