"""Wording: how a simulated user writes down a value, a list of values, or a title."""

from __future__ import annotations

from collections.abc import Sequence

from catalogs.catalog import Catalog
from dialogue.streams import Uniform, pick
from language.mentions import MentionFinder
from language.phrases.weak import EVERYDAY
from language.style import Style
from language.text import fold_key, read_words

PARAPHRASE = 0.3
"""Chance that a value is named by a synonym of the domain."""

LOWER = 0.6
"""Chance that children and teens write a name without capitals."""

SLIP = {"excitement": 0.12, "frustration": 0.08, "delight": 0.08, "curiosity": 0.06}
"""Chance of a mistyped letter in a person's name, by emotion (others type carefully)."""

_MAX_TITLE = 80
_SYNONYMS = 3  # the domain lists the most natural ones first
_SLIP_LENGTH = 6
_ROLES = {"star": "with", "director": "by", "writer": "by", "author": "by", "artist": "by"}
_VERBS = {"book": ("read", "read"), "song": ("heard", "hear"), "album": ("heard", "hear")}


class Wording:
    """Writes values so that they can be understood again.

    Synonyms, missing capitals and slips of the finger are used only where the result still names
    the value and nothing else: a slip that makes another name would be another statement.
    """

    def __init__(self, catalog: Catalog, finder: MentionFinder) -> None:
        self._catalog = catalog
        self._lexicon = finder.lexicon
        self._finder = finder

    def values(
        self, facet: int, values: Sequence[int], style: Style, stream: Uniform, joint: str = "and"
    ) -> str:
        """A list such as ``comedy and war`` or ``with Meryl Streep``."""
        written = [self.value(facet, value, style, stream) for value in values]
        text = written[0]
        if len(written) > 1:
            text = f"{', '.join(written[:-1])} {joint} {written[-1]}"
        shared = any(self._lexicon.shared(facet, value) for value in values)
        return self._with_role(facet, text, shared)

    def value(self, facet: int, value: int, style: Style, stream: Uniform) -> str:
        """One value, without its role."""
        name = self._catalog.value(facet, value)
        how = stream.random()
        if self._catalog.domain.facets[facet].person:
            changed = self._person(name, style, how, stream)
        else:
            synonyms = self._lexicon.synonyms(facet, value)[:_SYNONYMS]
            changed = pick(stream, synonyms) if synonyms and how < PARAPHRASE else name
            if fold_key(changed) in EVERYDAY:
                changed = f"{changed} {self._catalog.domain.nouns}"
            if style.age in ("children", "teens"):
                changed = changed.lower()
        return changed if changed == name or self.means(changed, facet, value) else name

    def vague(self, facet: int, first: int, second: int, stream: Uniform) -> str:
        """A vague word for either of two values, empty if the domain has none."""
        words = self._lexicon.vague(facet, first, second)
        return pick(stream, words) if words else ""

    def title(self, item: int) -> str:
        """The quoted title of an item, or ``that one`` if it cannot be quoted."""
        title = " ".join(self._catalog.items[item].title.split()) if item >= 0 else ""
        title = title.translate(str.maketrans("", "", '"“”«»<>'))
        return f'"{title}"' if fold_key(title) and len(title) <= _MAX_TITLE else "that one"

    def verbs(self) -> tuple[str, str]:
        """Past participle and infinitive for using an item: ``("seen", "watch")``."""
        return _VERBS.get(self._catalog.domain.noun, ("seen", "watch"))

    def _person(self, name: str, style: Style, how: float, stream: Uniform) -> str:
        slip = SLIP.get(style.emotion, 0.0)
        changed = _slipped(name, stream) if how < slip else name
        if style.age in ("children", "teens") and how < slip + LOWER:
            changed = changed.lower()
        return changed

    def _with_role(self, facet: int, text: str, shared: bool) -> str:
        described = self._catalog.domain.facets[facet]
        if not described.person:
            return f"{described.singular} {text}" if shared else text
        role = _ROLES.get(described.name)
        return f"{role} {text}" if role else f"with {described.singular} {text}"

    def means(self, text: str, facet: int, value: int) -> bool:
        """Whether a text, with its role, is understood as a value and nothing else."""
        words = read_words(self._with_role(facet, text, self._lexicon.shared(facet, value)))
        found = self._finder.find(words, facet)
        return [(m.facet, m.value, m.other) for m in found] == [(facet, value, -1)]


def _slipped(name: str, stream: Uniform) -> str:
    """The name with two letters swapped or one left out, never the first of a word."""
    words = name.split()
    long = [i for i, word in enumerate(words) if len(word) >= _SLIP_LENGTH and word.isalpha()]
    if not long:
        return name
    index = pick(stream, long)
    word = words[index]
    at = 1 + int(stream.random() * (len(word) - 2))
    if stream.random() < 0.5:
        words[index] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    else:
        words[index] = word[:at] + word[at + 1 :]
    return " ".join(words)
