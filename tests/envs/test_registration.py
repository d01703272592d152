"""The registered ids, their arguments, and what is said about wrong ones."""

import subprocess
import sys
import warnings
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

import envs
from dialogue.view import DialogueView
from envs.crs import CRSEnv
from envs.protocol import ConversationEnv, require_protocol

IDS = ["CRS/Redial-v0", "CRS/OpenDialKGMovie-v0", "CRS/OpenDialKGBook-v0"]


def test_what_is_registered() -> None:
    assert envs.__doc__
    ours = {name for name in gym.registry if name.startswith("CRS/")}
    assert ours == {*IDS, "CRS/Custom-v0"}


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("channel", ["acts", "text"])
def test_gymnasiums_checker_has_nothing_to_say(env_id: str, channel: str, no_data: str) -> None:
    env = gym.make(f"envs:{env_id}", channel=channel, data_dir=no_data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)
    rendered = gym.make(f"envs:{env_id}", channel=channel, render_mode="ansi", data_dir=no_data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(rendered.unwrapped)


@pytest.mark.parametrize("env_id", IDS)
def test_a_whole_episode_through_the_wrappers(env_id: str, no_data: str) -> None:
    env = gym.make(f"envs:{env_id}", data_dir=no_data)
    _, info = env.reset(seed=0)
    domain = env.unwrapped.domain  # type: ignore[attr-defined]
    assert env.action_space.n == len(domain.actions)  # type: ignore[attr-defined]
    ended = False
    while not ended:
        action = env.action_space.sample(mask=info["action_mask"].astype("int8"))
        _, _, terminated, truncated, info = env.step(action)
        ended = terminated or truncated


def test_nothing_is_warned_at_import() -> None:
    command = [sys.executable, "-W", "error", "-c", "import envs"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"channel": "speech"}, "channel must be 'text' or 'acts', not 'speech'"),
        ({"split": "dev"}, "split must be one of test, heldout, train, not 'dev'"),
        ({"order": "sorted"}, "order must be 'random' or 'sequential', not 'sorted'"),
        ({"max_turns": 0}, "max_turns must be a whole number from 1 to 200, not 0"),
        ({"max_turns": 2.5}, "max_turns must be a whole number"),
        ({"max_turns": 201}, "max_turns must be a whole number"),
        ({"render_mode": "video"}, "render_mode must be None, 'ansi' or 'human', not 'video'"),
        ({"retrieval": "fusoin"}, "no retriever 'fusoin'; did you mean 'fusion'"),
        ({"items": "my.csv"}, "the catalogue 'redial' has its own items; use 'custom' for my.csv"),
        ({"domain": "moovie"}, "no domain file .*moovie.yaml; give a YAML file or one of: book"),
        ({"reward": {"acept": 1}}, "no term 'acept'; did you mean 'accept'"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*render_mode.*:UserWarning")
def test_wrong_arguments(wrong: dict[str, Any], message: str, no_data: str) -> None:
    with pytest.raises(ValueError, match=message):
        gym.make("envs:CRS/Redial-v0", data_dir=no_data, **wrong)


def test_an_unknown_argument_is_named(no_data: str) -> None:
    with pytest.raises(TypeError, match="chanel"):
        gym.make("envs:CRS/Redial-v0", data_dir=no_data, chanel="acts")


def test_an_unknown_catalogue_gets_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="no catalogue 'redail'; did you mean 'redial'"):
        CRSEnv("redail")


def test_before_reset(no_data: str) -> None:
    env = CRSEnv("redial", data_dir=no_data)
    for use in (lambda: env.view, lambda: env.step(0), env.render, env.get_state):
        if use == env.render and env.render_mode is None:
            continue
        with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
            use()
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        env.dialogue_record()


def test_two_environments_share_no_dialogue(no_data: str) -> None:
    """Interleaved, they behave as they do alone; what they share is the catalogue."""
    pair = [CRSEnv("redial", split="test", data_dir=no_data) for _ in range(2)]
    script = (0, 1, 4, 4, 2, 4)

    def alone(episode: int) -> Any:
        env = CRSEnv("redial", split="test", data_dir=no_data)
        env.reset(seed=episode, options={"episode": episode})
        for action in script:
            if not (env.conversation.terminated or env.conversation.truncated):
                env.step(action)
        return env.dialogue_record()

    for number, env in enumerate(pair):
        env.reset(seed=number, options={"episode": number})
    for action in script:
        for env in pair:
            if not (env.conversation.terminated or env.conversation.truncated):
                env.step(action)
    assert [env.dialogue_record() for env in pair] == [alone(0), alone(1)]
    assert pair[0].catalog is pair[1].catalog
    assert pair[0].view is not pair[1].view
    assert pair[0].view.state is not pair[1].view.state


def test_the_data_root_is_looked_up_each_time(
    no_data: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A catalogue that appears under another root is not hidden by one already opened."""
    assert CRSEnv("redial").catalog.source == "sample_movie"
    other = tmp_path / "other" / "redial"
    other.mkdir(parents=True)
    (other / "id2info.json").write_text("{}", encoding="utf-8")
    monkeypatch.setenv("CRS_DATA", str(other.parent))
    with pytest.raises(ValueError, match=r"id2info.json"):
        CRSEnv("redial")


def test_the_protocol(no_data: str) -> None:
    env = CRSEnv("redial", data_dir=no_data)
    require_protocol(env, "a planner")
    env.reset(seed=0)
    assert isinstance(env, ConversationEnv)
    assert isinstance(env.view, DialogueView)
    lacking = gym.make("CartPole-v1").unwrapped
    with pytest.raises(TypeError) as caught:
        require_protocol(lacking, "planner=dreams")
    for method in ("view", "play", "action_masks", "dialogue_record"):
        assert f"  {method}: " in str(caught.value)
    assert "planner=dreams" in str(caught.value)
    assert "CartPoleEnv" in str(caught.value)


@pytest.mark.parametrize("retrieval", ["lexical", "dense", "fusion"])
def test_any_retriever_can_be_shared(retrieval: str, no_data: str) -> None:
    """What is offered without a ranking is the shared retriever's best."""
    env = CRSEnv("redial", split="test", retrieval=retrieval, data_dir=no_data)
    env.reset(seed=0, options={"episode": 1})
    for action in (0, 1, 4, 4):
        best = env.view.retriever.top(env.view, 1)[0]
        env.step(action)
        if action == 4:
            assert env.view.exchanges[-1].item == best
        if env.conversation.terminated:
            break
