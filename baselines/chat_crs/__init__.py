"""ChatCRS: goals and knowledge guide a free-form reply (Li et al. 2025).

dreams Tables 2 and 5 compare with it. What makes it that method:

- a goal planning agent predicts from the dialogue what the next turn is for;
- a knowledge retrieval agent picks relations of the entities mentioned in the dialogue, and their
  triples are taken from a knowledge graph;
- a conversation agent makes the reply, and the item where the goal is an offer, from the dialogue,
  the goal and the triples.

Kept: the three agents as calls of their own, entities linked by name, the dialogue as the only
memory. Adapted: nothing is trained, so the goal agent is prompted (the original tunes an adapter on
annotated goals); the goals are the environment's actions; the knowledge graph is the catalogue (an
edge for each value of an item); and since a whole catalogue hangs on a genre, the agent says what
each relation is for, and the triples shown are those of the items that most of the sought ones lead
to, which are also the candidates.
"""

from baselines.chat_crs.policy import STEPS, ChatCRS
from baselines.chat_crs.settings import ChatCRSSettings

__all__ = ["STEPS", "ChatCRS", "ChatCRSSettings"]
