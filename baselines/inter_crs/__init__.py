"""InterCRS: one model call on the whole free-form dialogue decides and replies.

The single-call policy of the iEvaLM line (Wang et al. 2023; dreams Tables 2 and 5), against which
calls and seconds are counted. What makes it that method: one call, and the dialogue as its only
context. Kept: both. Adapted: the call names one of the environment's actions beside its words, and
offers one of the items found for the dialogue, by number, so that nothing is offered that does not
exist; retrieval is the shared ranker on the user's words, in the order of what the user named.

Files: ``policy`` (the flow), ``settings``, and for the embedded backend ``rules``; the prompt is
``language.prompts.single_call``, which the ablation of Dreams without a state shares.
"""

from baselines.inter_crs.policy import InterCRS
from baselines.inter_crs.settings import InterCRSSettings

__all__ = ["InterCRS", "InterCRSSettings"]
