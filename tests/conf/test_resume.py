"""Which settings make another run, and what a continuation takes from ``config.yaml``."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from conf.resume import (
    CONFIG,
    VOLATILE,
    check_place,
    continued,
    how_to_continue,
    keep_config,
    what_differs,
)
from conf.run_errors import RunError
from language.llm.call import ROLES
from tests.command_line import composed

FREE = {
    "resume": True,
    "run_dir": "elsewhere",
    "workers": 3,
    "logger": {"kind": "wandb", "texts": 2},
    "episodes": 9,
    "judge": True,
    "experience.dir": "elsewhere",
    "experience.rebuild": True,
    "llm.max_cost_usd": 2.5,
    "llm.max_calls": 7,
    "llm.parallel": 3,
    "llm.record": "answers.jsonl",
    "llm.cache": "folder",
    "llm.max_attempts": 3,
    "llm.backoff_s": 0.1,
    "llm.concurrency": 5,
}
FREE |= {"sweep": {"title": "x"}, "sweep_dir": "elsewhere"}
FREE |= {"runner": "ray", "ray": {"address": "a:1"}}
FREE |= {"experience.dir": "elsewhere", "experience.rebuild": True}
REACHING = {
    "base_url": "http://127.0.0.1:7/v1",
    "api_key_env": "MY_KEY",
    "timeout_s": 9,
    "price_in": 0.5,
    "price_out": 1.5,
}
FREE |= {f"llm.{key}": value for key, value in REACHING.items()}
FREE |= {f"llm.roles.{role}.{key}": value for role in ROLES for key, value in REACHING.items()}


def write(run_dir: Path, *overrides: str) -> dict[str, Any]:
    config = composed(*overrides, f"run_dir='{run_dir}'")
    keep_config(run_dir, config)
    return config


def put(config: dict[str, Any], name: str, value: Any) -> None:
    *groups, key = name.split(".")
    for group in groups:
        config = config[group]
    assert config[key] != value
    config[key] = value


def test_budgets_and_places_may_change(tmp_path: Path) -> None:
    config = write(tmp_path)
    before = (tmp_path / CONFIG).read_bytes()
    assert set(FREE) == set(VOLATILE)
    for name, value in FREE.items():
        put(config, name, value)
        keep_config(tmp_path, config)
        assert (tmp_path / CONFIG).read_bytes() == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("llm.model", "another"),
        ("llm.user_calls", 3),
        ("llm.replay", "answers.jsonl"),
        ("llm.roles.user.model", "another"),
        ("llm.roles.user.backend", "openai"),
        ("env.max_turns", 5),
        ("seed", 4),
    ],
)
def test_what_makes_another_run_may_not(tmp_path: Path, name: str, value: Any) -> None:
    config = write(tmp_path)
    put(config, name, value)
    with pytest.raises(RunError, match=rf"\({name} differ\)"):
        keep_config(tmp_path, config)


def test_a_refusal_names_some_of_what_differs(tmp_path: Path) -> None:
    write(tmp_path, "planner=dreams")
    changed = composed("planner=random", f"run_dir='{tmp_path}'", "llm.model=another")
    with pytest.raises(RunError, match=r"\(planner\.name, planner\.\w+, .*, … differ\)") as refused:
        keep_config(tmp_path, changed)
    assert str(refused.value).count("planner.") == 5


def test_the_address_may_be_stated_with_the_directory(tmp_path: Path) -> None:
    write(tmp_path, "planner=random", "llm=openai", "seed=4")
    stated = ["resume=true", f"run_dir={tmp_path}", "llm.roles.user.base_url=http://localhost:7/v1"]
    given = (*stated[::2], f"run_dir='{tmp_path}'")
    merged = continued(composed(*given), stated)
    assert merged["llm"]["roles"]["user"]["base_url"] == "http://localhost:7/v1"
    assert (merged["llm"]["backend"], merged["seed"]) == ("openai", 4)
    keep_config(tmp_path, merged)


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


def test_nothing_is_continued_where_no_run_is(tmp_path: Path) -> None:
    for folder, told in ((tmp_path, "holds no run"), (tmp_path / "typo", "does not exist")):
        stated = ["resume=true", f"run_dir={folder}"]
        config = composed("resume=true", f"run_dir='{folder}'")
        with pytest.raises(RunError, match=rf"{told}.*state its settings without resume=true"):
            continued(config, stated)
        whole = [*stated, "planner=random"]
        assert continued(config, whole) is config


def test_a_run_is_not_put_among_other_files(tmp_path: Path) -> None:
    check_place(tmp_path / "new")
    check_place(tmp_path)
    (tmp_path / f"{CONFIG}.part").touch()
    check_place(tmp_path)
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(RunError, match="holds no run"):
        check_place(tmp_path)
    (tmp_path / "records.jsonl").touch()
    check_place(tmp_path)


def test_what_an_earlier_version_did_not_write_is_as_by_default(tmp_path: Path) -> None:
    config = write(tmp_path, "planner=random", "data.strict=false")
    del config["data"]["dir"], config["ray"], config["llm"]["cache"]
    (tmp_path / CONFIG).write_text(yaml.safe_dump(config))
    stated = ["resume=true", f"run_dir={tmp_path}"]
    merged = continued(composed("resume=true", f"run_dir='{tmp_path}'"), stated)
    assert merged["data"] == {"dir": None, "strict": False}
    assert merged["ray"] == {"address": None}
    assert merged["llm"]["cache"] is None
    keep_config(tmp_path, merged)


def test_differences_are_known_before_the_items_are(tmp_path: Path) -> None:
    config = composed("planner=random")
    assert what_differs(tmp_path, config) is None
    keep_config(tmp_path, {**config, "catalog": {"items": 3}, "experience_hash": "x"})
    assert what_differs(tmp_path, {**config, "workers": 3}) is None
    assert what_differs(tmp_path, {**config, "seed": 3}) == "seed"


def test_how_to_continue_promises_what_works(tmp_path: Path) -> None:
    assert "start it again" in how_to_continue({"run_dir": None})
    assert "start it again" in how_to_continue({"run_dir": str(tmp_path)})
    write(tmp_path)
    assert how_to_continue({"run_dir": str(tmp_path)}) == (
        f"resume=true run_dir={tmp_path} continues the run"
    )
