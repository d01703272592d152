"""Which settings make another run, and what a continuation takes from ``config.yaml``."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from conf.resume import CONFIG, continued, keep_config
from conf.run_errors import RunError
from tests.command_line import composed

FREE = {
    "llm.max_cost_usd": 2.5,
    "llm.max_calls": 7,
    "llm.parallel": 3,
    "llm.record": "answers.jsonl",
    "llm.cache": "folder",
}


def write(run_dir: Path, *overrides: str) -> dict[str, Any]:
    config = composed(*overrides, f"run_dir='{run_dir}'")
    keep_config(run_dir, config)
    return config


def put(config: dict[str, Any], name: str, value: Any) -> None:
    group, key = name.split(".")
    config[group][key] = value


@pytest.mark.parametrize("name", FREE)
def test_budgets_and_places_may_change(tmp_path: Path, name: str) -> None:
    config = write(tmp_path)
    before = (tmp_path / CONFIG).read_bytes()
    put(config, name, FREE[name])
    keep_config(tmp_path, config)
    assert (tmp_path / CONFIG).read_bytes() == before


@pytest.mark.parametrize(
    ("name", "value"), [("llm.model", "another"), ("llm.user_calls", 3), ("env.max_turns", 5)]
)
def test_what_makes_another_run_may_not(tmp_path: Path, name: str, value: Any) -> None:
    config = write(tmp_path)
    put(config, name, value)
    with pytest.raises(RunError, match=rf"\({name.partition('.')[0]} differ\)"):
        keep_config(tmp_path, config)


def test_a_continuation_takes_what_is_not_stated(tmp_path: Path) -> None:
    write(tmp_path, "planner=random", "llm.max_calls=5", "llm.cache=old", "seed=4")
    stated = ["resume=true", f"run_dir={tmp_path}", "llm.max_calls=50", "episodes=3"]
    merged = continued(
        composed("resume=true", f"run_dir='{tmp_path}'", "llm.max_calls=50", "episodes=3"), stated
    )
    assert (merged["llm"]["max_calls"], merged["llm"]["cache"]) == (50, "old")
    assert (merged["planner"]["name"], merged["seed"], merged["episodes"]) == ("random", 4, 3)
    assert merged["resume"] is True


@pytest.mark.parametrize("override", ["llm=openai", "llm.model=x", "llm.roles.judge.model=x"])
def test_stating_another_model_is_left_to_the_check(tmp_path: Path, override: str) -> None:
    write(tmp_path, "planner=random")
    config = composed("resume=true", f"run_dir='{tmp_path}'", override)
    assert continued(config, ["resume=true", f"run_dir={tmp_path}", override]) is config


def test_the_file_names_a_variable_and_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret-0123456789")
    write(tmp_path, "llm=openai", "llm.api_key_env=MY_KEY")
    text = (tmp_path / CONFIG).read_text(encoding="utf-8")
    assert yaml.safe_load(text)["llm"]["api_key_env"] == "MY_KEY"
    assert "sk-secret" not in text
