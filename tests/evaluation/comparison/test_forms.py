"""The terminal, Markdown, CSV and LaTeX: what they say, and that hostile names stay names."""

import csv
import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from compare import main
from evaluation.comparison.cells import told_test
from evaluation.comparison.comparing import Comparison, compare_runs
from evaluation.comparison.csv_text import cell_text, methods_csv, paired_csv
from evaluation.comparison.errors import ComparisonError
from evaluation.comparison.latex import latex, tex
from evaluation.comparison.markdown import escaped, markdown
from evaluation.comparison.page import html_page
from evaluation.comparison.terminal import print_comparison
from evaluation.comparison.writing import write_comparison
from tests.evaluation.comparison.made import (
    NASTY,
    config,
    dialogue,
    hostile_run,
    judge,
    run_of,
    write_run,
)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder = tmp_path_factory.mktemp("plain")
    run_of(folder / "a", "11110", planner__name="dreams")
    run_of(folder / "b", "10000", "b")
    return compare_runs([folder])


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder = tmp_path_factory.mktemp("hostile")
    hostile_run(folder / "a")
    hostile_run(folder / "b", "[bold]=cmd|' /C calc'!A0[/bold]")
    return compare_runs([folder])


def printed(comparison: Comparison, width: int = 200, title: str = "T") -> str:
    file = io.StringIO()
    print_comparison(comparison, title, Console(file=file, width=width))
    return file.getvalue()


def test_terminal(plain: Comparison):
    text = printed(plain)
    for part in ("0.800*", "[0.400, 1.000]", "paper 0.560", "(T2, 3, 4)", "Against dreams", "OR ="):
        assert part in text
    notes = " ".join(text.split())
    assert "compare structure, not language models" in notes
    assert "Holm's correction is over one family per measure: its 1 test of all pairs" in notes
    assert "p and effect of Wilcoxon measures of ranks" in notes


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_narrow_terminal_gets_several_tables(plain: Comparison, width: int):
    text = printed(plain, width)
    tables = [line for line in text.splitlines() if line.startswith(("┏", "┃", "│", "└"))]
    assert tables
    assert max(map(len, tables)) <= width
    assert "(continued)" in text
    for heading in ("SR ↑", "CGE2 ↓", "s/turn ↓"):
        assert heading in text


@pytest.fixture(scope="module")
def long_names(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder = tmp_path_factory.mktemp("long")
    for seed in (0, 1):
        run_of(folder / f"a{seed}", "1111011110", seed=seed, planner__name="dreams")
        run_of(folder / f"b{seed}", "1000011010", LONG, seed=seed)
        run_of(folder / f"c{seed}", "0000000010", LABEL, seed=seed)
        for name in ("a", "b", "c"):
            judge(folder / f"{name}{seed}", episodes=10)
    return compare_runs([folder])


LONG, LABEL = "dreams_no_elnode_no_json", "Dreams n(El)=3 k(El)=3 n(Ex)=3"


@pytest.mark.parametrize("width", [80, 120])
def test_names_heads_and_numbers_are_whole(long_names: Comparison, width: int):
    text = printed(long_names, width)
    tables = [line for line in text.splitlines() if line.startswith(("┏", "┃", "│", "└"))]
    assert max(map(len, tables)) <= width
    assert "…" not in text
    cells = [cell.strip() for line in tables for cell in re.split("[┃│]", line)]
    parts = len(re.findall(r"dialogues \(seeds\)", text))
    for name in ("dreams", LONG, LABEL):
        # In each part of the metrics, in 7 tests unless it is the reference, in the agreement.
        assert cells.count(name) == parts + (0 if name == "dreams" else 7) + 1
    for head in ("Effect size", "p (Holm)", "macro-F1", "Return ↑", "FGE2 (judge) ↓"):
        assert head in cells
    test = next(test for test in long_names.tests if test.first == LABEL)
    difference = told_test(test).difference
    assert difference in cells
    assert parts == (7 if width == 80 else 3)


def test_a_wide_terminal_has_a_test_a_line(long_names: Comparison):
    told = told_test(long_names.tests[0])
    lines = [line for line in printed(long_names, 130).splitlines() if told.difference in line]
    assert all(told.effect in line and LONG in line for line in lines[:1])
    (narrow, *_) = [x for x in printed(long_names, 80).splitlines() if told.difference in x]
    assert LONG not in narrow


def test_markdown(plain: Comparison):
    text = markdown(plain, "T")
    (row,) = [line for line in text.splitlines() if line.startswith("| dreams | 5 (1 seed)")]
    assert r"**0.800** \[0.400, 1.000\]; paper 0.560 (Table 2, 3, 4)" in row
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {13, 10}


def test_csv(plain: Comparison):
    rows = list(csv.DictReader(io.StringIO(methods_csv(plain))))
    assert [row["method"] for row in rows] == ["dreams", "b"]
    assert float(rows[0]["success_rate"]) == 0.8
    assert float(rows[0]["success_rate_low"]) == 0.4
    assert rows[0]["success_rate_published"] == "0.560 (Table 2, 3, 4)"
    tests = list(csv.DictReader(io.StringIO(paired_csv(plain))))
    assert {row["family"] for row in tests} == {"reference", "all pairs"}
    assert len(tests) == 7 * 2  # measures and families
    assert {row["test"] for row in tests} == {"McNemar, exact", "Wilcoxon signed-rank"}


def test_latex(plain: Comparison):
    text = latex(plain, "T")
    for part in (r"\toprule", r"\bottomrule", r"\textbf{0.800}", r"{\scriptsize [0.400, 1.000]}"):
        assert part in text
    assert r"\emph{\scriptsize 0.560 (Table 2, 3, 4)}" in text
    _check_latex(text)


def _check_latex(text: str) -> None:
    """Braces balance, columns agree, and every row begins with a brace."""
    bare = re.sub(r"\\[\\{}&%$#_]", "", text)
    depth = 0
    for character in re.sub(r"(?m)%.*$", "", bare):
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0
    for table in text.split(r"\begin{tabular}")[1:]:
        spec = table[1 : table.index("}")]
        rows = [line for line in table.splitlines() if line.endswith(r"\\")]
        assert rows
        for row in rows:
            assert row.strip().startswith("{")
            assert len(re.findall(r"(?<!\\)&", row)) == len(spec) - 1


def test_hostile_names_stay_names_in_latex(hostile: Comparison):
    text = latex(hostile, NASTY)
    _check_latex(text)
    assert r"\end{table}} =1+1" not in text
    assert "\u2028" not in text
    text.encode("utf-8")


def test_hostile_names_stay_names_in_markdown(hostile: Comparison):
    text = markdown(hostile, NASTY)
    text.encode("utf-8")
    assert not re.search(r"(?<!\\)<", text)
    assert not re.search(r"(?<!\\)`", text)
    assert "\u2028" not in text
    heads = {len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line[0:1] == "|"}
    assert heads == {13, 10}


def test_hostile_names_stay_names_in_csv(hostile: Comparison):
    text = methods_csv(hostile) + paired_csv(hostile)
    text.encode("utf-8")
    for row in csv.reader(io.StringIO(text)):
        for cell in row:
            assert not cell.startswith(("=", "+", "@"))
            assert not cell.startswith("-") or float(cell) < 0
    assert cell_text("=1+1") == "'=1+1"
    assert cell_text("＠SUM(1)") == "'＠SUM(1)"  # noqa: RUF001
    # Where a comma is the decimal sign, spreadsheets end cells at semicolons.
    assert cell_text('a; "=1+1"; b-1') == """a; "'=1+1"; b-1"""


def test_hostile_names_stay_names_in_the_terminal(hostile: Comparison):
    text = printed(hostile, title=NASTY)
    text.encode("utf-8")
    assert "[bold]" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


KEYS = ("a|<img src=x>", "[/x]", "\x1b[31mx", "\n| y", "=cmd;=1+1", "`*_$x$")
"""Names of reward terms, which records may hold and ``--metrics`` may ask for."""


@pytest.fixture(scope="module")
def hostile_keys(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder = tmp_path_factory.mktemp("keys")
    for name in "ab":
        records = [dialogue(k == 0, k) for k in range(3)]
        for entry in records:
            entry["turns"][0]["rewards"] |= dict.fromkeys(KEYS, 0.5)
        write_run(folder / name, config(name), records)
    return compare_runs([folder], metrics=[f"reward_{key}" for key in KEYS], texts=True)


def test_hostile_keys_stay_keys(hostile_keys: Comparison):
    marked = markdown(hostile_keys, "T")
    rows = [line for line in marked.splitlines() if line.startswith("|")]
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 3 + len(KEYS)
    assert not re.search(r"(?<!\\)[<`$]", rows[0])
    _check_latex(latex(hostile_keys, "T"))
    page = html_page(hostile_keys, "T")
    assert "<img" not in page
    header, *_ = csv.reader(io.StringIO(methods_csv(hostile_keys)))
    assert len(header) == 5 + 4 * len(KEYS)
    assert not any(re.search("(^|;)[=+@]", head) for head in header)
    for text in (marked, latex(hostile_keys, "T"), page, ",".join(header)):
        assert "\x1b" not in text


@pytest.mark.parametrize("width", [60, 300])
def test_hostile_keys_stay_keys_in_the_terminal(hostile_keys: Comparison, width: int):
    text = printed(hostile_keys, width)
    assert "\x1b" not in text
    assert "[/x]" in text


def test_an_unknown_metric_is_told_without_obeying_others(hostile_keys: Comparison, tmp_path: Path):
    (run, *_) = hostile_keys.methods[0].runs
    with pytest.raises(SystemExit) as ended:
        main([str(run.path), "--metrics", "sr", "--out", str(tmp_path)])
    message = str(ended.value.code)
    assert "no run has the metric 'sr'" in message
    assert "\x1b" not in message


def test_escapes():
    assert escaped("a_b|c<d>\n") == r"a\_b\|c\<d\>\\n"
    assert escaped("http://x www.x") == r"http\://x www\.x"
    assert tex(r"50 % of \$x_1^2 & {a}~#") == (
        r"50 \% of \textbackslash{}\$x\_1\textasciicircum{}2 \& \{a\}\textasciitilde{}\#"
    )


def test_the_same_runs_give_the_same_files(tmp_path: Path):
    hostile_run(tmp_path / "runs" / "a", "a")
    hostile_run(tmp_path / "runs" / "b")
    files = [
        {path.name: path.read_bytes() for path in write_comparison([where], tmp_path / out, "T")}
        for where, out in (
            (tmp_path / "runs", "one"),
            (tmp_path / "runs" / "*", "two"),
        )
    ]
    assert files[0] == files[1]
    assert set(files[0]) == {
        "comparison.md", "comparison.csv", "comparison_tests.csv", "comparison.tex",
        "comparison.html",
    }  # fmt: skip


def test_formats_are_chosen(tmp_path: Path):
    run = run_of(tmp_path / "a", "1")
    out = tmp_path / "new" / "out"
    assert write_comparison([run], out, formats=["csv", "terminal"]) == [
        out / "comparison.csv", out / "comparison_tests.csv",
    ]  # fmt: skip
    with pytest.raises(ComparisonError, match="no format 'pdf'; there are terminal, md"):
        write_comparison([run], out, formats=["pdf"])
    with pytest.raises(ComparisonError, match="is a file"):
        write_comparison([run], run / "config.yaml", formats=["md"])
