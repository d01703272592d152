"""How many episodes a run holds."""

import pytest

from conf.opening import MOST, episode_count, open_env
from conf.run_errors import RunError
from tests.command_line import composed


@pytest.mark.parametrize("count", [MOST + 1, 2**63, 10**30])
def test_more_episodes_than_can_be_listed_are_refused(count: int, no_data: str) -> None:
    config = composed("planner=random", f"episodes={count}")
    with pytest.raises(RunError, match=rf"episodes must be at most {MOST}, not {count}"):
        episode_count(config, None)
    assert episode_count({**config, "episodes": MOST}, None) == MOST


def test_wrong_arguments_are_told_without_all_the_others(no_data: str) -> None:
    with pytest.raises(RunError) as caught:
        open_env(composed("+env.kwargs.foo=3"))
    told = str(caught.value)
    assert told.startswith("env.id=envs:CRS/Redial-v0: ")
    assert "unexpected keyword argument 'foo'" in told
    assert len(told) < 200
