"""The terminal that a person reads and writes at."""

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulators.console import LIMIT, NOTE, SYSTEM, Console, Terminal, one_line


def test_it_is_a_console() -> None:
    assert isinstance(Terminal(), Console)
    assert not isinstance("human", Console)


def test_lines_of_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.TextIOWrapper(io.BytesIO(b"one\n\xff two\nlast without end"), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", raw)
    terminal = Terminal()
    assert [terminal.ask() for _ in range(3)] == ["one\n", "\ufffd two\n", "last without end"]
    with pytest.raises(EOFError):
        terminal.ask()


def test_what_the_output_lacks_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    Terminal().tell(SYSTEM, "Amélie")
    Terminal().tell(NOTE, "ok")
    assert raw.getvalue() == b"system: Am?lie\n  ok\n"


@given(st.text(st.characters(), max_size=3 * LIMIT))
def test_one_line_steers_no_terminal(text: str) -> None:
    clean = one_line(text)
    assert clean.isprintable() or "\u2028" not in clean
    assert len(clean) <= LIMIT
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in clean)
    assert not set("\u202e\u2066\u200b\n\r\x1b") & set(clean)


def test_words_stay() -> None:
    assert one_line("  Amélie, 東京 – ok?\n") == "Amélie, 東京 – ok?"
    assert one_line("\x1b[31mred\x07") == "[31mred"
