"""Dreams(EA): experience in place of search (dreams §5.6, B.1).

Dreams talks with held-out users once, and every decision is kept with its structured state, reason,
refined query and what came of it (``dialogue.experience`` is the format). At inference the state
finds the most similar successful and failed case, and the decision is made with them, without tree
search.

Kept from the paper: the tuple, retrieval by structured state, the contrastive pair, the single
call that is told to follow the one and to avoid the other. Adapted: similarity is a weighted
distance over named features instead of an embedding of the state's text (no model is needed, and
what was named does not matter); on the embedded backend rules weigh what the nearest few cases on
each side did against the prior. ``python -m planners.experience show FILE`` shows a base.
"""

from planners.experience.policy import DreamsEA
from planners.experience.settings import EASettings

__all__ = ["DreamsEA", "EASettings"]
