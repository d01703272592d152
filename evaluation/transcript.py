"""A transcript read again: what the system did and what the user meant, from their words alone.

Nothing but text and the catalogue goes in, so what comes out can be as wrong as any reader is. What
is heard keeps its order: the opening, each system turn with the user's reply, the view at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from catalogs.catalog import Catalog
from dialogue.acts import UserActs
from dialogue.view import DialogueView
from evaluation.records import Record, RecordError
from evaluation.titles import TitleFinder
from language.phrases.roles import ROLE_WORDS
from language.prompts.judging import Intent
from language.text import fold_words
from language.tracker import EmbeddedTracker
from retrieval.structured import StructuredRetriever

Lines = Sequence[tuple[str, str]]
"""``(speaker, utterance)`` in order; speakers are ``system`` and ``user``."""


class HeardTurn(NamedTuple):
    """One system turn as heard.

    Attributes:
        intent: What it is for.
        action: Action of the domain that the words fit, -1 for none.
        item: Item named, -1 if none.
        acts: Meaning of the user's reply.
        best: Best item for what was said before the turn, not offered yet, -1 if none.
        before: The view as it was before the turn.
    """

    intent: Intent
    action: int
    item: int
    acts: UserActs
    best: int
    before: DialogueView


class Heard(NamedTuple):
    """A transcript as heard.

    Attributes:
        opening: Meaning of what the user said before the first system turn.
        turns: The system turns.
        after: The view at the end.
    """

    opening: UserActs
    turns: tuple[HeardTurn, ...]
    after: DialogueView


def lines_of(record: Record) -> list[tuple[str, str]]:
    """The transcript of a record.

    Raises:
        RecordError: The dialogue has no texts (it was played in ``channel=acts``).
    """
    lines = [("user", str(record["opening"]["user"]))]
    for turn in record["turns"]:
        lines += [("system", str(turn["system"])), ("user", str(turn["user"]))]
    if not any(text for _, text in lines):
        raise RecordError(
            f"the dialogue of episode {record['episode']} has no texts, so no judge can read it; "
            f"play it in channel=text"
        )
    return lines


class Listener:
    """Understands both sides of transcripts about one catalogue.

    Args:
        catalog: The items.
        tracker: Reads the user's lines, if it is already built.
    """

    def __init__(self, catalog: Catalog, tracker: EmbeddedTracker | None = None) -> None:
        self.catalog = catalog
        self._tracker = tracker or EmbeddedTracker(catalog)
        self._retriever = StructuredRetriever(catalog)
        self._titles = TitleFinder(catalog)
        self._words = tuple(
            frozenset(fold_words(f"{facet.name} {facet.singular} {facet.plural}"))
            for facet in catalog.domain.facets
        )

    def listen(self, lines: Lines) -> Heard:
        """Read a transcript from its first line to its last."""
        view = DialogueView(self.catalog, self._retriever, "text", max(1, len(lines)))
        turns: list[HeardTurn] = []
        opening: UserActs = ()
        for speaker, text in lines:
            if speaker == "system":
                turns.append(self._system(text, view))
                continue
            acts = self._tracker.track(text, view) if text else ()
            view.apply_user(acts)
            if turns:
                turns[-1] = turns[-1]._replace(acts=turns[-1].acts + acts)
            else:
                opening += acts
        return Heard(opening, tuple(turns), view)

    def named(self, lines: Lines) -> list[int]:
        """Items that the system names, in order, each once."""
        found = [
            hit.item
            for speaker, text in lines
            if speaker == "system"
            for hit in self._titles.find(text)
        ]
        return list(dict.fromkeys(found))

    def _system(self, text: str, view: DialogueView) -> HeardTurn:
        before = view.fork()
        intent, action, item = self._understand(text, view)
        best = view.assess().best
        if action < 0:
            # Talk that does nothing: time passes, and nothing is offered or asked.
            view.turn += 1
            view.streak = 0
        else:
            view.apply_system(action, item)
        return HeardTurn(intent, action, item, (), best, before)

    def _understand(self, text: str, view: DialogueView) -> tuple[Intent, int, int]:
        domain = self.catalog.domain
        item = self._item(text)
        if item >= 0:
            known = any(item == offer for offer, _ in view.offers)
            return (
                ("other", domain.explain, item) if known else ("recommend", domain.recommend, item)
            )
        if "?" not in text:
            return "other", -1, -1
        facet = self._facet(text, view)
        if view.just_rejected and (facet < 0 or facet == view.reason[0]):
            return "ask", domain.reflect, -1
        return "ask", facet, -1

    def _item(self, text: str) -> int:
        hits = self._titles.find(text)
        certain = [hit for hit in hits if hit.certain]
        return (certain or hits)[0].item if hits else -1

    def _facet(self, text: str, view: DialogueView) -> int:
        """Facet that a question is about: the one it names, else that of the values it names."""
        question = text[: text.rindex("?")]
        words = set(fold_words(question))
        for table in (self._words, self._roles()):
            for f, names in enumerate(table):
                if words & names:
                    return f
        judged = self._tracker.read(question, view.fork()).judged
        return judged[0].mention.facet if judged else -1

    def _roles(self) -> tuple[frozenset[str], ...]:
        none: frozenset[str] = frozenset()
        return tuple(ROLE_WORDS.get(facet.name, none) for facet in self.catalog.domain.facets)
