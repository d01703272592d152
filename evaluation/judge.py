"""Judges of CGE2, FGE2 and PE2: readers of a transcript's text, embedded or language models.

They know no goal, no acts and no ranking, only what was said and the catalogue. How far they agree
with the exact labels is measured by ``evaluation.agreement``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from catalogs.catalog import Catalog
from catalogs.goal import facet_matches
from dialogue.acts import ACCEPT, REJECT, REJECTIONS, UserAct
from dialogue.state import PreferenceState
from evaluation.transcript import Heard, HeardTurn, Lines, Listener
from language.llm.asking import Asker
from language.llm.call import Call
from language.prompts import judging
from language.prompts.facts import item_facts
from language.prompts.judging import Intent

NAMED_ITEMS = 30
"""Catalogue entries that a model judge is shown: with the usual turn limits, all that are named."""


@dataclass(frozen=True, slots=True)
class TurnLabel:
    """Labels of a system turn (dreams Eq. 11).

    Attributes:
        intent: What the turn is for.
        retrieval: Whether the recommender is on target at that moment.
    """

    intent: Intent
    retrieval: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """Labels of a dialogue.

    Attributes:
        turns: One label per system turn.
        fge2: Whether a rejection's reason was ever ignored (dreams Eq. 8).
        pe2: Whether something unfitting was recommended when all was known (dreams Eq. 9).
    """

    turns: tuple[TurnLabel, ...]
    fge2: bool
    pe2: bool

    def cge2_counts(self) -> tuple[int, int]:
        """AT + RF, and all ask and recommend turns (dreams Eq. 12-20)."""
        counted = [label for label in self.turns if label.intent != "other"]
        errors = sum((label.intent == "ask") == label.retrieval for label in counted)
        return errors, len(counted)


class Judge(Protocol):
    """Labels a dialogue by its transcript."""

    def judge(self, lines: Lines) -> Judgement:
        """The labels.

        Args:
            lines: The transcript; every line of the ``system`` is a turn.
        """
        ...


class EmbeddedJudge:
    """Rules over what the embedded tracker and the titles make of the words.

    It judges with hindsight: an item is right if the user takes it, wrong if it turns it down or
    knows it, and otherwise right if it fits all that the user says in the dialogue, about every
    facet. A question is needless (retrieval is right) if the best item for what was said before it
    is right in this sense.

    Args:
        catalog: The items.
        listener: Reads transcripts, if it is already built.
    """

    def __init__(self, catalog: Catalog, listener: Listener | None = None) -> None:
        self._catalog = catalog
        self._listener = listener or Listener(catalog)

    def judge(self, lines: Lines) -> Judgement:
        """The labels of a transcript."""
        heard = self._listener.listen(lines)
        turns = tuple(self._label(turn, heard) for turn in heard.turns)
        fge2 = any(
            self._ignores(previous, turn)
            for previous, turn in zip(heard.turns, heard.turns[1:], strict=False)
        )
        pe2 = any(self._misses(turn) for turn in heard.turns)
        return Judgement(turns, fge2, pe2)

    def _label(self, turn: HeardTurn, heard: Heard) -> TurnLabel:
        item = turn.item if turn.intent == "recommend" else turn.best
        return TurnLabel(turn.intent, item >= 0 and self._right(item, heard))

    def _right(self, item: int, heard: Heard) -> bool:
        works = self._catalog.works[item]
        for offered, reaction in reversed(heard.after.offers):
            if works >> offered & 1 and reaction == ACCEPT:
                return True
            if works >> offered & 1 and reaction in REJECTIONS:
                return False
        state = heard.after.state
        return all(state.likes) and bool(self._fitting(state) >> item & 1)

    def _fitting(self, state: PreferenceState) -> int:
        """Bit set of the items that have what is wanted and nothing of what is not."""
        catalog, found = self._catalog, self._catalog.everything
        for f, facet in enumerate(catalog.domain.facets):
            found &= facet_matches(catalog, f, state.likes[f], facet.match == "all")
            for value in (*state.dislikes[f], *state.doubts[f]):
                found &= ~catalog.postings[f][value]
        return found

    def _ignores(self, previous: HeardTurn, turn: HeardTurn) -> bool:
        """Whether a turn does not take up the reason of the rejection before it."""
        reasons = [act for act in previous.acts if act.kind == REJECT and act.facet >= 0]
        domain = self._catalog.domain
        if not reasons:
            return False
        if 0 <= turn.action < domain.n_facets:
            return turn.action not in {reason.facet for reason in reasons}
        if turn.intent != "recommend":
            return False
        return any(self._repeats(reason, turn) for reason in reasons)

    def _repeats(self, reason: UserAct, turn: HeardTurn) -> bool:
        catalog, facet = self._catalog, reason.facet
        if reason.value >= 0 and catalog.postings[facet][reason.value] >> turn.item & 1:
            return True
        wanted = [v for v in turn.before.state.likes[facet] if v != reason.value]
        need_all = catalog.domain.facets[facet].match == "all"
        return not facet_matches(catalog, facet, wanted, need_all) >> turn.item & 1

    def _misses(self, turn: HeardTurn) -> bool:
        """Whether it recommends what does not fit although every facet has been spoken about.

        Where nothing fits all that was said, something is still to be said: no error.
        """
        state = turn.before.state
        if turn.intent != "recommend" or not all(state.likes):
            return False
        fitting = self._fitting(state)
        return bool(fitting) and not fitting >> turn.item & 1


class ModelJudge:
    """A language model as judge; where it gives no usable answer, the embedded judge.

    Args:
        catalog: The items.
        embedded: Stands in.
        roles: Where the role ``judge`` is asked.
        listener: Finds the items that are named, if it is already built.
    """

    def __init__(
        self, catalog: Catalog, embedded: Judge, roles: Asker, listener: Listener | None = None
    ) -> None:
        self._catalog = catalog
        self._embedded = embedded
        self._roles = roles
        self._listener = listener or Listener(catalog)

    def judge(self, lines: Lines) -> Judgement:
        """The labels of a transcript."""
        count = sum(speaker == "system" for speaker, _ in lines)

        def read(answer: Any) -> Judgement:
            labels = judging.read_turns(answer, count)
            turns = tuple(TurnLabel(label.intent, label.retrieval) for label in labels)
            return Judgement(turns, answer.fge2, answer.pe2)

        call = Call(
            role="judge",
            prompt=judging.PROMPT,
            messages=judging.messages(self._catalog.domain, self._data(lines)),
            result=judging.Judged,
            read=read,
            inputs=lambda: {
                "catalog": dict(self._catalog.origin),
                "lines": [list(line) for line in lines],
            },
            max_tokens=200 + 40 * count,
        )
        return self._roles.ask(call, lambda: self._embedded.judge(lines))

    def _data(self, lines: Lines) -> dict[str, Any]:
        named = self._listener.named(lines)[:NAMED_ITEMS]
        return {
            "catalogue": [item_facts(self._catalog, item, plot=False) for item in named],
            "opening": [text for speaker, text in _before_system(lines)],
            "turns": _numbered(lines),
        }


def write_judgement(found: Judgement) -> dict[str, Any]:
    """A judgement as the role's answer: ``{"turns": [...], "fge2", "pe2"}``."""
    return {
        "turns": [
            {"turn": number, "intent": label.intent, "retrieval": label.retrieval}
            for number, label in enumerate(found.turns, start=1)
        ],
        "fge2": found.fge2,
        "pe2": found.pe2,
    }


def _before_system(lines: Lines) -> Sequence[tuple[str, str]]:
    first = next((k for k, (who, _) in enumerate(lines) if who == "system"), len(lines))
    return lines[:first]


def _numbered(lines: Lines) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = []
    for speaker, text in lines:
        if speaker == "system":
            turns.append({"turn": len(turns) + 1, "system": text, "user": ""})
        elif turns:
            turns[-1]["user"] = f"{turns[-1]['user']} {text}".strip()
    return turns
