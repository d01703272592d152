"""Wear read off public exchanges equals the patience that the dialogue really cost."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dialogue.acts import Kind
from dialogue.view import Exchange
from envs.world import World
from simulators.wear import levels, wear
from tests.small_world import env_of
from tests.strategies import turns, worlds


@given(data=st.data(), place=worlds())
@settings(max_examples=80)
def test_wear_follows_the_user(data: st.DataObject, place: World) -> None:
    env = env_of(place, max_turns=8)
    env.reset(seed=data.draw(st.integers(0, 99)), options={"episode": data.draw(st.integers(0, 9))})
    user, n_facets = env.conversation.user, env.domain.n_facets
    assert wear(env.view.exchanges, n_facets, user.behaviour.fatigue) == [0.0]
    course, shown = [0.0], [0]
    for turn in data.draw(turns(env.catalog)):
        *_, terminated, truncated, _ = env.play(turn)
        useless = any(act.kind == Kind.OTHER for act in env.view.exchanges[-1].acts)
        if useless and env.view.last_action == env.domain.reflect:
            return  # the one cost that the public exchanges do not tell apart
        course.append(user.behaviour.patience - user.patience)
        shown.append(user.level)
        assert wear(env.view.exchanges, n_facets, user.behaviour.fatigue) == course
        assert levels(env.view.exchanges) == shown
        if terminated or truncated:
            break


def test_another_fatigue_means_another_wear() -> None:
    asked = [Exchange(t, 0 if t else -1, -1, (), "", "", ()) for t in range(5)]
    assert wear(asked, 3, 4)[-1] == 0
    assert wear(asked, 3, 1)[-1] == 3
    assert wear(asked, 3, 0) == [0, 1, 2, 3, 4]
