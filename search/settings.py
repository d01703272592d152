"""Constants of the search, with where each default comes from."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

Selection = Literal["uct", "puct"]


@dataclass(frozen=True, slots=True)
class UCTSettings:
    """Constants of a search.

    "Paper" is the Dreams paper (dual-node tree search for conversational recommendation), "its
    code" what its authors released.

    Attributes:
        exploration: c of Eq. 1, >= 0. The paper does not state it; its code uses 1. It is in the
            units of the returns: far below their range, one unlucky first simulation can hide an
            action for thousands of others.
        discount: gamma in [0, 1]. The paper does not state it; its code uses 0.95.
        depth: Plies of a simulation counted from the root, tree and rollout together, >= 1. The
            paper's k(El) is 3 (Table 10 varies it).
        w_tree: Weight of the visit share in the final choice (Eq. 3), >= 0. The numbers of
            Table 13 solve to 0.7 and 0.3; the authors' code uses 0.5 and 0.5.
        w_prior: Weight of the prior in the final choice (Eq. 3), >= 0; not both weights are zero.
        prior_visits: Visits that the prior counts for in the final choice, spread by its shares and
            added to the simulations', >= 0; 0 is Eq. 3 as it stands. A few simulations of a noisy
            problem tell less than a fair prior, thousands more.
        selection: "uct" is Eq. 1. "puct" weighs the exploration term by the prior instead:
            R/N + c * prior * sqrt(N(parent)) / (1 + N); it is an alternative of ours. Under
            either, every action with a positive prior is tried once before any is repeated.
        normalize: Whether mean returns are scaled to the range of returns seen so far in this
            search before the exploration term is added, so that `exploration` means the same
            whatever the size of the rewards. Eq. 1 does not.
        wave: Simulations selected before any of them is backed up, >= 1; 1 is sequential.
        virtual_loss: Only with wave > 1: how much worse than its action's mean so far a
            simulation is taken to be until it is backed up, in reward units (with `normalize`,
            as a share of the range), >= 0.
    """

    exploration: float = 1.0
    discount: float = 0.95
    depth: int = 3
    w_tree: float = 0.7
    w_prior: float = 0.3
    prior_visits: float = 0.0
    selection: Selection = "uct"
    normalize: bool = False
    wave: int = 1
    virtual_loss: float = 1.0

    def __post_init__(self) -> None:
        """Checks every field.

        Raises:
            ValueError: If one is out of its range; the message names it and the range.
        """
        for name in ("exploration", "w_tree", "w_prior", "prior_visits", "virtual_loss"):
            value = getattr(self, name)
            if not (_is_number(value) and 0.0 <= value < math.inf):
                raise ValueError(f"UCTSettings.{name} is {value!r}: it must be finite and >= 0.")
        if not (_is_number(self.discount) and 0.0 <= self.discount <= 1.0):
            raise ValueError(f"UCTSettings.discount is {self.discount!r}: it must lie in [0, 1].")
        for name in ("depth", "wave"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(
                    f"UCTSettings.{name} is {value!r}: it must be at least 1, a whole number."
                )
        if self.w_tree + self.w_prior == 0.0:
            raise ValueError(
                "UCTSettings.w_tree and UCTSettings.w_prior are both 0: make one positive."
            )
        if self.selection not in get_args(Selection):
            known = " or ".join(repr(name) for name in get_args(Selection))
            raise ValueError(f"UCTSettings.selection is {self.selection!r}: it must be {known}.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
