"""Replies: the system's words for an action that is already decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from catalogs.domain import Domain
from language.llm.call import Message
from language.prompts.facts import chat

VERSION = 1
PROMPT = f"reply/{VERSION}"

_TASK = """\
You are the voice of a recommender of {nouns}. What to do is decided already; you only say it to \
the user, in one or two friendly sentences without lists or markup.

- An inquiry asks one open question about its facet. Where something is ambiguous, ask which of \
the two is meant; where values are known, ask for others.
- FailureReflection says in a few words what the user turned down and why, if that is known, and \
asks what would be better.
- ItemRec offers exactly the item given, by its title exactly as written and its year, and says \
which of the user's wishes it fits.
- ItemExplanation tells the facts given about the item, with its title exactly as written.
- Say nothing about an item that the data do not say, and do not name other {nouns}.
- If an item action has no item, say that there is nothing left to offer."""


class Reply(BaseModel):
    """What the system says."""

    model_config = ConfigDict(extra="forbid")

    reply: str


def messages(domain: Domain, data: Mapping[str, Any]) -> tuple[Message, ...]:
    """The chat of a reply call; ``data`` holds the action, its item, and public facts."""
    return chat(_TASK.format(nouns=domain.nouns), data)


def read_reply(written: Reply, title: str | None) -> str:
    """The reply, unchanged.

    Args:
        written: What the model answered.
        title: Title that it must name, if any.

    Raises:
        ValueError: It is blank, or does not name the title.
    """
    if not written.reply.strip():
        raise ValueError("the reply is empty; say what the action is about")
    if title is not None and _plain(title) not in _plain(written.reply):
        # Not quoted: what mends an answer are instructions, and the title is data.
        raise ValueError("the reply must name the item's title exactly as written in the data")
    return written.reply


def _plain(text: str) -> str:
    """Case and spacing do not matter, nor does how an apostrophe is set."""
    return " ".join(text.casefold().replace("’", "'").split())
