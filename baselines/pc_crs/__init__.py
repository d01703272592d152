"""PC-CRS: credible persuasion from the free-form dialogue (Qin et al. 2024; dreams Table 2).

What makes it that method: an offer comes with an account that is meant to convince. A strategy of
persuasion is chosen for the dialogue at hand, the account is written under it, its claims are
checked against the catalogue, and what is false is rewritten, a bounded number of times.

Kept: the six families of strategies, strategy-guided explanation, check and refinement after the
fact, the free-form dialogue as the only context. Adapted: whether to ask, offer or explain is
decided in a call of its own on the whole dialogue, as in the InterCRS line; accounts are of offers
and of explanations that the user asks for; retrieval is the shared ranker on the user's words, in
the order of what the user named.

Files: ``policy`` (the flow), ``steps`` (prompts), ``strategies``, ``shapes``, ``settings``, and
for the embedded backend ``rules`` and ``claims`` (the mechanical fact check).
"""

from baselines.pc_crs.policy import PCCRS
from baselines.pc_crs.settings import PCCRSSettings

__all__ = ["PCCRS", "PCCRSSettings"]
