"""Columns from a judge, from prefixes, and learning curves."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.comparison.cells import against, agreement_rows, size_of
from evaluation.comparison.comparing import compare_runs
from evaluation.comparison.latex import latex
from evaluation.comparison.learning import POINTS, read_curves
from evaluation.comparison.markdown import markdown
from evaluation.comparison.page import html_page
from evaluation.comparison.plots import learning_plot
from evaluation.prefixes.scoring import prefix_tallies
from evaluation.records import RecordError
from evaluation.statistics import bootstrap_interval
from evaluation.summary import summarize
from evaluation.tensorboard import TensorBoardSink
from tests.evaluation.comparison.made import config, dialogue, judge, run_of, write_run
from tests.evaluation.fakes import timing


def test_a_judge_stands_beside_the_exact_metrics(tmp_path: Path):
    judge(run_of(tmp_path / "a", "1100", "a", seed=0))
    judge(run_of(tmp_path / "b", "1111", "a", seed=1))
    run_of(tmp_path / "c", "1111", "c")
    found = compare_runs([tmp_path])
    cells = {key: found.method("a").cell(key).value for key in ("judge_cge2", "judge_pe2")}
    assert cells == {"judge_cge2": 2 / 16, "judge_pe2": 0.5}
    assert found.method("c").cell("judge_cge2").value is None
    assert "CGE2 (judge)" in [measure.heading for measure in found.measures]
    ((name, who, *values),) = agreement_rows(found)
    assert (name, who, len(values)) == ("a", "embedded", 11)


@pytest.mark.parametrize(
    ("judges", "note"),
    [((None, "embedded"), "a was not judged"), (("m", "n"), "judges differ")],
)
def test_half_a_judge_is_none(tmp_path: Path, judges: tuple[str | None, str], note: str):
    for name, who, seed in zip("ab", judges, (0, 1), strict=True):
        run = run_of(tmp_path / name, "1100", "x", seed=seed)
        if who:
            judge(run, who)
    found = compare_runs([tmp_path])
    assert note in " ".join(found.notes)
    assert "judge_cge2" not in found.methods[0].cells


def test_unjudged_dialogues_are_said(tmp_path: Path):
    judge(run_of(tmp_path / "a", "1100"), episodes=3)
    assert "dialogues that are not judged: 1" in " ".join(compare_runs([tmp_path]).notes)


def test_a_judgement_of_another_dialogue_is_refused(tmp_path: Path):
    judge(run_of(tmp_path / "a", "1100"), turns=5)
    with pytest.raises(RecordError, match="episode 0 is of another dialogue"):
        compare_runs([tmp_path])


def decision(k: int, seed: int, right: bool) -> dict[str, Any]:
    return {
        "schema": 1, "episode": k, "seed": seed, "split": "test", "prefix": f"p{k:03d}",
        "turns_before": 1, "success": right, "return": float(right), "length": 1,
        "action": "ItemRec", "right": right, "preferred": right, "due": k % 2 == 0,
        "asks": not right, "useful": False, "redundant": not right, "premature": False,
        "legal": True,
    }  # fmt: skip


def test_prefixes_are_shown_and_their_seeds_stay_together(tmp_path: Path):
    one = [decision(k, 0, right=k < 3) for k in range(10)]
    other = [decision(k, 1, right=k < 5) for k in range(10)]
    settings = {"prefixes": True, "catalog": {"items": 9, "source": "bundled"}}
    write_run(tmp_path / "p", config("a", 0, **settings), one)
    write_run(tmp_path / "q", config("a", 1, **settings), other)
    run_of(tmp_path / "d", "10", "a")
    run_of(tmp_path / "e", "11", "b")
    found = compare_runs([tmp_path])
    method = found.method("a")
    assert method.cell("next_action_accuracy").value == pytest.approx(0.4)
    assert method.cell("redundant_question").value == 1.0
    assert (method.prefixes, len(method.dialogues)) == (10, 2)
    alone = compare_runs([tmp_path / "p"])
    (alone_method,) = alone.methods
    assert size_of(alone_method) == "10 prefixes (1 seed)"
    expected = bootstrap_interval(prefix_tallies(one)["next_action_accuracy"])
    assert alone_method.cell("next_action_accuracy").interval == pytest.approx(expected)


def test_decisions_are_tested_at_the_same_prefixes(tmp_path: Path):
    settings = {"prefixes": True, "catalog": {"items": 9, "source": "bundled"}}
    for name, right, seeds in (("a", 8, (0, 1)), ("b", 3, (0, 1)), ("c", 2, (2,))):
        for seed in seeds:
            made = [decision(k, seed, right=k < right) for k in range(10)]
            write_run(tmp_path / f"{name}{seed}", config(name, seed, **settings), made)
    found = compare_runs([tmp_path])
    assert found.reference == "a"
    (test,) = found.tests  # c has no seed in common
    assert (test.first, test.measure, test.test) == ("b", "Next action", "McNemar, exact")
    assert (test.dialogues, test.wins, test.losses) == (10, 0, 5)  # a prefix counts once
    assert test.difference == pytest.approx(-0.5)
    assert test.p_value == pytest.approx(2 * 0.5**5)
    assert against(found) == "Against a, on the same prefixes"
    for form in (markdown(found, "T"), latex(found, "T"), html_page(found, "T")):
        assert "Next action" in form


def test_the_interval_of_a_run_is_that_of_its_summary(tmp_path: Path):
    run = run_of(tmp_path / "a", "1101001")
    records = [dialogue(hit == "1", k) for k, hit in enumerate("1101001")]
    summary = summarize(records, [timing(k) for k in range(7)], None)
    (method,) = compare_runs([run]).methods
    for key in ("success_rate", "return", "cge2", "seconds_per_turn"):
        value, bounds = method.cell(key)
        assert value == pytest.approx(summary[key])
        assert bounds == pytest.approx(tuple(summary[f"{key}_ci"]))


def test_learning_curves_come_from_the_event_files(tmp_path: Path):
    run = run_of(tmp_path / "a", "11", "a", planner__name="ppo")
    sink = TensorBoardSink(run / "tensorboard")
    for step in range(1, 2 * POINTS + 2):
        sink.scalars({"train/success_rate": step / 1000, "train/loss": 1.0}, step, "timesteps")
    sink.close()
    (curve,) = read_curves(run)
    assert curve.tag == "train/success_rate"
    assert len(curve.steps) <= POINTS
    assert curve.steps[-1] == 2 * POINTS + 1
    assert curve.values[-1] == pytest.approx(curve.steps[-1] / 1000)
    plot = learning_plot(compare_runs([run], texts=True))
    assert plot is not None
    assert "a ends at 0.801" in plot
    assert learning_plot(compare_runs([run_of(tmp_path / "b", "1")], texts=True)) is None


def test_a_broken_summary_of_judgements_is_not_read(tmp_path: Path):
    run = run_of(tmp_path / "a", "1100")
    (run / "summary.json").write_text(json.dumps({"episodes": 4, "judge_cge2": 0.9}))
    (method,) = compare_runs([run]).methods
    assert "judge_cge2" not in method.cells
