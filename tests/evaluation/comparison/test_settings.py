"""Which settings make a method, and which must agree."""

from pathlib import Path
from typing import Any

import pytest

from conf.resume import VOLATILE
from evaluation.comparison import compare_runs
from evaluation.comparison.errors import ComparisonError
from evaluation.comparison.settings import (
    check_world,
    differing,
    identity,
    label_of,
    method_settings,
    read_config,
)
from tests.evaluation.comparison.made import config, run_of


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


def test_a_run_without_settings_is_named_by_its_directory(tmp_path: Path):
    """As ``evaluation.runner.evaluate`` leaves it, with a policy of one's own."""
    for seed in (0, 1):
        run_of(tmp_path / f"mine-seed{seed}", "1110", seed=seed)
        (tmp_path / f"mine-seed{seed}" / "config.yaml").unlink()
        run_of(tmp_path / f"b{seed}", "1000", "b", seed=seed)
    found = compare_runs([tmp_path])
    mine = next(method for method in found.methods if method.name == "mine")
    assert mine.seeds == (0, 1)
    assert len(mine.dialogues) == 8
    assert found.world["Environment"] != "None"
    assert sum("has no config.yaml" in note for note in found.notes) == 2
    assert not any("differ" in note for note in found.notes)
    alone = compare_runs([tmp_path / "mine-seed0"])
    assert "unknown" in alone.world["Environment"]


def test_without_settings_and_records_nothing_is_a_run(tmp_path: Path):
    run_of(tmp_path / "a", "1110")
    (tmp_path / "a" / "config.yaml").unlink()
    (tmp_path / "a" / "records.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(ComparisonError, match="no whole number as seed"):
        compare_runs([tmp_path / "a"])
