"""Talking to an endpoint under test, below the level of any client library."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2

from dialogue.snapshot import view_state
from dialogue.view import DialogueView
from envs.world import World
from serving.background import running
from serving.settings import ServingSettings
from tests.small_world import PLAIN, films, goal, persona, world

CATALOG = films()
WORLD = world(
    CATALOG,
    [goal(CATALOG, "thriller|crime", "Ada Lind", "")],
    [persona(PLAIN)],
)
ORIGIN = {"name": "test films", "n_items": len(CATALOG)}
MESSAGES = [{"role": "user", "content": "x" * 37}]


def fresh_view(place: World = WORLD) -> DialogueView:
    return DialogueView(place.catalog, place.structured, "text", 10)


def track_inputs(text: str = "I like comedy", **changes: Any) -> dict[str, Any]:
    view = view_state(fresh_view(), texts=False)
    return {"catalog": ORIGIN, "view": view, "text": text, "scorer": None, **changes}


def chat_body(role: str, inputs: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    field = {"role": role, "prompt": f"{role}/1", "inputs": dict(inputs)}
    return {"model": "some-model", "messages": MESSAGES, "crsgym": field, **changes}


class Endpoint:
    """One endpoint and a client for it."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.root = base_url.removesuffix("/v1")
        self.client = httpx2.Client(timeout=20.0, trust_env=False)

    def chat(self, role: str, inputs: Mapping[str, Any], **changes: Any) -> httpx2.Response:
        return self.post("/v1/chat/completions", chat_body(role, inputs, **changes))

    def post(self, path: str, body: object) -> httpx2.Response:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.client.post(self.root + path, content=raw)

    def result(self, role: str, inputs: Mapping[str, Any]) -> Any:
        """What a role answers, read from the content of a good answer."""
        response = self.chat(role, inputs)
        assert response.status_code == 200, response.text
        return json.loads(response.json()["choices"][0]["message"]["content"])

    def stats(self) -> Any:
        return self.client.get(self.root + "/stats").json()


@contextmanager
def endpoint(settings: ServingSettings | None = None, place: World = WORLD) -> Iterator[Endpoint]:
    """An endpoint in this process whose only world is ``place``."""
    with running(settings, lambda origin: place) as base_url:
        found = Endpoint(base_url)
        try:
            yield found
        finally:
            found.client.close()


def refusal(response: httpx2.Response) -> str:
    """The message of an answer that refuses the request as a bad one."""
    assert response.status_code in (400, 422), (response.status_code, response.text)
    error = response.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert error["message"]
    return str(error["message"])
