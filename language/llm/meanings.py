"""What an endpoint's errors mean: try again, give up the dialogue, or stop the run."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

import openai

from language.llm.attempt import TransportError
from language.llm.errors import DialogueFailed, ModelError, RunStopped
from language.llm.settings import RoleSettings

_CONTEXT = re.compile(
    r"context[ _-]?(length|size|window)|maximum context|prompt is too long|too many tokens"
    r"|token count.{0,40}exceed|exceeds? the (available|maximum) context",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(
    r"api[ _-]?key.{0,80}"
    r"(not valid|invalid|incorrect|expired|missing|not found|required|rejected|revoked)"
    r"|\b(not valid|invalid|incorrect|expired|missing|no|valid|provide an?) api[ _-]?key",
    re.IGNORECASE,
)
_FILTERED = frozenset({"content_filter", "content_policy_violation"})
_SHOWN = 300
"""Characters of an endpoint's message that are shown."""


def is_filtered(error: openai.OpenAIError) -> bool:
    """Whether the error is a content filter's refusal."""
    return (
        isinstance(error, openai.APIStatusError)
        and error.status_code in (400, 422)
        and not _FILTERED.isdisjoint((field_of(error, "code"), field_of(error, "type")))
    )


def is_misshapen(error: openai.OpenAIError) -> bool:
    """Whether the endpoint itself found that the model's answer breaks the schema.

    Some endpoints check structured output after the fact and report what fails as a request's
    error; it is a bad answer, to be mended as others are.
    """
    return (
        isinstance(error, openai.APIStatusError)
        and error.status_code in (400, 422)
        and field_of(error, "code") == "json_validate_failed"
    )


def meaning(
    error: openai.OpenAIError, role: RoleSettings, scrub: Callable[[str], str]
) -> TransportError | ModelError:
    """What to raise for a client's error; none of the request is in it, so no key either.

    Args:
        error: What the client raised.
        role: Whose request it was.
        scrub: Takes the key out of a text, should the endpoint have echoed it.
    """
    where = f"{role.model} at {role.address} for the role {role.role}"
    if isinstance(error, openai.APITimeoutError):
        return TransportError(f"{where}: no answer in {role.timeout_s:g} s", "timeout")
    if isinstance(error, openai.APIStatusError):
        said = scrub(message_of(error))[:_SHOWN]
        return of_status(error.status_code, error, said, where, error.response.headers)
    if isinstance(error, openai.APIConnectionError):
        cause = type(error.__cause__ or error).__name__
        return TransportError(f"{where}: no connection to {role.place} ({cause})", "connection")
    return TransportError(f"{where}: {type(error).__name__}", "server_error")


def of_status(
    status: int,
    error: openai.APIStatusError | None,
    said: str,
    where: str,
    headers: Mapping[str, str],
) -> TransportError | ModelError:
    """What an HTTP status means; see :func:`meaning`."""
    # Some endpoints count a wrong key among the bad requests.
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(said)):
        # Not quoted: such messages repeat parts of the key.
        return RunStopped(
            f"{where}: the key is refused (HTTP {status}); check the variable that "
            "llm.api_key_env names, and that the account may use the model"
        )
    code = "" if error is None else f"{field_of(error, 'code')} {field_of(error, 'type')}"
    if status == 402 or (status == 429 and "insufficient_quota" in f"{code} {said}"):
        return RunStopped(f"{where}: the account has no credit left ({said}); top it up, resume")
    if status == 429:
        return TransportError(f"{where}: rate limit ({said})", "rate_limit", retry_after(headers))
    if status == 408:
        return TransportError(f"{where}: HTTP 408 ({said})", "timeout", retry_after(headers))
    if (status >= 500 and status != 501) or status in (409, 425):
        return TransportError(
            f"{where}: HTTP {status} ({said})", "server_error", retry_after(headers)
        )
    return _refusal(status, code, said, where)


def _refusal(status: int, code: str, said: str, where: str) -> ModelError:
    if status in (404, 501) or 300 <= status < 400:
        return RunStopped(
            f"{where}: HTTP {status} ({said}); check llm.base_url (it ends in /v1 at most "
            "endpoints), llm.model, and that the endpoint has what the role needs"
        )
    if status == 413 or "context_length_exceeded" in code or _CONTEXT.search(said):
        return DialogueFailed(
            f"{where}: the dialogue is longer than the model's context ({said}); use a model "
            "with a longer one, or shorter dialogues",
            "context_overflow",
        )
    return DialogueFailed(
        f"{where}: the endpoint rejects the request, HTTP {status} ({said})", "rejected"
    )


def is_overflow(error: openai.APIStatusError) -> bool:
    """Whether the request was longer than the model's context."""
    code = field_of(error, "code")
    return code == "context_length_exceeded" or bool(_CONTEXT.search(message_of(error)))


def message_of(error: openai.APIStatusError) -> str:
    """The endpoint's own words, whatever shape its error has; at most 2000 characters."""
    body = error_in(error.body) or error.body
    if isinstance(body, dict):
        body = body.get("message") or body.get("detail") or body
    return " ".join(str(body or error.message)[:2000].split())


def field_of(error: openai.APIStatusError, name: str) -> str:
    """A field beside those words, such as ``code`` or ``param``; "" if there is none."""
    body = error_in(error.body) or error.body
    found = body.get(name) if isinstance(body, dict) else None
    return "" if found is None else str(found)


def error_in(body: Any) -> dict[str, Any] | None:
    """The error in an endpoint's answer, which may be in a list; None if there is none."""
    if isinstance(body, list) and body:
        body = body[0]
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, str) and error:
        return {"message": error}
    return error if isinstance(error, dict) else None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by ``retry-after-ms`` or ``Retry-After`` (seconds or a date); None if unset.

    What cannot be read counts as unset.
    """
    milliseconds = _finite(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000.0)
    given = headers.get("retry-after")
    if given is None:
        return None
    seconds = _finite(given)
    if seconds is not None:
        return max(0.0, seconds)
    try:
        date = parsedate_to_datetime(given)
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        return max(0.0, date.timestamp() - time.time())
    except (ValueError, OverflowError, TypeError):
        return None


def _finite(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None
