"""Words of an utterance: folded for comparison, as written, and the punctuation between them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

MAX_CHARACTERS = 4000
"""Characters of an utterance that are read; nobody describes a taste at greater length."""

HIDDEN = "\x00"
"""Folded form of a word that must not be understood (part of a title or of a quotation)."""

NO_BREAK, COMMA, STOP = 0, 1, 2

_WORD = re.compile(r"[^\W_]+(?:['’`][^\W_]+)*")
_QUOTED = re.compile(
    r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|«[^»\n]{1,200}»|<[a-zA-Z/!][^<>\n]{0,200}>"
)
_STOPS = re.compile(r"[.!?;\n…]")
_COMMAS = re.compile(r"[,:/()\[\]–—\"“”«»]|\s-+\s")
_LINK = re.compile(r"(?:https?://|www\.)\S+")
_APOSTROPHES = str.maketrans("", "", "'’`")
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe"})
_ABBREVIATED = frozenset({"jr", "sr", "dr", "mr", "mrs", "ms", "st", "vs"})


@dataclass(slots=True)
class Words:
    """The n words of an utterance.

    Attributes:
        folded: Lower-case words without accents and apostrophes; ``HIDDEN`` for masked ones.
        written: The words as they were written.
        places: Start and end of each word in ``text``.
        text: The text that was read (normalised, links left out).
        breaks: Punctuation before each word: ``NO_BREAK``, ``COMMA`` (any pause) or ``STOP``; a
            final entry says what ends the text, so the length is n + 1.
    """

    folded: list[str]
    written: list[str]
    breaks: list[int]
    places: list[tuple[int, int]]
    text: str

    def __len__(self) -> int:
        """Number of words n."""
        return len(self.folded)

    def passage(self, start: int, end: int) -> str:
        """The text from the word ``start`` to the word ``end - 1``, as written."""
        return self.text[self.places[start][0] : self.places[end - 1][1]]

    def hide(self, start: int, end: int) -> None:
        """Mask the words ``start .. end - 1``."""
        for i in range(start, end):
            self.folded[i] = HIDDEN


def fold(word: str) -> str:
    """A word without case, accents, apostrophes: ``O'Brien`` is ``obrien``, ``Noël`` ``noel``."""
    if word.isascii():
        return word.lower().translate(_APOSTROPHES)
    text = (
        unicodedata.normalize("NFKD", word).casefold().translate(_APOSTROPHES).translate(_LETTERS)
    )
    return "".join(c for c in text if not unicodedata.combining(c))


def fold_words(text: str) -> list[str]:
    """Folded words of a text, in order; other characters only separate."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return [fold(word) for word in _WORD.findall(text)]


def fold_key(text: str) -> str:
    """The form under which a name is looked up: its folded words, one space between them."""
    return " ".join(fold_words(text))


def has_break(text: str) -> bool:
    """Whether a name contains punctuation that would separate words of an utterance."""
    return any(level > NO_BREAK for level in read_words(text).breaks[1:-1])


def read_words(text: str) -> Words:
    """Split an utterance; quoted passages, HTML tags and links are masked."""
    text = unicodedata.normalize("NFKC", text[:MAX_CHARACTERS])[:MAX_CHARACTERS]
    text = _LINK.sub(" . ", text)
    quotes = [match.span() for match in _QUOTED.finditer(text)]
    words = Words([], [], [], [], text)
    end = 0
    quote = 0
    previous = ""
    for match in _WORD.finditer(text):
        start = match.start()
        written = match.group()
        words.breaks.append(_break_level(text[end:start], previous))
        while quote < len(quotes) and quotes[quote][1] <= start:
            quote += 1
        quoted = quote < len(quotes) and quotes[quote][0] < start
        previous = fold(written)
        words.folded.append(HIDDEN if quoted or not previous else previous)
        words.written.append(written)
        words.places.append(match.span())
        end = match.end()
    words.breaks.append(_break_level(text[end:], previous))
    return words


def ends_in_short_form(text: str) -> bool:
    """Whether a text's final full stop belongs to an abbreviation or initial (``Vance, Jr.``)."""
    words = fold_words(text[-12:])
    return text.endswith(".") and bool(words) and _is_short_form(words[-1])


def _is_short_form(word: str) -> bool:
    """An initial or an abbreviation. "I" is the pronoun or a numeral more often than an initial."""
    return (len(word) == 1 and word.isalpha() and word != "i") or word in _ABBREVIATED


def _break_level(gap: str, before: str) -> int:
    if gap in {" ", "-", ""}:
        return NO_BREAK
    if gap[0] == "." and _is_short_form(before):
        gap = gap[1:]
    if _STOPS.search(gap):
        return STOP
    return COMMA if _COMMAS.search(gap) else NO_BREAK
