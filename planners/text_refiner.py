"""Who refines a query that is nothing but text: embedded rules, or a language model.

What is left of the EXNode where no preference state is kept (dreams Table 4, without ELNode and
JSON): strategies on wording, and a summary that is a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalogs.catalog import Catalog
from language.free_reading import FreeReader, free_reader
from language.llm.asking import Asker
from language.llm.call import Call
from language.prompts import refining_text
from planners.refiner import Proposal, Refined, composed
from retrieval.query import Query
from retrieval.situation import words_of_user

Line = tuple[str, str]
"""``(speaker, utterance)``; speakers are ``system`` and ``user``."""


class EmbeddedTextRefiner:
    """Rewrites the text by rule, each utterance read on its own; the summary is the user's words.

    Args:
        catalog: The items.
        lines: The dialogue.
    """

    names = tuple(refining_text.PURPOSES)

    def __init__(self, catalog: Catalog, lines: Sequence[Sequence[str]]) -> None:
        self._catalog = catalog
        self._lines = lines
        self._reader: FreeReader = free_reader(catalog)

    def refine(
        self, query: Query, strategies: Sequence[str], depth: int, count: int
    ) -> Refined[str]:
        """See :class:`planners.refiner.Refiner`; what would change nothing is passed over."""
        found = composed(query, strategies, self.names, depth, count, self._apply)
        return Refined(words_of_user(self._lines), found)

    def _apply(self, name: str, query: Query) -> Query | None:
        rules = {
            "formalise": self._formalise,
            "drop_noise": self._drop_noise,
            "latest_first": self._latest_first,
            "without_people": self._without_people,
        }
        text = rules[name](query.text)
        return None if text == query.text or not text else Query(None, text)

    def _formalise(self, text: str) -> str:
        """Wanted values by their names in the catalogue."""
        return self._listed(self._reader.wishes(text).wanted)

    def _drop_noise(self, text: str) -> str:
        """The utterances that name a value."""
        return "\n".join(line for line in text.split("\n") if self._reader.named(line))

    def _latest_first(self, text: str) -> str:
        """Of several people of a facet the one named last."""
        wanted = list(self._reader.wishes(text).wanted)
        kept = [
            values[-1:] if facet.match == "any" else values
            for facet, values in zip(self._catalog.domain.facets, wanted, strict=True)
        ]
        return text if kept == wanted else self._listed(kept)

    def _without_people(self, text: str) -> str:
        """No people: those named may be ones that no fitting item has."""
        wanted = list(self._reader.wishes(text).wanted)
        kept = [
            () if facet.match == "any" else values
            for facet, values in zip(self._catalog.domain.facets, wanted, strict=True)
        ]
        return text if kept == wanted else self._listed(kept)

    def _listed(self, values: Sequence[tuple[int, ...]]) -> str:
        return ", ".join(
            self._catalog.value(f, value) for f, found in enumerate(values) for value in found
        )


class ModelTextRefiner:
    """One call gives the summary and the refinements; the embedded rules stand in for a bad answer.

    Args:
        catalog: The items.
        lines: The dialogue.
        roles: Where ``refine`` is asked.
        turn: The system turn that it is for; 1 is the first.
    """

    names = EmbeddedTextRefiner.names

    def __init__(self, catalog: Catalog, lines: Sequence[Line], roles: Asker, turn: int) -> None:
        self._catalog = catalog
        self._lines = lines
        self._roles = roles
        self._turn = turn
        self._embedded = EmbeddedTextRefiner(catalog, lines)

    def refine(
        self, query: Query, strategies: Sequence[str], depth: int, count: int
    ) -> Refined[str]:
        """See :class:`planners.refiner.Refiner`."""
        catalog, text = self._catalog, query.text

        def read(answer: refining_text.TextRefineResult) -> Refined[str]:
            refining_text.check_answer(answer, depth, count)
            return read_refined(answer)

        call = Call(
            role="refine",
            prompt=refining_text.PROMPT,
            messages=refining_text.messages(
                catalog.domain, self._lines, text, strategies, depth, count
            ),
            result=refining_text.TextRefineResult,
            read=read,
            inputs=lambda: {
                "catalog": dict(catalog.origin),
                "lines": [list(line) for line in self._lines],
                "query": {"text": text},
                "strategies": list(strategies),
                "depth": depth,
                "count": count,
            },
            turn=self._turn,
            max_tokens=200 + 150 * count,
        )
        return self._roles.ask(call, lambda: self._embedded.refine(query, strategies, depth, count))


def read_refined(answer: refining_text.TextRefineResult) -> Refined[str]:
    """Refinements from a checked answer."""
    found = [Proposal(r.parent, r.strategy, Query(None, r.query)) for r in answer.refinements]
    return Refined(answer.summary, tuple(found))


def write_text_refined(refined: Refined[str]) -> dict[str, Any]:
    """Refinements as a model would answer, in the shape of ``TextRefineResult``."""
    return {
        "summary": refined.summary,
        "refinements": [
            {"parent": p.parent, "strategy": p.strategy, "query": p.query.text}
            for p in refined.proposals
        ],
    }
