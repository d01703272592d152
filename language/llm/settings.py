"""Which model plays which role, where it is and what it may cost: the config group ``llm``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from language.llm.call import ROLES
from language.llm.setting_reader import Reader, check_names

BACKENDS = ("embedded", "openai", "local", "server")
NO_KEY = "none"
"""What is sent as the key where none is needed; the client insists on having one."""

_OPENAI = "https://api.openai.com/v1"
_OPENAI_KEY = "OPENAI_API_KEY"
_BASE_URLS = {"openai": _OPENAI, "server": "http://127.0.0.1:8765/v1"}
SERVER_MODEL = "embedded-roles"
"""The name that ``python -m serving`` has for what it serves."""

_MODELS = {"openai": "gpt-4o-mini", "server": SERVER_MODEL, "local": "smollm2-135m"}
_EMBEDDING_MODEL = "text-embedding-3-small"


@dataclass(frozen=True, slots=True)
class RoleSettings:
    """One role, resolved. It holds the name of the key's variable, never the key.

    Attributes:
        role: One of :data:`~language.llm.call.ROLES`.
        backend: One of :data:`BACKENDS`; all else is unused for ``embedded``.
        base_url: Address up to and with ``/v1``; empty for ``local``, whose server has not started.
        model: Name by which the endpoint knows the model.
        api_key_env: Environment variable with the key; None where no key is sent.
        timeout_s: Longest wait for an answer in seconds.
        temperature: Of sampling; None leaves it to the endpoint.
        reasoning_effort: How long a thinking model thinks, in the endpoint's word; None leaves it
            to the endpoint.
        thinking_tokens: Tokens that a model may think before its answer, on top of the answer's.
        price_in: USD per million tokens read; None if unknown.
        price_out: USD per million tokens written; None if unknown.
    """

    role: str
    backend: str = "embedded"
    base_url: str = ""
    model: str = ""
    api_key_env: str | None = None
    timeout_s: float = 60.0
    temperature: float | None = None
    reasoning_effort: str | None = None
    thinking_tokens: int = 0
    price_in: float | None = None
    price_out: float | None = None

    @property
    def is_model(self) -> bool:
        """Whether a language model plays the role."""
        return self.backend != "embedded"

    @property
    def address(self) -> str:
        """What stands for the endpoint in keys of answers; the same in every run.

        The project's own servers may listen anywhere: what they answer does not depend on it.
        """
        return self.backend if self.backend in ("local", "server") else self.base_url

    @property
    def place(self) -> str:
        """Where the endpoint is."""
        return self.base_url or self.backend

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Names of the prices that are unknown and needed: embeddings write no tokens."""
        needed = ("price_in",) if self.role == "embed" else ("price_in", "price_out")
        return tuple(name for name in needed if self.is_model and getattr(self, name) is None)

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Price of a call in USD, 0 where it is unknown."""
        price_in, price_out = self.price_in or 0.0, self.price_out or 0.0
        return (tokens_in * price_in + tokens_out * price_out) / 1e6


@dataclass(frozen=True, slots=True)
class LLMSettings:
    """The whole group, checked; see :func:`read_settings`.

    Attributes:
        roles: Every role by name, resolved.
        max_attempts: Times that a request is sent at most.
        backoff_s: First wait before a repeated attempt, in seconds; it doubles.
        concurrency: Calls in flight in the process at most.
        max_cost_usd: Budget in USD, None if unlimited.
        max_calls: Budget in calls, None if unlimited.
        cache: Folder of the answers' cache, None for none.
        record: File that answers are written to, None for none.
        replay: File that answers are taken from, None for none.
        user_calls: Calls of a simulated user's turn, 1 or 3.
        parallel: Dialogues at a time; None leaves it to the runner.
    """

    roles: Mapping[str, RoleSettings]
    max_attempts: int = 8
    backoff_s: float = 0.5
    concurrency: int = 32
    max_cost_usd: float | None = None
    max_calls: int | None = None
    cache: str | None = None
    record: str | None = None
    replay: str | None = None
    user_calls: int = 1
    parallel: int | None = None


def read_settings(given: Mapping[str, Any] | None) -> LLMSettings:
    """Check and resolve the group ``llm``; None makes every role embedded.

    What a role leaves null is as at the top, with these exceptions. A role on another backend takes
    address, model and key from that backend, not from the top. The top's key is not sent to another
    host than the top's. The top's prices are those of the top's model at the top's address: a role
    with another has its own, or none. The role ``embed`` never takes the top's chat model.

    Raises:
        ValueError: A key is unknown or its value impossible; the message names ``llm.<key>``.
    """
    top = Reader("llm", given or {}, _TOP_KEYS)
    check_names("llm.roles", top.section("roles"), ROLES)
    roles = {role: _role(top, role) for role in ROLES}
    settings = LLMSettings(
        roles=roles,
        max_attempts=top.whole("max_attempts", 8, 1, 100),
        backoff_s=top.number("backoff_s", 0.0, 3600.0) if top.has("backoff_s") else 0.5,
        concurrency=top.whole("concurrency", 32, 1, 1024),
        max_cost_usd=top.maybe("max_cost_usd", lambda key: top.number(key, 0.0, 1e9)),
        max_calls=top.maybe("max_calls", lambda key: top.whole(key, 0, 0, 10**12)),
        cache=top.text("cache"),
        record=top.text("record"),
        replay=top.text("replay"),
        user_calls=top.whole("user_calls", 1, 1, 3),
        parallel=top.maybe("parallel", lambda key: top.whole(key, 1, 1, 1024)),
    )
    _check_whole(settings, top)
    return settings


def _check_whole(settings: LLMSettings, top: Reader) -> None:
    if settings.user_calls == 2:
        raise ValueError("llm.user_calls must be 1 or 3, not 2")
    if settings.record is not None and settings.replay is not None:
        raise ValueError(
            f"llm.record={settings.record} and llm.replay={settings.replay} exclude each other: "
            "record a run first, then replay it"
        )
    for name, role in settings.roles.items():
        # Most configurations leave a model to `embed` that never ask it: that is found out later.
        if name != "embed" and (missing := missing_prices(settings, role, _is_top_s(top, role))):
            raise ValueError(missing)


def missing_prices(settings: LLMSettings, role: RoleSettings, top_s: bool) -> str | None:
    """What to say where a budget in USD is set and a role's prices are unknown, else None.

    Args:
        settings: The group.
        role: Who would ask.
        top_s: Whether the prices at the top would do.
    """
    if settings.max_cost_usd is None or not role.unpriced:
        return None
    own = " and ".join(f"llm.roles.{role.role}.{name}" for name in role.unpriced)
    shared = " and ".join(f"llm.{name}" for name in role.unpriced)
    return (
        f"llm.max_cost_usd={settings.max_cost_usd} needs the prices of {role.model} for the role "
        f"{role.role}: set {f'{shared}, or {own}' if top_s else own} (USD per million tokens)"
    )


def _role(top: Reader, role: str) -> RoleSettings:
    own = Reader(f"llm.roles.{role}", top.section("roles").get(role) or {}, _ROLE_KEYS)
    top_backend = top.choice("backend", "embedded", BACKENDS)
    backend = own.choice("backend", top_backend, BACKENDS)
    if backend == "embedded":
        return RoleSettings(role)
    above = top if backend == top_backend else Reader("llm", {}, _TOP_KEYS)
    base_url = _first(own.url("base_url"), above.url("base_url"), _BASE_URLS.get(backend)) or ""
    timeout_s = _first(*(r.maybe("timeout_s", r.seconds) for r in (own, top)))
    found = RoleSettings(
        role=role,
        backend=backend,
        base_url="" if backend == "local" else base_url,
        model=_model(own, above, backend, role),
        api_key_env=_key_name(own, above, backend, base_url),
        timeout_s=60.0 if timeout_s is None else timeout_s,
        temperature=_first(*(r.maybe("temperature", r.warmth) for r in (own, top))),
        reasoning_effort=_first(*(r.word("reasoning_effort") for r in (own, above))),
        thinking_tokens=_first(*(r.maybe("thinking_tokens", r.tokens) for r in (own, above))) or 0,
    )
    priced = [own, top] if _is_top_s(top, found) else [own]
    free = 0.0 if backend == "local" else None
    return replace(
        found,
        price_in=_first(*(r.maybe("price_in", r.price) for r in priced), free),
        price_out=_first(*(r.maybe("price_out", r.price) for r in priced), free),
    )


def _is_top_s(top: Reader, role: RoleSettings) -> bool:
    """Whether a role is on the backend, address and model of the top, whose prices are known there.

    Never ``embed``: an embedding model costs what no chat model does. An own server (the backends
    ``local`` and ``server``) that the top names no address of may listen anywhere.
    """
    backend = top.choice("backend", "embedded", BACKENDS)
    if role.role == "embed" or not role.is_model or role.backend != backend:
        return False
    named, own_server = top.url("base_url"), role.address == backend
    place = named or (role.base_url if own_server else _BASE_URLS[backend])
    return (role.base_url, role.model) == (place, top.text("model") or _MODELS[backend])


def _model(own: Reader, above: Reader, backend: str, role: str) -> str:
    if role != "embed":
        return _first(own.text("model"), above.text("model")) or _MODELS[backend]
    default = _EMBEDDING_MODEL if backend == "openai" else _MODELS[backend]
    return own.text("model") or default


def _key_name(own: Reader, above: Reader, backend: str, base_url: str) -> str | None:
    if own.has("api_key_env"):
        return own.variable("api_key_env")
    default = _BASE_URLS.get(backend, "")
    if _host(base_url) == _host(above.url("base_url") or default) and above.has("api_key_env"):
        return above.variable("api_key_env")
    return _OPENAI_KEY if backend == "openai" and _host(base_url) == _host(_OPENAI) else None


def _host(url: str) -> str:
    return urlsplit(url).netloc.lower()


def _first(*found: Any) -> Any:
    return next((value for value in found if value is not None), None)


_ROLE_KEYS = (
    "backend", "base_url", "model", "api_key_env", "timeout_s", "temperature", "reasoning_effort",
    "thinking_tokens", "price_in", "price_out",
)  # fmt: skip
_TOP_KEYS = (
    *_ROLE_KEYS, "max_attempts", "backoff_s", "concurrency", "max_cost_usd", "max_calls", "cache",
    "record", "replay", "user_calls", "parallel", "roles", "scorer",
)  # fmt: skip
