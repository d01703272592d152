"""Which settings make a method, and which must agree."""

from pathlib import Path
from typing import Any

import pytest

from conf.resume import VOLATILE
from evaluation.comparison.errors import ComparisonError
from evaluation.comparison.settings import (
    check_world,
    differing,
    identity,
    label_of,
    method_settings,
    read_config,
)
from tests.evaluation.comparison.made import config


def test_the_label_is_the_planners_name_unless_given():
    assert label_of(config()) == "ask_all"
    assert label_of(config("mine")) == "mine"


@pytest.mark.parametrize("key", VOLATILE)
def test_what_may_differ_in_a_continuation_does_not_make_another_method(key: str):
    changes: dict[str, Any] = {key.replace(".", "__"): 7}
    other = config(**changes)
    assert identity(other) == identity(config())


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 5},
        {"run_dir": "elsewhere"},
        {"planner__trace": True},
        {"planner__load": "agent.zip"},
        {"planner__new": None},
        {"llm": {}},
    ],
)
def test_how_it_was_made_does_not_either(changes):
    assert identity(config(**changes)) == identity(config())


@pytest.mark.parametrize(
    "changes",
    [{"planner__n_el": 5}, {"reward__discount": 0.9}, {"label": "b"}, {"llm__backend": "openai"}],
)
def test_what_was_run_does(changes):
    assert identity(config(**changes)) != identity(config())


def test_differences_are_named():
    one, other = config(planner__n_el=5, reward__discount=0.9), config(planner__n_el=20)
    assert differing([one, other]) == ["planner.n_el", "reward.discount"]
    assert method_settings(one)["planner.n_el"] == 5


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"split": "heldout"}, "split"),
        ({"env__name": "opendialkg_book"}, "env.name"),
        ({"env__max_turns": 20}, "env.max_turns"),
        ({"catalog__items": 6583}, "catalog.items"),
        ({"simulator": "human"}, "simulator"),
    ],
)
def test_other_worlds_are_refused(changes, key):
    with pytest.raises(ComparisonError, match=f"a and b cannot be compared: {key} is"):
        check_world([config(), config(**changes)], ["a", "b"])


GOOD = "env: {}\nplanner: {name: a"
ALIASES = "a0: &a0 [x]\n" + "".join(f"a{k}: &a{k} [{f'*a{k - 1}, ' * 9}]\n" for k in range(1, 12))


def test_an_old_run_without_facts_of_its_catalogue_is_taken():
    check_world([config(), config(catalog=None)], ["a", "b"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is missing"),
        ("a: [", "cannot be read"),
        ("[]", "not the configuration"),
        ("env: {}\nplanner: 3", "not the configuration"),
        ("env: {}\nplanner: {}", "does not say planner.name"),
        ("a: " + "[" * 3000, "cannot be read"),
        (f"{GOOD}, n_el: .nan}}", r"planner\.n_el is no setting of a run \(float"),
        (f"{GOOD}, since: 2024-01-01}}", "planner.since is no setting"),
        (f"{GOOD}, n_el: {{0x{'f' * 900}: 1}}}}", "planner.n_el is no setting"),
        (f"{GOOD}, n_el: 0x{'f' * 5000}}}", "planner.n_el is no setting"),
        (f"{GOOD}}}\na: &a {{b: *a}}", "more than 20000 values"),
        (f"{GOOD}}}\n" + ALIASES, "more than 20000 values"),
    ],
)
def test_a_broken_configuration_is_named(tmp_path: Path, text: str | None, message: str):
    if text is not None:
        (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(ComparisonError, match=message) as caught:
        read_config(tmp_path)
    assert "\n" not in str(caught.value)
