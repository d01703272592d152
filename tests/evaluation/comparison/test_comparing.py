"""From run directories to methods, notes and tests."""

import re
from pathlib import Path
from typing import Any

import pytest

from evaluation.comparison.cells import families
from evaluation.comparison.comparing import compare_runs
from evaluation.comparison.errors import ComparisonError
from evaluation.records import RecordError
from tests.evaluation.comparison.made import config, dialogue, run_of, write_run
from tests.evaluation.fakes import turn


def test_seeds_are_pooled_and_settings_told_apart(tmp_path: Path):
    run_of(tmp_path / "a", "1100", seed=0)
    run_of(tmp_path / "b", "1110", seed=1, planner__trace=True)
    run_of(tmp_path / "c", "0000", planner__n_el=5)
    run_of(tmp_path / "d", "0001", "own name")
    found = compare_runs([tmp_path])
    assert [(m.name, len(m.dialogues), m.seeds) for m in found.methods] == [
        ("ask_all (n_el=None)", 8, (0, 1)),
        ("own name", 4, (0,)),
        ("ask_all (n_el=5)", 4, (0,)),
    ]
    assert found.methods[0].cell("success_rate").value == 5 / 8
    assert found.world["Items"] == "3 of by hand"


def test_methods_of_one_label_have_names_of_their_own(tmp_path: Path):
    for k in range(3):
        settings = {f"planner__{name}": k for name in "abcde"} | {"planner__e": 0}
        run_of(tmp_path / str(k), "11", None, k, retrieval__x=k, **settings)
    names = [method.name for method in compare_runs([tmp_path]).methods]
    assert names == [f"ask_all (a={k}, b={k}, c={k}, and 2 more)" for k in range(3)]


def test_names_that_would_be_equal_are_numbered(tmp_path: Path):
    for k, label in enumerate(("x", "x", "x (n_el=1)")):
        run_of(tmp_path / str(k), "11", label, k, planner__n_el=k)
    names = [method.name for method in compare_runs([tmp_path]).methods]
    assert len(set(names)) == 3
    assert {"x (n_el=1) #1", "x (n_el=1) #2"} <= set(names)


def test_the_reference_is_the_best_that_is_not_told_the_goal(tmp_path: Path):
    run_of(tmp_path / "o", "1111", planner__name="oracle")
    run_of(tmp_path / "a", "1110", "a")
    run_of(tmp_path / "b", "1000", "b")
    found = compare_runs([tmp_path])
    assert found.reference == "a"
    assert {(test.first, test.second) for test in found.tests} == {("oracle", "a"), ("b", "a")}
    assert len(found.pairs) == 3 * 7  # measures
    assert {test.second for test in compare_runs([tmp_path], against="b").tests} == {"b"}
    with pytest.raises(ComparisonError, match=r"no method 'c'.*oracle, a, b"):
        compare_runs([tmp_path], against="c")


def test_a_reference_that_was_chosen_afterwards_is_paid_for(tmp_path: Path):
    """The best of the sample is corrected over all pairs, one that was named over its own tests."""
    for name, hits in (("a", "11111111"), ("b", "11111000"), ("c", "00000001")):
        run_of(tmp_path / name, hits, name)
    chosen, named = compare_runs([tmp_path]), compare_runs([tmp_path], against="a")
    assert (chosen.reference, chosen.named) == ("a", False)
    assert (named.reference, named.named) == ("a", True)
    over_all = {
        (test.key, {test.first, test.second} == {"a", "c"}): test.p_holm
        for test in chosen.pairs
        if "a" in (test.first, test.second)
    }
    for test, own in zip(chosen.tests, named.tests, strict=True):
        assert (test.key, test.first, test.p_value) == (own.key, own.first, own.p_value)
        assert test.p_holm == over_all[test.key, test.first == "c"]
        assert test.p_holm >= own.p_holm
    success = [t for t in chosen.tests if t.key == "success_rate" and t.first == "c"]
    (test,) = success
    assert test.p_holm == pytest.approx(3 * test.p_value)
    assert "1 test of all pairs" not in families(chosen)
    assert "its 3 tests of all pairs of methods" in families(chosen)
    assert "its 2 tests against the reference, which was named" in families(named)


def test_success_is_tested_on_the_same_dialogues(tmp_path: Path):
    run_of(tmp_path / "a", "1111100000", "a")
    run_of(tmp_path / "b", "1100000001", "b")
    found = compare_runs([tmp_path])
    (test,) = [test for test in found.tests if test.key == "success_rate"]
    assert (test.first, test.dialogues, test.wins, test.losses) == ("b", 10, 1, 3)
    assert test.difference == pytest.approx(-0.2)
    assert test.interval[0] < -0.2 < test.interval[1]
    assert test.p_value == pytest.approx(0.625)
    assert test.effect == pytest.approx(1 / 3)


def test_seeds_of_an_episode_are_drawn_together(tmp_path: Path):
    for name, hits in (("a", "1111100000"), ("b", "1100000001")):
        run_of(tmp_path / name, hits, name)
        for seed in (1, 2):  # what the seed changes happens to make no difference
            run_of(tmp_path / "more" / f"{name}{seed}", hits, name, seed=seed)
    one = compare_runs([tmp_path / "a", tmp_path / "b"])
    three = compare_runs([tmp_path])
    for key in ("success_rate", "cge2"):
        for cell, again in zip(
            *([m.cell(key) for m in c.methods] for c in (one, three)), strict=True
        ):
            assert again.interval == pytest.approx(cell.interval)
    assert three.tests[0].dialogues == 30
    assert three.tests[0].interval == pytest.approx(one.tests[0].interval)


def test_differences_that_only_rounding_makes_are_none(tmp_path: Path):
    for name, total in (("a", 0.3), ("b", 0.1 + 0.2)):
        records = [dialogue(True, k) | {"return": total} for k in range(4)]
        write_run(tmp_path / name, config(name), records)
    (test,) = [test for test in compare_runs([tmp_path]).tests if test.key == "return"]
    assert (test.wins, test.losses, test.p_value, test.effect) == (0, 0, 1.0, None)


def test_what_is_not_shared_is_left_out_and_said(tmp_path: Path):
    run_of(tmp_path / "a0", "11", "a", seed=0)
    run_of(tmp_path / "a1", "11", "a", seed=1)
    run_of(tmp_path / "b", "00", "b", seed=1)
    run_of(tmp_path / "c", "00", "c", seed=2)
    found = compare_runs([tmp_path])
    (test,) = [test for test in found.tests if test.key == "success_rate"]
    assert (test.first, test.dialogues) == ("b", 2)
    notes = " ".join(found.notes)
    assert "c shares no dialogue with a (seeds 2 and 0, 1): no tests." in notes
    assert "Shared with a (4 dialogues): b 2 of its 2." in notes


@pytest.mark.parametrize("changes", [{"persona": "x"}, {"goal": {}}, {"targets": ["t", "u"]}])
def test_other_users_or_targets_are_refused(tmp_path: Path, changes: dict[str, Any]):
    run_of(tmp_path / "a", "11", "a")
    records = [dialogue(True, 0), dialogue(True, 1, **changes)]
    write_run(tmp_path / "b", config("b"), records)
    (field,) = changes
    with pytest.raises(ComparisonError, match=f"episode 1 of test, seed 0, has another {field}"):
        compare_runs([tmp_path])


def test_one_method_twice_with_one_seed_is_refused(tmp_path: Path):
    run_of(tmp_path / "a", "11")
    run_of(tmp_path / "b", "10")
    with pytest.raises(ComparisonError, match="a and b are both ask_all with seed 0"):
        compare_runs([tmp_path])


def test_unfinished_torn_and_failed_runs_are_said(tmp_path: Path):
    write_run(tmp_path / "a", config("a"), [dialogue(True, 0)], finished=False)
    torn = run_of(tmp_path / "b", "11", "b")
    with (torn / "records.jsonl").open("ab") as file:
        file.write(b'{"schema":1,"epi')
    lost = dialogue(False, 1, outcome="failed", failure={"reason": "rejected", "message": "no"})
    write_run(tmp_path / "c", config("c"), [dialogue(True, 0), lost])
    write_run(tmp_path / "d", config("d"), [], finished=False)
    found = compare_runs([tmp_path])
    assert list(found.notes[:4]) == [
        "a is unfinished: 1 dialogues so far (resume=true continues it).",
        "b: a torn last line of records.jsonl is left out.",
        "c: 1 of 2 dialogues failed and count nowhere.",
        "d holds no finished dialogue yet and is left out.",
    ]
    assert {m.name: (len(m.dialogues), m.failed) for m in found.methods} == {
        "a": (1, 0), "b": (2, 0), "c": (1, 1),
    }  # fmt: skip


def test_broken_files_are_named(tmp_path: Path):
    run = run_of(tmp_path / "a", "11")
    whole = (run / "records.jsonl").read_bytes()
    (run / "records.jsonl").write_bytes(b"{}\n" + whole)
    with pytest.raises(RecordError, match="line 1"):
        compare_runs([tmp_path])
    (run / "records.jsonl").write_bytes(whole.replace(b'"ranking"', b'"rank"'))
    with pytest.raises(RecordError, match=r"no complete dialogue \(KeyError: 'ranking'\)"):
        compare_runs([tmp_path])
    for number in (b"1e999", b"1" + b"0" * 400):  # what JSON allows and no float holds
        for key in (b'"return":', b'"rewards":{"accept":'):
            (run / "records.jsonl").write_bytes(re.sub(key + rb"[^,}]*", key + number, whole))
            with pytest.raises(RecordError, match="no complete dialogue"):
                compare_runs([tmp_path])
    (run / "records.jsonl").write_bytes(whole)
    (run / "summary.json").write_text("{")
    with pytest.raises(ComparisonError, match="is no JSON"):
        compare_runs([tmp_path])


def test_nothing_finished_is_an_error(tmp_path: Path):
    write_run(tmp_path / "a", config(), [], finished=False)
    with pytest.raises(ComparisonError, match="no finished dialogue in a"):
        compare_runs([tmp_path])
    with pytest.raises(ComparisonError, match="no runs were given"):
        compare_runs([])


def test_metrics_are_chosen(tmp_path: Path):
    run_of(tmp_path / "a", "11")
    assert [m.heading for m in compare_runs([tmp_path]).measures] == [
        "SR", "Turns", "R@1", "R@5", "R@10", "Return", "CGE2", "FGE2", "PE2", "s/turn",
    ]  # fmt: skip
    chosen = compare_runs([tmp_path], metrics=["reward_cost", "success_rate"]).measures
    assert [measure.key for measure in chosen] == ["reward_cost", "success_rate"]
    with pytest.raises(ComparisonError, match=r"no run has the metric 'sr'; there are .*cge2"):
        compare_runs([tmp_path], metrics=["sr"])


def test_model_calls_are_shown_and_a_price_only_if_known(tmp_path: Path):
    write_run(tmp_path / "a", config("a"), [dialogue(True, 0)], calls=4, tokens=90)
    write_run(tmp_path / "b", config("b"), [dialogue(True, 0)], calls=2, tokens=10, cost=0.5)
    found = compare_runs([tmp_path])
    cells = {m.name: m.cell("llm_cost_per_dialogue").value for m in found.methods}
    assert cells == {"a": None, "b": 0.5}
    assert found.method("a").cell("llm_calls_per_dialogue").value == 4
    assert found.method("a").cell("llm_tokens_per_dialogue").value == 90


def test_other_rewards_are_said_and_returns_not_tested(tmp_path: Path):
    run_of(tmp_path / "a", "11", "a")
    run_of(tmp_path / "b", "10", "b", reward__discount=0.9)
    found = compare_runs([tmp_path])
    assert "reward.discount" in " ".join(found.notes)
    errors = {"cge2", "fge2", "pe2"}
    tested = {"success_rate", "recall@1", "average_turns"} | errors
    assert {test.key for test in found.tests} == tested


def test_shares_are_compared_where_both_dialogues_have_such_turns(tmp_path: Path):
    """CGE2 is a share of ask and recommend turns; each dialogue here has two, or none."""
    silent = dialogue(False, 3)
    silent["turns"] = [turn("ItemExplanation", system="It is good.", user="no")]
    write_run(tmp_path / "a", config("a"), [dialogue(True, k) for k in range(4)])
    write_run(tmp_path / "b", config("b"), [*(dialogue(k == 0, k) for k in range(3)), silent])
    (test,) = [test for test in compare_runs([tmp_path], against="a").tests if test.key == "cge2"]
    assert (test.dialogues, test.wins, test.losses) == (3, 2, 0)
    assert test.difference == pytest.approx((0.0 + 0.5 + 0.5) / 3)
    assert test.test == "Wilcoxon signed-rank"


def test_environments_of_others_have_what_they_report(tmp_path: Path):
    settings: dict[str, Any] = {"env__id": "CartPole-v1", "env__name": None, "catalog": None}
    for name, total in (("a", 3.0), ("b", 2.0)):
        records = [
            {"schema": 1, "episode": k, "seed": 0, "return": total + k, "length": 2 + k,
             "success": None}
            for k in range(3)
        ]  # fmt: skip
        write_run(tmp_path / name, config(name, **settings), records)
    found = compare_runs([tmp_path], texts=True)
    assert [measure.key for measure in found.measures] == [
        "average_turns", "return", "seconds_per_turn",
    ]  # fmt: skip
    assert found.reference == ""
    assert {test.key for test in found.pairs} == {"average_turns", "return"}


@pytest.mark.parametrize(
    ("label", "planner", "figure"),
    [
        (None, "pc_crs", 0.407),
        ("Dreams n(El)=3 k(El)=3 n(Ex)=3", "dreams", None),
        ("my own", "dreams", None),
        (None, "dreams_json_only", 0.360),
    ],
)
def test_published_rows_are_found_by_the_methods_name(
    tmp_path: Path, label: str | None, planner: str, figure: float | None
):
    run_of(tmp_path / "a", "11", label, planner__name=planner)
    (method,) = compare_runs([tmp_path]).methods
    figures = [row.figures["success_rate"] for row in method.published if row.table in (2, 4)]
    assert figures == ([] if figure is None else [figure])
    if label and label.startswith("Dreams"):
        assert [row.figures["recall@1"] for row in method.published] == [0.489]


def test_every_planner_of_the_paper_has_its_rows():
    from evaluation.published import _raw, rows_of_label

    for planner in _raw()["planners"]:
        assert rows_of_label("redial", planner), planner
