"""What two methods share: dialogues, of the same seed, user, goal and targets, and prefixes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluation.comparison.errors import ComparisonError
from evaluation.comparison.method import Decision, Method
from evaluation.comparison.run import Episode, who_differs

Positions = npt.NDArray[np.intp]


class Shared(NamedTuple):
    """Positions of the shared dialogues among those of each method, in the same order.

    Attributes:
        ours: Of the first.
        theirs: Of the second.
        left_out: Number of dialogues of either that the other lacks, or that failed there.
        episodes: Split and episode of each, which several seeds share.
        goals: Split and number of each one's goal; None where it is unknown.
    """

    ours: Positions
    theirs: Positions
    left_out: int
    episodes: tuple[Episode, ...]
    goals: tuple[tuple[str, int] | None, ...]

    def __len__(self) -> int:
        """Number of shared dialogues."""
        return len(self.ours)


def shared(first: Method, second: Method) -> Shared:
    """Find the shared dialogues, by seed, split and episode.

    Raises:
        ComparisonError: A dialogue that both hold is about another user or other targets: the runs
            were made on another catalogue, with other personas, or by another version.
    """
    theirs = {dialogue.place: k for k, dialogue in enumerate(second.dialogues)}
    pairs, episodes = [], []
    goals: list[tuple[str, int] | None] = []
    for k, dialogue in enumerate(first.dialogues):
        other = theirs.get(dialogue.place)
        if other is None:
            continue
        different = who_differs(dialogue, second.dialogues[other])
        if different:
            seed, split, episode = dialogue.place
            raise ComparisonError(
                f"{first.name} and {second.name} do not hold the same dialogues: episode {episode} "
                f"of {split}, seed {seed}, has another {' and '.join(different)}; run both again "
                f"on one catalogue with one version"
            )
        pairs.append((k, other))
        episodes.append(dialogue.episode)
        goals.append(None if dialogue.goal is None else (dialogue.place[1], dialogue.goal))
    array = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    left_out = len(first.dialogues) + len(second.dialogues) - 2 * len(pairs)
    return Shared(array[:, 0], array[:, 1], left_out, tuple(episodes), tuple(goals))


def shared_decisions(first: Method, second: Method) -> list[Decision]:
    """Prefixes at which both methods decided, with the first seed that both have.

    Further seeds are left aside: most policies decide alike with each, and one decision would count
    several times.
    """
    both = [place for place in first.decisions if place in second.decisions]
    seed = min((seed for seed, _ in both), default=0)
    return [place for place in both if place[0] == seed]
