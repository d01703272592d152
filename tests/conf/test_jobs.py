"""A command line with lists, or an experiment, is planned as jobs; what is wrong is found first."""

from pathlib import Path

import pytest
import yaml

from conf import jobs
from conf.jobs import plan
from conf.naming import method_name
from conf.overrides import (
    CONF_DIR,
    OverrideError,
    check_single,
    is_sweep,
    options,
    sweep_experiment,
)

SWEEPS = [name for name in options("experiment") if sweep_experiment([f"experiment={name}"])]


def names(*arguments: str) -> list[str]:
    return [job.name for job in plan(arguments).jobs]


def test_every_combination_is_a_job_in_hydras_order() -> None:
    planned = plan(["-m", "planner=ask_all,random", "seed=range(2)", "episodes=5"])
    assert [(j.config["planner"]["name"], j.config["seed"]) for j in planned.jobs] == [
        ("ask_all", 0), ("ask_all", 1), ("random", 0), ("random", 1),
    ]  # fmt: skip
    assert {job.config["episodes"] for job in planned.jobs} == {5}
    assert planned.jobs[3].overrides == ("planner=random", "seed=1", "episodes=5")
    assert planned.jobs[3].varied == {"planner": "random", "seed": "1"}
    assert planned.title == "Sweep"
    assert (planned.sweep_dir, planned.resume) == (None, False)


def test_names_tell_jobs_apart_and_can_be_typed() -> None:
    assert names("-m", "planner=ask_all,random", "env=redial,opendialkg_book") == [
        "redial-ask_all-seed0", "opendialkg_book-ask_all-seed0", "redial-random-seed0",
        "opendialkg_book-random-seed0",
    ]  # fmt: skip
    assert names("-m", "planner=dreams", "planner.n_el=1,auto") == [
        "redial-dreams-n_el-1-seed0", "redial-dreams-n_el-auto-seed0",
    ]  # fmt: skip
    # Names do not change when a seed is added to a sweep that is continued.
    assert names("-m", "planner=random", "seed=3") == ["redial-random-seed3"]
    found = names("-m", "planner=random", "label='a/../b (c)','a b c','<ü>','<ä>',..")
    assert found == [
        "redial-a-..-b-c-seed0", "redial-a-b-c-seed0", "redial-seed0", "redial-seed0-2",
        "redial-..-seed0",
    ]  # fmt: skip
    assert all(set(name) <= set("abcdeilrsu0123456789_.-") for name in found)


def test_a_job_is_a_run_like_any_other() -> None:
    (job,) = plan(["-m", "planner=random", "sweep_dir='a b'", "resume=True"]).jobs
    assert job.config["sweep"] is None
    assert job.config["sweep_dir"] is None
    assert job.config["run_dir"] is None
    check_single(job.overrides)


def test_numbers_are_names() -> None:
    planned = plan(["-m", "planner=random", "label=7,8", "sweep_dir=2024_01"])
    assert planned.sweep_dir == "2024_01"
    assert [job.config["label"] for job in planned.jobs] == ["7", "8"]


def test_what_the_sweep_has_once() -> None:
    planned = plan(["-m", "seed=1,2", "sweep_dir='some where'", "resume=True", "planner=random"])
    assert (planned.sweep_dir, planned.resume) == ("some where", True)
    assert planned.arguments == ("-m", "seed=1,2", "planner=random")


WRONG = [
    ("-m planner=ask_all,drems", "no 'planner=drems'; did you mean planner=dreams"),
    ("-m planner=dreams,ask_all planner.k_el=2", "no 'planner.k_el'"),
    ("-m planner=dreams,ask_all planner.k_el=2", "(of the job planner=ask_all planner.k_el=2)"),
    ("-m planner.trace=true,no", "planner.trace must be true or false, not 'no'"),
    ("-m sed=1,2", "no 'sed'; did you mean seed"),
    ("-m dreams", "'dreams' sets nothing; did you mean planner=dreams?"),
    ("-m seed=1,2 run_dir=x", "say where a sweep goes with sweep_dir=DIR"),
    ("-m sweep_dir=a,b", "sweep_dir holds for the whole sweep"),
    ("-m resume=true,false", "resume holds for the whole sweep"),
    ("-m seed=1,2 resume=maybe", "resume must be true or false, not 'maybe'"),
    ("-m seed=interval(0,1)", "list the values"),
    ("-m label=a=b", "label=a=b: "),
    ("-m seed=1,2 sweep_dir=[a]", "sweep_dir must be the name of a directory, not [a]"),
    ("-m seed=1,2 sweep_dir=true", "sweep_dir must be the name of a directory, not true"),
    ("-m seed=1,2 sweep_dir=''", "sweep_dir must be a name or null, not ''"),
    ("-m seed=1,2 data=null", "data must be a group of settings, not None"),
    ("-m label=[a],[b]", "label must be a text that names the method, not ['a']"),
    ("-m label='',x", "label must be a text that names the method, not ''"),
    ("-m planner=glob(d*)", "list the values"),
    ("-m seed=range(0)", "seed=range(0) lists no value"),
    ("-m seed=range(0,1000000000)", "list fewer values"),
    ("-m seed=range(1000) episodes=range(1,1000)", "list fewer values"),
    ("-m planner=random seed=3,3", "two jobs are the same run (planner=random seed=3, and"),
    ("-m ~planner seed=1,2", "~planner: a run needs planner"),
    ("-m seed=1,2 hydra/launcher=joblib", "one after the other in this process"),
    ("-m seed=1,2 hydra.sweep.dir=x", "one after the other in this process"),
    ("-m --info", "--info cannot be combined with a sweep"),
    ("experiment=table2,table3", "experiment=table2 is a sweep of its own"),
    ("experiment=table2,smoke", "experiment=table2 is a sweep of its own"),
    (
        "-m planner=random,ask_all sweep.against=dreams",
        "sweep.against=dreams: no method of the sweep",
    ),
    ("-m planner=random,ask_all sweep.against=dreams", "there are random, ask_all; or null for"),
    ("-m planner=random,ask_all sweep.against=a,b", "sweep.against holds for the whole sweep"),
    ("-m planner=random sweep.agianst=a", "did you mean sweep.against"),
    ("experiment=table4 label=x", "sweep.against=dreams: no method of the sweep"),
    ("experiment=table4 planner=drems", "no 'planner=drems'"),
]


@pytest.mark.parametrize(("line", "message"), WRONG)
def test_what_is_wrong_is_said_before_anything_runs(line: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is checked below
        plan(line.split())
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_which_command_lines_are_sweeps() -> None:
    assert is_sweep(["-m", "seed=1"])
    assert is_sweep(["seed=1", "--multirun"])
    assert is_sweep(["experiment=table4"])
    assert is_sweep(["sweep_dir=x", "resume=true"])
    assert is_sweep(["sweep_dir=x", "resume=True"])
    assert not is_sweep(["sweep_dir=x"])
    assert not is_sweep(["run_dir=x", "resume=true"])
    assert not is_sweep(["experiment=smoke"])
    assert not is_sweep(["experiment=nowhere"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("planner=dreams,ppo", "planner=dreams,ppo lists several values; add -m"),
        ("seed=range(3)", "add -m"),
        ("sweep_dir=x", "sweep_dir is for sweeps"),
        ("sweep.against=x", "sweep.against is for sweeps"),
    ],
)
def test_lists_without_the_flag(line: str, message: str) -> None:
    with pytest.raises(OverrideError) as caught:
        check_single(line.split())
    assert message in str(caught.value)


# Experiments


@pytest.mark.parametrize("name", SWEEPS)
def test_the_rows_of_an_experiment_compose(name: str) -> None:
    """Every method of a table is there, for the seeds that its file states."""
    raw = yaml.safe_load((CONF_DIR / "experiment" / f"{name}.yaml").read_text(encoding="utf-8"))
    planned = plan([f"experiment={name}"])
    seeds = raw["sweep"]["over"]["seed"].split(",")
    assert len(planned.jobs) == len(seeds) * len(raw["sweep"]["methods"])
    assert len({job.name for job in planned.jobs}) == len(planned.jobs)
    assert planned.title == raw["sweep"]["title"]
    assert planned.name == name
    (reference,) = {
        job.config["planner"]["n_el"]
        for job in planned.jobs
        if method_name(job.config) == planned.against
    }
    assert reference == (400 if name == "scaling" else "auto")  # as configured
    methods = [(job.config["label"], job.config["planner"]["name"]) for job in planned.jobs]
    assert len(set(methods)) == len(raw["sweep"]["methods"])


def test_the_known_sweeps_are_there() -> None:
    tables = {"table2", "table2_agents", "table3", "table4", "table8", "table10", "scaling"}
    assert tables == set(SWEEPS)


SMALL = """
# @package _global_
episodes: 4
sweep:
  title: "Some rows"
  over: {seed: "0,1"}
  trace_first_seed: true
  methods:
    - [planner=ask_all]
    - [planner=dreams, planner.n_el=3, "label='Dreams n(El)=3'"]
    - [planner=dreams]
"""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> str:
    """An experiment of three rows and two seeds, without a file."""
    raw = yaml.safe_load(SMALL)["sweep"]
    monkeypatch.setattr(jobs, "_definition", lambda _: jobs._Definition(**raw))
    monkeypatch.setattr(jobs, "sweep_experiment", lambda _: "smoke")
    return "experiment=smoke"


def test_an_experiment_runs_a_seed_at_a_time(small: str) -> None:
    found = [(j.config["seed"], j.config["label"], j.config["planner"]) for j in plan([small]).jobs]
    assert [(seed, label or planner["name"]) for seed, label, planner in found] == [
        (0, "ask_all"), (0, "Dreams n(El)=3"), (0, "dreams"),
        (1, "ask_all"), (1, "Dreams n(El)=3"), (1, "dreams"),
    ]  # fmt: skip
    assert [planner.get("n_el") for _, _, planner in found[:3]] == [None, 3, "auto"]
    assert [planner.get("trace") for _, _, planner in found] == [
        None, True, True, None, False, False
    ]  # fmt: skip


def test_the_command_line_has_the_last_word(small: str) -> None:
    assert names(small, "seed=7", "planner.trace=false", "planner=dreams") == [
        "redial-Dreams-n-El-3-seed7", "redial-dreams-seed7",
    ]  # fmt: skip
    jobs_of = plan([small, "seed=7", "planner.n_el=2", "planner=dreams"]).jobs
    assert [job.config["planner"]["n_el"] for job in jobs_of] == [2, 2]
    assert [job.config["planner"]["trace"] for job in jobs_of] == [True, True]
    (untraced,) = plan([small, "seed=7", "planner=ask_all"]).jobs
    assert "trace" not in untraced.config["planner"]
    assert names(small, "seed=0", "planner=random,ask_all") == [
        "redial-random-seed0", "redial-ask_all-seed0",
    ]  # fmt: skip


def test_the_reference_is_the_files_or_the_command_lines() -> None:
    lists = ("seed=0", "planner=random,ask_all")
    assert plan(["-m", *lists]).against is None
    assert plan(["-m", *lists, "sweep.against=random"]).against == "random"
    labelled = plan(["-m", "planner=random", "label=a,'b (c)'", "sweep.against='b (c)'"])
    assert labelled.against == "b (c)"
    assert plan(["experiment=table4"]).against == "dreams"
    assert plan(["experiment=table4", "sweep.against=null"]).against is None
    # It is the file's reference among the file's methods.
    assert plan(["experiment=table4", *lists]).against is None
    assert plan(["experiment=table4", "planner=random,dreams"]).against == "dreams"
    kept = plan(["-m", *lists, "sweep.against=random", "sweep_dir=x"]).arguments
    assert kept == ("-m", *lists, "sweep.against=random")
    assert all("sweep.against" not in " ".join(job.overrides) for job in plan(kept).jobs)


def test_an_experiment_on_several_catalogues(small: str) -> None:
    found = plan([small, "planner=ask_all", "seed=0,1", "env=redial,opendialkg_book"]).jobs
    assert [job.name for job in found] == [
        "redial-ask_all-seed0", "redial-ask_all-seed1",
        "opendialkg_book-ask_all-seed0", "opendialkg_book-ask_all-seed1",
    ]  # fmt: skip


def test_definitions_that_are_wrong_name_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for definition, message in (
        ({"rows": []}, "sweep has no 'rows'"),
        ({"methods": [["seed=1"]]}, r"each row of sweep\.methods needs planner=NAME"),
    ):
        monkeypatch.setattr(jobs, "composed_of", lambda _, made=definition: {"sweep": made})
        with pytest.raises(OverrideError, match=message) as caught:
            jobs._definition("table2")
        assert str(Path("experiment") / "table2.yaml") in str(caught.value)
