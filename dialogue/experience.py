"""Experience: decisions of past dialogues with what came of them (dreams §5.6, B.1).

An experience base is a text file in an open format, ``crsgym-experience/1``: one JSON object a
line, UTF-8. The first line is the header, each further line one decision:

=========  ===========================================================================
key        content
=========  ===========================================================================
split      split of the dialogue's user, ``heldout`` or ``train``
episode    number of the dialogue in that split
turn       number of the decision in its dialogue, from 1
lines      ``[speaker, text]`` pairs said before the decision; speaker is system or user
state      preferences by facet and value names (``PreferenceState.to_json``)
facts      public numbers by name (``planners.experience.facts`` says which)
action     name of the action taken
reason     a short text: why
query      refined query that the turn ranked with, or null
reward     discounted return from this turn to the dialogue's end
success    whether the dialogue ended with an accepted offer
search     share of the search's visits by action name; empty where nothing was searched
=========  ===========================================================================

Neither goal nor persona nor targets are in it. All but ``reward`` is what anybody who read the
dialogues could write down; the reward, as every reward of training, was computed with the goals of
these users, who are never those of a test. Reading never runs anything; what does not fit is an
error that names the line. The header's ``digest`` (SHA-256 of the further lines, hexadecimal) tells
whether they were changed since; whoever edits a base writes it with :func:`write_base`.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from dialogue.experience_checks import LIMITS, check_experience, check_header

FORMAT = "crsgym-experience/1"

# Valid inside JSON strings, but other readers take them for line ends.
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


class ExperienceError(ValueError):
    """A base that cannot be read or written; the message names file, line and remedy."""


@dataclass(frozen=True)
class Experience:
    """One decision of a past dialogue; the module says what the attributes hold."""

    split: str
    episode: int
    turn: int
    lines: tuple[tuple[str, str], ...]
    state: Mapping[str, Any]
    facts: Mapping[str, float]
    action: str
    reason: str
    query: str | None
    reward: float
    success: bool
    search: Mapping[str, float] = field(default_factory=dict)


KEYS = tuple(entry.name for entry in fields(Experience))


@dataclass(frozen=True)
class ExperienceBase:
    """A header and its experiences, dialogue by dialogue.

    Attributes:
        header: ``format``, ``hash`` (of all that the base was made from), ``catalog``,
            ``personas``, ``config``, ``dialogues``, ``successes``, ``made_by``, ``actions``.
        experiences: Decisions, those of a dialogue side by side in order.
    """

    header: Mapping[str, Any]
    experiences: tuple[Experience, ...]


def read_base(path: Path) -> ExperienceBase:
    """Read a base.

    Raises:
        ExperienceError: The file is missing, too large, cut off, or holds something else.
    """
    lines = _lines(path)
    header = _object(path, 1, lines[0])
    digest = header.pop("digest", None)
    _checked(path, 1, partial(check_header, header, FORMAT))
    actions = tuple(header["actions"])
    found: list[Experience] = []
    for number, line in enumerate(lines[1:], start=2):
        raw = _object(path, number, line)
        _checked(path, number, partial(check_experience, raw, actions, KEYS))
        said = tuple((speaker, text) for speaker, text in raw["lines"])
        found.append(Experience(**{**raw, "lines": said}))
    _check_counts(path, header, found)
    if digest != _digest(lines[1:]):
        raise _wrong(path, 1, "its digest is not that of the lines below, which were changed")
    return ExperienceBase(header, tuple(found))


def write_base(path: Path, base: ExperienceBase) -> None:
    """Write a base so that a reader sees all of it or none; folders are made as needed.

    Raises:
        ExperienceError: It would not be readable again (:func:`read_base`), or the disk refuses.
    """
    header = dict(base.header)
    _checked(path, 1, partial(check_header, header, FORMAT))
    lines: list[bytes] = []
    for number, experience in enumerate(base.experiences, start=2):
        raw = json.loads(_line(asdict(experience)))
        _checked(path, number, partial(check_experience, raw, tuple(header["actions"]), KEYS))
        lines.append(_line(raw))
    _check_counts(path, header, list(base.experiences))
    lines.insert(0, _line(header | {"digest": _digest(lines)}))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.part")
        try:
            with part.open("wb") as file:
                file.write(b"\n".join([*lines, b""]))
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ExperienceError(
            f"{path} cannot be written ({error.strerror}); make room, or give another folder"
        ) from error


def _line(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return text.translate(_LINE_ENDS).encode("utf-8", "backslashreplace")


def _digest(lines: Sequence[bytes]) -> str:
    return hashlib.sha256(b"\n".join(lines)).hexdigest()


def _lines(path: Path) -> list[bytes]:
    try:
        with path.open("rb") as file:
            content = file.read(LIMITS.file_bytes + 1)  # a device tells no size, and never ends
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(content) > LIMITS.file_bytes:
        raise ExperienceError(
            f"{path} has more than {LIMITS.file_bytes} bytes, too many for a base of "
            f"experiences; give another file"
        )
    if not content.endswith(b"\n"):
        raise ExperienceError(
            f"{path} ends within a line; it was cut off: make it anew (experience.rebuild=true)"
        )
    return content[:-1].split(b"\n")


def _object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    if len(line) > LIMITS.line_bytes:
        raise _wrong(path, number, f"more than {LIMITS.line_bytes} bytes")
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise _wrong(path, number, f"no line of JSON ({error})") from error
    if not isinstance(value, dict):
        raise _wrong(path, number, "no JSON object")
    return value


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text:.20} is out of range")
    return number


def _checked(path: Path, number: int, check: Callable[[], None]) -> None:
    try:
        check()
    except ValueError as error:
        raise _wrong(path, number, str(error)) from error


def _check_counts(path: Path, header: Mapping[str, Any], found: list[Experience]) -> None:
    """Whether the header's numbers of dialogues are those of the lines: nothing was cut off."""
    outcomes = {(entry.split, entry.episode): entry.success for entry in found}
    counts = {"dialogues": len(outcomes), "successes": sum(outcomes.values())}
    for name, count in counts.items():
        if header[name] != count:
            raise _wrong(path, 1, f"{name} is {header[name]}, the lines below hold {count}")


def _unreadable(path: Path, error: OSError) -> ExperienceError:
    return ExperienceError(f"{path} cannot be read ({error.strerror}); give a base's file")


def _wrong(path: Path, number: int, problem: str) -> ExperienceError:
    return ExperienceError(
        f"{path}, line {number}: {problem}; restore the file, or make it anew "
        f"(experience.rebuild=true)"
    )
