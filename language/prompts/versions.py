"""Name and version of each role's prompt, as records hold them."""

from __future__ import annotations

from language.prompts import (
    imagining,
    judging,
    refining,
    replying,
    scoring,
    single_call,
    tracking,
    user,
)

PROMPTS = {
    "track": tracking.PROMPT,
    "score": scoring.PROMPT,
    "user": user.PROMPT,
    "imagine": imagining.PROMPT,
    "refine": refining.PROMPT,
    "reply": replying.PROMPT,
    "policy": single_call.PROMPT,
    "judge": judging.PROMPT,
}
"""By role; vectors (``embed``) have no prompt."""
