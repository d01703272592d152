"""RA-CRS: a semi-structured JSON state, acts by priority, item texts (Kemper et al. 2024).

What makes it that method: after each utterance a JSON state of hard and soft constraints and of
the current, accepted and rejected items is made by prompts, each part by one of its own; the next
act is the one of highest fixed priority among those that apply; items are retrieved by their texts
with a query made from the constraints, the scores of an item's passages being fused late; and what
is said about an item comes from the passages that were retrieved.

Kept: the parts of the state, constraints as plain words, priorities, late fusion, explanation and
answers from retrieved text. Adapted: the state is made from the whole dialogue rather than updated
(dreams Table 5: turn-independent), a part is the facet's name so that questions can be the
environment's inquiries, items have titles, facets and plots instead of reviews, the shared ranker
finds the pool in which passages are scored, and what the user has seen is apart from what was
rejected.

Files: ``policy`` (the flow), ``steps`` (prompts), ``state``, ``acts`` (priorities), ``retrieval``
and ``passages`` (late fusion), ``shapes``, ``settings``; ``rules`` for the embedded backend.
"""

from baselines.ra_crs.policy import RACRS
from baselines.ra_crs.settings import RACRSSettings

__all__ = ["RACRS", "RACRSSettings"]
