"""Priors from a language model (dreams §A.3.3): m samples summed, illegal actions struck out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from dialogue.snapshot import view_state
from dialogue.view import DialogueView
from language.llm.call import Call
from language.llm.roles import Roles
from language.prompts import scoring
from language.prompts.scoring import Scores, legal
from planners.scorer import EmbeddedScorer, ScorerSettings


class ModelScorer:
    """Asks the role ``score``; the embedded scorer stands in for a bad answer.

    Args:
        settings: Constants of the embedded scorer.
        roles: Where the role is asked.
        samples: m, at least 1. The scores that came with the tracking of the user's last words
            (``view.suggested``) are the first sample.
    """

    def __init__(self, settings: ScorerSettings, roles: Roles, samples: int = 1) -> None:
        self._settings = settings
        self._embedded = EmbeddedScorer(settings)
        self._roles = roles
        self._samples = samples

    def scores(self, view: DialogueView) -> list[float]:
        """Non-negative scores, length F + 3, over m samples; at least one is positive."""
        embedded = tuple(self._embedded.scores(view))
        found: list[Scores] = []
        if view.suggested is not None:
            found.append(legal(view.suggested, view) or embedded)
        asked = [
            partial(self._sample, view, number, embedded)
            for number in range(len(found), self._samples)
        ]
        if len(asked) == 1:
            found.append(asked[0]())
        elif asked:
            found += self._roles.map(lambda ask: ask(), asked)
        return summed(found)

    def _sample(self, view: DialogueView, number: int, embedded: Scores) -> Scores:
        domain = view.catalog.domain

        def read(answer: scoring.ScoreResult) -> Scores:
            scores = legal(scoring.read_scores(domain, answer.scores), view)
            if scores is None:
                raise ValueError("give at least one of the legal actions a score above 0")
            return scores

        call = Call(
            role="score",
            prompt=scoring.PROMPT,
            messages=scoring.messages(view),
            result=scoring.ScoreResult,
            read=read,
            inputs=lambda: {
                "catalog": dict(view.catalog.origin),
                "view": view_state(view, texts=False),
                "scorer": asdict(self._settings),
            },
            turn=view.turn + 1,
            sample=number,
            max_tokens=300,
        )
        return self._roles.ask(call, lambda: embedded)


def summed(samples: Sequence[Scores]) -> list[float]:
    """The sum of samples, each scaled to 1 so that all weigh the same; a single one as it is."""
    if len(samples) == 1:
        return list(samples[0])
    totals = [sum(sample) for sample in samples]
    scaled = [
        [score / total for score in sample] for sample, total in zip(samples, totals, strict=True)
    ]
    return [sum(column) for column in zip(*scaled, strict=True)]
