"""Views made again from their finished turns."""

from dialogue.history import relive
from dialogue.snapshot import view_state
from envs.crs import CRSEnv


def test_a_relived_view_was_there_before(no_data: str) -> None:
    env = CRSEnv("redial", split="test", data_dir=no_data)
    for episode in range(5):
        env.reset(seed=1, options={"episode": episode})
        seen = [view_state(env.view)]
        for action in (0, 4, 5, 1, 3, 4, 2, 4):  # reflections only where legal
            if env.conversation.terminated:
                break
            env.play(action if env.view.mask()[action] else 2)
            seen.append(view_state(env.view) | {"ended": False})
        before = view_state(env.view)
        relived = [view_state(earlier) | {"ended": False} for earlier in relive(env.view)]
        assert relived == seen
        assert view_state(env.view) == before
