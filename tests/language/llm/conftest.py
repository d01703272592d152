"""A scripted endpoint, and roles that use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from language.llm import abilities
from language.llm.roles import Roles, open_roles
from tests.language.llm.fake_endpoint import FakeEndpoint


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    fake = FakeEndpoint()
    yield fake
    fake.close()


@pytest.fixture
def roles_at(endpoint: FakeEndpoint) -> Iterator[Callable[..., Roles]]:
    """Opens roles on the endpoint, with short waits; closes them at the end."""
    opened: list[Roles] = []

    def open_them(**settings: Any) -> Roles:
        given = {"backend": "openai", "base_url": endpoint.base_url, "backoff_s": 0.001, **settings}
        opened.append(open_roles(given))
        return opened[-1]

    abilities.forget()
    yield open_them
    for roles in opened:
        roles.close()
