"""Settings that no part of a run could read are found before any does."""

from typing import Any

import pytest

from conf.groups import check_groups, check_settings, with_names
from conf.overrides import options
from conf.run_errors import RunError
from tests.command_line import composed

WRONG = [
    ("data=null", "data must be a group of settings, not None; data.KEY=VALUE changes one"),
    ("experience=null", "experience must be a group of settings"),
    ("ray=null", "ray must be a group of settings"),
    ("retrieval=5", "retrieval must be a group of settings, not 5"),
    ("reward.terms=null", "reward.terms must be a group of settings"),
    ("reward.discount=much", "reward.discount must be a number from 0 to 1, not 'much'"),
    ("planner.name=dreems", "planner.name is 'dreems', which is no planner; did you mean 'dreams'"),
    ("planner.name=[a]", "planner.name is ['a'], which is no planner"),
    ("planner.name=t_epl", "which t_epl needs; choose planner=t_epl"),
    ("planner.scorer=null", "planner.scorer must be a group of constants, not None"),
    ("logger.kind=foo", "logger.kind must be one of tensorboard, wandb, both, none, not 'foo'"),
    ("retrieval.encoder=[a]", "retrieval.encoder must be embedded, openai or minilm"),
    ("run_dir=[a]", "run_dir must be the name of a directory, not ['a']"),
    ("run_dir=true", "run_dir must be the name of a directory, not True"),
    ("run_dir=''", "run_dir must be the name of a directory, not ''"),
    ("experience.dir=[a]", "experience.dir must be a folder or null"),
    ("data.dir={a: 1}", "data.dir must be the name of a directory"),
    ("label=[a]", "label must be a text that names the method"),
    ("resume=no", "resume must be true or false, not 'no'"),
]


@pytest.mark.parametrize(("override", "message"), WRONG)
def test_what_cannot_be_read_names_its_key(override: str, message: str) -> None:
    with pytest.raises(RunError) as caught:
        check_settings(composed(override))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("planner", options("planner"))
def test_every_planner_has_what_it_needs(planner: str) -> None:
    config = composed(f"planner={planner}")
    check_settings(config)
    for key in [key for key in config["planner"] if key != "name"][-1:]:
        del config["planner"][key]
        with pytest.raises(RunError, match=rf"planner\.{key} is missing"):
            check_groups(config)


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("run_dir=2024", "2024"),
        ("run_dir=2024_01", "2024_01"),
        ("run_dir=1.50", "1.50"),
        ("label=7", "7"),
        ("experience.dir=5", "5"),
        ("data.dir=5", "5"),
    ],
)
def test_a_number_is_a_name(word: str, text: str) -> None:
    config = composed(word)
    found: Any = with_names(config, [word])
    group, _, key = word.partition("=")[0].rpartition(".")
    assert (found[group] if group else found)[key] == text
    assert config == composed(word), "the settings that were given stay"
    check_settings(found)


def test_without_the_words_a_number_is_written_as_it_is() -> None:
    config: Any = {"run_dir": 5, "label": "a", "data": None}
    assert with_names(config) == {"run_dir": "5", "label": "a", "data": None}
