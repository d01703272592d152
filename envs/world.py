"""A world: everything that the dialogues of one catalogue share, built once per process."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from catalogs.catalog import Catalog
from catalogs.goal import Goal, targets
from catalogs.goals import GoalSplits
from language.responder import EmbeddedResponder
from language.tracker import EmbeddedTracker
from language.voice import UserVoice
from retrieval.build import Retriever
from retrieval.once import Once
from retrieval.structured import StructuredRetriever
from simulators.personas import Persona
from simulators.seen import SeenItems
from simulators.user import vague_partners


@dataclass
class TextTools:
    """Tracker, voice and responder of a catalogue; built when a dialogue first needs text."""

    catalog: Catalog
    voice: UserVoice = field(init=False)
    tracker: EmbeddedTracker = field(init=False)
    responder: EmbeddedResponder = field(init=False)

    def __post_init__(self) -> None:
        """Build the three."""
        self.voice = UserVoice(self.catalog)
        self.tracker = EmbeddedTracker(self.catalog)
        self.responder = EmbeddedResponder(self.catalog)


@dataclass
class World:
    """Catalogue, goals, personas and tools; safe between threads, each with its own dialogue.

    Attributes:
        catalog: The items.
        splits: Goals by split.
        personas: Users in the order that episodes use them.
        structured: The structured retriever (observations and rollouts use it whatever is shared).
        retriever: The retriever that environment and policies share.
    """

    catalog: Catalog
    splits: GoalSplits
    personas: tuple[Persona, ...]
    structured: StructuredRetriever
    retriever: Retriever
    seen: SeenItems = field(init=False)
    vague: tuple[dict[int, tuple[int, ...]], ...] = field(init=False)
    _targets: dict[Goal, int] = field(init=False, default_factory=dict)
    _text: Once[TextTools] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Prepare what every dialogue needs."""
        self.seen = SeenItems(self.catalog)
        self.vague = vague_partners(self.catalog)
        self._text = Once(partial(TextTools, self.catalog))

    @property
    def text(self) -> TextTools:
        """Tracker, voice and responder."""
        return self._text.get()

    def targets(self, goal: Goal) -> int:
        """Bit set of the items that meet a goal, seen or not."""
        found = self._targets.get(goal)
        if found is None:  # threads that meet here find the same, and nothing is ever removed
            found = self._targets[goal] = targets(self.catalog, goal)
        return found

    def episode(self, split: str, number: int) -> tuple[int, Goal, Persona]:
        """Goal index, goal and persona of an episode of a split.

        Episode k has goal k mod G and persona (k mod G + k div G) mod P.

        Raises:
            ValueError: The split has no goal in this catalogue.
        """
        goals = self.splits.of(split)
        if not goals:
            raise ValueError(
                f"{self.catalog.source}: the split {split!r} has no goal; "
                f"use another split or more items"
            )
        index, lap = number % len(goals), number // len(goals)
        return index, goals[index], self.personas[(index + lap) % len(self.personas)]
