"""Which model plays which role, where it is and what it may cost: the config group ``llm``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from catalogs.nearest import nearest_hint
from language.llm.call import ROLES

BACKENDS = ("embedded", "openai", "local", "server")
NO_KEY = "none"
"""What is sent as the key where none is needed; the client insists on having one."""

_OPENAI = "https://api.openai.com/v1"
_OPENAI_KEY = "OPENAI_API_KEY"
_BASE_URLS = {"openai": _OPENAI, "server": "http://127.0.0.1:8765/v1"}
_MODELS = {"openai": "gpt-4o-mini", "server": "embedded-roles", "local": "smollm2-135m"}
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

    What a role leaves null is as at the top, with two exceptions. A role on another backend takes
    address, model, key and prices from that backend, not from the top; and the top's key is not
    sent to another host than the top's. The role ``embed`` never takes the top's chat model.

    Raises:
        ValueError: A key is unknown or its value impossible; the message names ``llm.<key>``.
    """
    top = _Reader("llm", given or {}, _TOP_KEYS)
    roles = {role: _role(top, role) for role in ROLES}
    _unknown(top, "roles", top.section("roles"), ROLES)
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
    _check_whole(settings)
    return settings


def _check_whole(settings: LLMSettings) -> None:
    if settings.user_calls == 2:
        raise ValueError("llm.user_calls must be 1 or 3, not 2")
    if settings.record is not None and settings.replay is not None:
        raise ValueError(
            f"llm.record={settings.record} and llm.replay={settings.replay} exclude each other: "
            "record a run first, then replay it"
        )
    if settings.max_cost_usd is None:
        return
    for name, role in settings.roles.items():
        if role.is_model and (role.price_in is None or role.price_out is None):
            raise ValueError(
                f"llm.max_cost_usd={settings.max_cost_usd} needs the prices of {role.model} for "
                f"the role {name}: set llm.price_in and llm.price_out, or those of "
                f"llm.roles.{name} (USD per million tokens)"
            )


def _role(top: _Reader, role: str) -> RoleSettings:
    own = _Reader(f"llm.roles.{role}", top.section("roles").get(role) or {}, _ROLE_KEYS)
    top_backend = top.choice("backend", "embedded")
    backend = own.choice("backend", top_backend)
    if backend == "embedded":
        return RoleSettings(role)
    above = top if backend == top_backend else _Reader("llm", {}, _TOP_KEYS)
    base_url = _first(own.url("base_url"), above.url("base_url"), _BASE_URLS.get(backend)) or ""
    free = 0.0 if backend == "local" else None
    timeout_s = _first(*(r.maybe("timeout_s", r.seconds) for r in (own, top)))
    return RoleSettings(
        role=role,
        backend=backend,
        base_url="" if backend == "local" else base_url,
        model=_model(own, above, backend, role),
        api_key_env=_key_name(own, above, backend, base_url),
        timeout_s=60.0 if timeout_s is None else timeout_s,
        temperature=_first(*(r.maybe("temperature", r.warmth) for r in (own, top))),
        price_in=_first(*(r.maybe("price_in", r.price) for r in (own, above)), free),
        price_out=_first(*(r.maybe("price_out", r.price) for r in (own, above)), free),
    )


def _model(own: _Reader, above: _Reader, backend: str, role: str) -> str:
    if role != "embed":
        return _first(own.text("model"), above.text("model")) or _MODELS[backend]
    default = _EMBEDDING_MODEL if backend == "openai" else _MODELS[backend]
    return own.text("model") or default


def _key_name(own: _Reader, above: _Reader, backend: str, base_url: str) -> str | None:
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
    "backend", "base_url", "model", "api_key_env", "timeout_s", "temperature", "price_in",
    "price_out",
)  # fmt: skip
_TOP_KEYS = (
    *_ROLE_KEYS, "max_attempts", "backoff_s", "concurrency", "max_cost_usd", "max_calls", "cache",
    "record", "replay", "user_calls", "parallel", "roles", "scorer",
)  # fmt: skip


def _unknown(reader: _Reader, key: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            raise ValueError(
                f"there is no {reader.name}.{key}.{name}{nearest_hint(name, known)}; "
                f"there are {', '.join(known)}"
            )


class _Reader:
    """Reads one mapping by key; every error names the key, the value and what would be right."""

    def __init__(self, name: str, given: Any, known: tuple[str, ...]) -> None:
        if not isinstance(given, Mapping):
            raise ValueError(f"{name} must be a mapping of settings, not {given!r}")
        self.name = name
        self._given = given
        for key in given:
            if key not in known:
                raise ValueError(
                    f"there is no {name}.{key}{nearest_hint(key, known)}; "
                    f"there are {', '.join(known)}"
                )

    def has(self, key: str) -> bool:
        return self._given.get(key) is not None

    def maybe(self, key: str, read: Callable[[str], Any]) -> Any:
        return read(key) if self.has(key) else None

    def section(self, key: str) -> Mapping[str, Any]:
        found = self._given.get(key) or {}
        if not isinstance(found, Mapping):
            raise ValueError(f"{self.name}.{key} must be a mapping by name, not {found!r}")
        return found

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        found = self._given.get(key)
        if found is None:
            return default
        if isinstance(found, bool) or not isinstance(found, int) or not low <= found <= high:
            raise self._wrong(key, f"a whole number from {low} to {high}")
        return found

    def number(self, key: str, low: float, high: float, what: str = "a number") -> float:
        found = self._given.get(key)
        if (
            isinstance(found, bool)
            or not isinstance(found, int | float)
            or not low <= found <= high
        ):
            raise self._wrong(key, f"{what} from {low:g} to {high:g}")
        return float(found)

    def seconds(self, key: str) -> float:
        return self.number(key, 0.001, 86400.0, "seconds")

    def warmth(self, key: str) -> float:
        return self.number(key, 0.0, 2.0)

    def price(self, key: str) -> float:
        return self.number(key, 0.0, 1e6, "USD per million tokens,")

    def text(self, key: str) -> str | None:
        found = self._given.get(key)
        if found is not None and (not isinstance(found, str) or not found.strip()):
            raise self._wrong(key, "text, or null")
        return found

    def choice(self, key: str, default: str) -> str:
        found = self._given.get(key)
        if found is None:
            return default
        if found not in BACKENDS:
            raise self._wrong(key, f"one of {', '.join(BACKENDS)}", nearest_hint(found, BACKENDS))
        return str(found)

    def url(self, key: str) -> str | None:
        found = self.text(key)
        if found is None:
            return None
        parts = urlsplit(found)
        if parts.query or parts.fragment or "@" in parts.netloc:
            # Not shown: what stands there may be a secret.
            raise ValueError(
                f"{self.name}.{key} must be an address without a user, password or query (not "
                "shown here); the key goes into the environment variable of llm.api_key_env"
            )
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise self._wrong(key, "an address such as http://127.0.0.1:8000/v1")
        return found.rstrip("/")

    def variable(self, key: str) -> str:
        found = self.text(key) or ""
        if not re.fullmatch(r"[A-Z_][A-Z0-9_]*", found):
            # Not shown: somebody may have put the key itself here.
            raise ValueError(
                f"{self.name}.{key} must be the name of an environment variable in capitals, such "
                "as OPENAI_API_KEY, never the key itself (what was given is not shown)"
            )
        return found

    def _wrong(self, key: str, right: str, hint: str = "") -> ValueError:
        value = self._given[key]
        return ValueError(f"{self.name}.{key} must be {right}, not {value!r}{hint}")
