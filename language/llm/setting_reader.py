"""Reads settings by key; every error names the key, the value and what would be right."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from catalogs.nearest import nearest_hint


def check_names(name: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Raise ValueError for a key of a mapping that is not known, with the nearest that is."""
    for key in given:
        if key not in known:
            raise ValueError(
                f"there is no {name}.{key}{nearest_hint(key, known)}; there are {', '.join(known)}"
            )


class Reader:
    """Reads one mapping by key.

    Args:
        name: Of the mapping, ``llm`` or ``llm.roles.judge``, as errors name it.
        given: The mapping.
        known: All keys that it may have.

    Raises:
        ValueError: It has another key, or is no mapping; so from every method, for a value that is
            impossible.
    """

    def __init__(self, name: str, given: Any, known: tuple[str, ...]) -> None:
        if not isinstance(given, Mapping):
            raise ValueError(f"{name} must be a mapping of settings, not {given!r}")
        self.name = name
        self._given = given
        check_names(name, given, known)

    def has(self, key: str) -> bool:
        """Whether a key is set to something other than null."""
        return self._given.get(key) is not None

    def maybe(self, key: str, read: Callable[[str], Any]) -> Any:
        """What `read` makes of a key; None where it is not set."""
        return read(key) if self.has(key) else None

    def section(self, key: str) -> Mapping[str, Any]:
        """The mapping under a key; empty where it is not set."""
        found = self._given.get(key) or {}
        if not isinstance(found, Mapping):
            raise ValueError(f"{self.name}.{key} must be a mapping by name, not {found!r}")
        return found

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        """A whole number within bounds, or the default."""
        found = self._given.get(key)
        if found is None:
            return default
        if isinstance(found, bool) or not isinstance(found, int) or not low <= found <= high:
            raise self._wrong(key, f"a whole number from {low} to {high}")
        return found

    def number(self, key: str, low: float, high: float, what: str = "a number") -> float:
        """A number within bounds."""
        found = self._given.get(key)
        if (
            isinstance(found, bool)
            or not isinstance(found, int | float)
            or not low <= found <= high
        ):
            raise self._wrong(key, f"{what} from {low:g} to {high:g}")
        return float(found)

    def seconds(self, key: str) -> float:
        """A time in seconds, up to a day."""
        return self.number(key, 0.001, 86400.0, "seconds")

    def warmth(self, key: str) -> float:
        """A temperature of sampling."""
        return self.number(key, 0.0, 2.0)

    def tokens(self, key: str) -> int:
        """A number of tokens, 0 where it is not set."""
        return self.whole(key, 0, 0, 1_000_000)

    def price(self, key: str) -> float:
        """A price in USD per million tokens."""
        return self.number(key, 0.0, 1e6, "USD per million tokens,")

    def text(self, key: str) -> str | None:
        """Text that is not blank, or None."""
        found = self._given.get(key)
        if found is not None and (not isinstance(found, str) or not found.strip()):
            raise self._wrong(key, "text, or null")
        return found

    def word(self, key: str) -> str | None:
        """One word, or None."""
        found = self.text(key)
        if found is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", found):
            raise self._wrong(key, "one word, or null")
        return found

    def choice(self, key: str, default: str, options: tuple[str, ...]) -> str:
        """One of the options, or the default."""
        found = self._given.get(key)
        if found is None:
            return default
        if found not in options:
            raise self._wrong(key, f"one of {', '.join(options)}", nearest_hint(found, options))
        return str(found)

    def url(self, key: str) -> str | None:
        """An address without its last slash, or None; it must hold no secret."""
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
        """Name of an environment variable."""
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
