"""The constants of PC-CRS: of its rules and its checking of facts."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.asking import AskingSettings
from dialogue.constants import check_constants


@dataclass(frozen=True, slots=True)
class PCCRSSettings(AskingSettings):
    """Constants of accounts and rules; those of retrieval and questions included.

    Attributes:
        refinements: Largest number of times that an account is checked and rewritten, 0..10.
        opening: Questions before the first offer, at least 0.
        between: Questions in a row between two offers, at least 0.
        enough: Number of wanted values after which offers are made without asking, at least 1.
        late: Number of last turns in which nothing is asked, at least 0.
        reflect: Whether a refusal with a reason is followed by asking what to have instead.
        trace: Whether each turn records how it was made.
    """

    refinements: int = 2
    opening: int = 2
    between: int = 1
    clarify_first: bool = True
    more_people: bool = True
    enough: int = 6
    late: int = 1
    reflect: bool = True
    trace: bool = False

    def __post_init__(self) -> None:
        """Check ranges.

        Raises:
            ValueError: A constant is out of range; the message names its key.
        """
        AskingSettings.__post_init__(self)
        least = dict.fromkeys(("opening", "between", "late"), (0, 1000))
        check_constants(self, {"refinements": (0, 10), "enough": (1, 1000), **least})
