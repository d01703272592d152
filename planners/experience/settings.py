"""Constants of Dreams(EA); ``conf/planner/dreams_ea.yaml`` says where the defaults come from."""

from __future__ import annotations

from dataclasses import dataclass, field

from planners.experience.choice import ChoiceSettings
from planners.experience.outlook import OutlookSettings
from planners.experience.similarity import SimilaritySettings
from planners.exploitation import RefinementSettings
from planners.scorer import ScorerSettings


@dataclass(frozen=True)
class EASettings:
    """Everything about Dreams(EA) that a user may change.

    Attributes:
        pairs: Successful and failed cases that a language model is shown, at least 1.
        choice: Constants of the decision by example.
        similarity: Weights of the features that situations are compared by.
        prior: Constants of the embedded scorer.
        outlook: Constants of the EXNode and of its estimates.
        trace: Whether each decision's cases and scores go into the record.
    """

    pairs: int = 1
    choice: ChoiceSettings = field(default_factory=ChoiceSettings)
    similarity: SimilaritySettings = field(default_factory=SimilaritySettings)
    prior: ScorerSettings = field(default_factory=ScorerSettings)
    outlook: OutlookSettings = field(
        default_factory=lambda: OutlookSettings(RefinementSettings(iterations=1))
    )
    trace: bool = False

    def __post_init__(self) -> None:
        """Check the number of pairs; ValueError if it is out of range."""
        pairs: object = self.pairs
        if not isinstance(pairs, int) or isinstance(pairs, bool) or pairs < 1:
            raise ValueError(f"planner.pairs must be a whole number of at least 1, not {pairs!r}")
