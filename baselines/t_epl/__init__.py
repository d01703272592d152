"""T-EPL: tree search over dialogue acts whose values come from the memory of past dialogues.

T-EPL (Dao et al., Findings of EMNLP 2024) leads dialogues to a given target item: Monte-Carlo tree
search over acts, where a simulated state is worth what similar states of past dialogues led to.
Here no target is given, so the Dreams paper adapts it (dreams A.1, Tables 1-3).

What makes it that method
    * The tree is over abstract dialogue acts: ask about a facet, clarify, recommend, justify
      (:mod:`baselines.t_epl.model`).
    * A leaf's value is retrieved: the states of the memory nearest to it, by how the dialogue went,
      what is known and how sure the candidates are, vote with their outcomes
      (:mod:`baselines.t_epl.memory`).
Kept
    Search over acts, the memory of dialogues with its own encoder and nearest-neighbour retrieval,
    values that are the outcomes of what was retrieved, discounted by the turns that they took.
Adapted, as dreams A.1 does
    * In place of values given a target: for each of the leading candidates, the past states in
      which the leading candidate stood as this one does now vote on what it would be worth if it
      were what is wanted; the votes are weighted by the candidates' present probabilities, which
      come from the ranking of the whole dialogue's text.
    * What a simulated user says is drawn from the candidates (:mod:`baselines.candidate_talk`).
    * The chosen act is worded by the verbalising step.
Adapted beyond it
    * The memory is that of Dreams(EA), from the same 50 held-out users (dreams B.1); of each entry
      only the words before a decision, the acts and the outcome are read. It is encoded without a
      language model.
"""

from baselines.t_epl.policy import TEPL
from baselines.t_epl.settings import TEPLSettings

__all__ = ["TEPL", "TEPLSettings"]
