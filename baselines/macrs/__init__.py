"""MACRS: several agents propose, a planner chooses, feedback is reflected on (Fang et al. 2024).

dreams Tables 2 and 5 compare with it. What makes it that method:

- responder agents, each in charge of one act (ask, recommend, chat), propose what to say from the
  whole free-form dialogue;
- a planner agent chooses a proposal, with the history of the system's acts;
- feedback is reflected on at two levels: information (a profile of what is wanted and unwanted,
  which goes to the agents and makes the query) and strategy (why an offer failed, and what each
  agent and the planner should do about it).

Kept: agents, planner and both reflections as calls of their own; text is the only memory. Adapted:
the environment has no act for chit-chat, so the chat agent talks about the item offered last
(ItemExplanation), and proposes nothing before there is one; the asking agent may answer a rejection
with FailureReflection; the profile is made in every turn and not only when it would change.
"""

from baselines.macrs.policy import MACRS, STEPS
from baselines.macrs.settings import MACRSSettings

__all__ = ["MACRS", "STEPS", "MACRSSettings"]
