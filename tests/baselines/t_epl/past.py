"""Experience bases for tests: dialogues that a policy held, as a base keeps them."""

from dataclasses import replace
from typing import Any

from dialogue.experience import Experience, ExperienceBase
from dialogue.policy import Policy
from dialogue.streams import Role, generator
from dialogue.view import DialogueView
from envs.crs import CRSEnv


def experience(view: DialogueView, episode: int, action: int, success: bool) -> Experience:
    """A decision in a view, as a base keeps it."""
    fields: dict[str, Any] = {
        "split": "heldout", "episode": episode, "turn": view.turn + 1,
        "lines": tuple((speaker, text) for speaker, text in view.transcript()),
        "state": view.state.to_json(view.catalog), "facts": {},
        "action": view.catalog.domain.actions[action], "reason": "", "query": None,
        "reward": 0.0, "success": success,
    }  # fmt: skip
    return Experience(**fields)


def base_of(*experiences: Experience) -> ExperienceBase:
    """A base of some decisions."""
    return ExperienceBase({}, tuple(experiences))


def held(env: CRSEnv, policy: Policy, episodes: int) -> ExperienceBase:
    """Dialogues of held-out users with a policy."""
    found: list[Experience] = []
    for episode in range(episodes):
        env.reset(seed=0, options={"episode": episode, "split": "heldout"})
        talk = env.conversation
        decided: list[Experience] = []
        while not (talk.terminated or talk.truncated):
            turn = policy.decide(env.view, generator(0, episode, Role.POLICY, len(decided) + 1))
            action = turn if isinstance(turn, int) else turn.action
            decided.append(experience(env.view, episode, action, False))
            env.play(turn)
        found += [replace(entry, success=talk.accepted) for entry in decided]
    return base_of(*found)
