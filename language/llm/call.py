"""A typed call of a role: what is asked, of what shape the answer must be, and what it means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypedDict, TypeVar

from pydantic import BaseModel

T = TypeVar("T")

ROLES = ("track", "score", "user", "imagine", "refine", "reply", "policy", "judge", "embed")
"""The roles that a language model can play.

========  ========================================================================
track     what the user's text means (state tracking)
score     which action fits now (priors)
user      the simulated user: feeling, insight, reply
imagine   a ply of a rollout: the imagined user's reply, its meaning, the next prior
refine    the EXNode's summary and query refinements
reply     the system's words for an action
policy    a policy that decides and replies in one call
judge     CGE2, FGE2 and PE2 from a transcript
embed     vectors for dense retrieval
========  ========================================================================
"""


class Message(TypedDict):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One typed call.

    Attributes:
        role: One of :data:`ROLES`.
        prompt: Name and version of the prompt, ``track/1``; both go into the record.
        messages: The chat. Constant text comes first, so that endpoints can cache it.
        result: Pydantic model that the answer must validate against.
        read: Turns a validated answer into what the caller needs. It raises ValueError, with a
            sentence that tells the model what to mend, where the answer breaks a rule that a schema
            cannot state (a facet that the domain lacks).
        inputs: What the embedded implementation of the role needs, JSON-compatible. Called only for
            ``llm=server`` and sent to it in a field of its own, never in ``messages``.
        turn: System turn that the call is for, for the account of fallbacks; 0 is the opening.
        sample: Index among calls with equal messages whose answers are to be independent samples.
        max_tokens: Longest answer in tokens.
    """

    role: str
    prompt: str
    messages: tuple[Message, ...]
    result: type[BaseModel]
    read: Callable[[Any], T]
    inputs: Callable[[], dict[str, Any]]
    turn: int = 0
    sample: int = 0
    max_tokens: int = 400
