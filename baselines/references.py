"""The references every comparison needs: a floor, two naive strategies, and a ceiling."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from dialogue.view import DialogueView, SystemTurn


class RandomPolicy:
    """Uniform over the legal actions: the floor."""

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Nothing to forget."""

    def decide(self, view: DialogueView, rng: np.random.Generator) -> int:
        """Any legal action."""
        return int(rng.choice(np.flatnonzero(view.mask())))


class AlwaysRecommend:
    """Offers the shared retriever's best item in every turn."""

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Nothing to forget."""

    def decide(self, view: DialogueView, rng: np.random.Generator) -> int:
        """ItemRec, or an explanation once everything has been offered."""
        domain = view.catalog.domain
        return domain.recommend if view.mask()[domain.recommend] else domain.explain


class AskAll:
    """Asks about every facet once, in order, then recommends.

    Answers a request for details when it comes.
    """

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Nothing to forget."""

    def decide(self, view: DialogueView, rng: np.random.Generator) -> int:
        """The first facet not asked about yet, else the best item not offered yet."""
        domain = view.catalog.domain
        if view.details >= 0:
            return domain.explain
        for facet, times in enumerate(view.asked):
            if not times:
                return facet
        return domain.recommend if view.mask()[domain.recommend] else domain.explain


class Oracle:
    """Knows the goal and the seen items: the ceiling. The only policy with privileged access.

    ``inform`` receives the bit set of acceptable items after each reset; everything else is public.
    """

    privileged: ClassVar[bool] = True

    def __init__(self) -> None:
        self._acceptable = 0

    def inform(self, acceptable: int) -> None:
        """Receive the bit set of the items that the user would accept."""
        self._acceptable = acceptable

    def reset(self, view: DialogueView, rng: np.random.Generator) -> None:
        """Nothing to forget; ``inform`` brings the news."""

    def decide(self, view: DialogueView, rng: np.random.Generator) -> int | SystemTurn:
        """Explain when asked, else offer the best known target."""
        domain = view.catalog.domain
        if view.details >= 0:
            return domain.explain
        left = self._acceptable & ~view.offered or self._acceptable
        target = (left & -left).bit_length() - 1
        rest = [i for i in view.retriever.top(view, 10) if i != target]
        return SystemTurn(domain.recommend, ranking=(target, *rest[:9]))
