"""SAPIENT-LLM: two-way tree search, ask or recommend, on a state extracted from free-form dialogue.

SAPIENT (Du et al., NAACL 2025) plans conversations by Monte-Carlo tree search: in each turn it
first chooses between asking and recommending, then which attribute or which item. Its states are
attribute values and items, so the Dreams paper adapts it to open dialogue (dreams A.1, Tables 1-3).

What makes it that method
    * The tree has two actions. Which facet an ask is about, and which item a recommendation offers,
      follow from the state: the facet whose values tell the candidates apart best (their entropy,
      from item metadata), the candidate that ranks first (:mod:`baselines.sapient_llm.model`).
    * Simulations play its own conversation model over the candidate set
      (:mod:`baselines.candidate_talk`); what is backed up is success, discounted, less the costs of
      questions and refusals.
Kept
    The hierarchy of decisions, entropy-guided asking, shrinking candidates, the kind of reward.
Adapted, as dreams A.1 does
    * The state is extracted from the dialogue by the tracking step: wanted and unwanted values,
      with the offers made and the candidates retrieved by the whole dialogue's text.
    * The chosen act is worded by the verbalising step.
Adapted beyond it
    * The trained policy network and its self-training are left out (nothing is trained in dreams
      A.1): the tree's prior is even, and a leaf is worth what offering the candidates in turn
      would bring.
    * A question just after a refusal asks what to have instead (FailureReflection); a request for
      details of the offer is answered (ItemExplanation): the recommendation goes on.
"""

from baselines.sapient_llm.policy import SapientLLM
from baselines.sapient_llm.settings import SapientSettings

__all__ = ["SapientLLM", "SapientSettings"]
