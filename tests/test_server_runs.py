"""A run through the endpoint of the embedded roles is the embedded run, whoever plays what."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from dialogue.experience import read_base
from serving.background import running
from tests.model_runs import Record, overruled, plain, requests, rows, run, samples, stats

__all__ = ["samples"]  # a fixture

EPISODES = "episodes=3"
FEW = ("planner=dreams", "planner.n_el=5")
FILMS, BOOKS = ("env=redial",), ("env=opendialkg_book",)
SETTINGS = {
    "dreams": (*FILMS, *FEW),
    "dreams, books": (*BOOKS, *FEW),
    "dreams, three samples": (*FILMS, *FEW, "planner.m=3"),
    "dreams, embedded rollouts": (
        *FILMS,
        "planner=dreams",
        "planner.n_el=30",
        "llm.roles.imagine.backend=embedded",
    ),
    "no EXNode": (*FILMS, "planner=dreams_no_exnode", "planner.n_el=5"),
    "no ELNode": (*FILMS, "planner=dreams_no_elnode"),
    "no ELNode, no JSON": (*FILMS, "planner=dreams_no_elnode_no_json"),
    "no ELNode, no JSON, books": (*BOOKS, "planner=dreams_no_elnode_no_json"),
    "JSON only": (*FILMS, "planner=dreams_json_only"),
    "inter_crs": (*FILMS, "planner=inter_crs"),
    "inter_crs, books": (*BOOKS, "planner=inter_crs"),
    "macrs": (*FILMS, "planner=macrs", "planner.trace=true"),
    "macrs, books": (*BOOKS, "planner=macrs"),
    "chat_crs": (*FILMS, "planner=chat_crs", "planner.trace=true"),
    "chat_crs, books": (*BOOKS, "planner=chat_crs"),
    "sapient_llm": (*FILMS, "planner=sapient_llm", "planner.simulations=50", "planner.trace=true"),
    "sapient_llm, books": (*BOOKS, "planner=sapient_llm", "planner.simulations=50"),
    "pc_crs": (*FILMS, "planner=pc_crs", "planner.trace=true"),
    "pc_crs, books": (*BOOKS, "planner=pc_crs"),
    "ra_crs": (*FILMS, "planner=ra_crs", "planner.trace=true"),
    "ra_crs, books": (*BOOKS, "planner=ra_crs"),
    "prior_only": (*FILMS, "planner=prior_only"),
    "prior_only, books": (*BOOKS, "planner=prior_only"),
    "ask_all": (*FILMS, "planner=ask_all"),
    "ask_all, books": (*BOOKS, "planner=ask_all"),
}
ASKED = {
    "dreams": ("score", "imagine", "refine"),
    "dreams_no_exnode": ("score", "imagine"),
    "dreams_no_elnode": ("score", "refine"),
    "dreams_no_elnode_no_json": ("policy", "refine"),
    "dreams_json_only": ("score",),
    "inter_crs": ("policy",),
    "macrs": ("policy",),
    "chat_crs": ("policy",),
    "pc_crs": ("policy",),
    "ra_crs": ("policy",),
    "prior_only": ("score",),
    "sapient_llm": ("policy",),
}
"""Roles that a planner asks, beside those of the environment."""
ITEMS = (
    "id,title,genre,writer\n"
    "a,Glass Rooms,Mystery|Drama,Ada Lind\n"
    "b,The Salt Road,Mystery|Drama,Ada Lind|Otto Brand\n"
    "c,Low Tide,Comedy,Otto Brand\n"
    "d,Rope and Dust,Comedy|Drama,Mira Castell\n"
)
Embedded = Callable[..., list[Record]]


@pytest.fixture(scope="module")
def served(samples: None) -> Iterator[tuple[str, ...]]:
    """What makes a run one through an endpoint."""
    with running() as base_url:
        yield "llm=server", f"llm.base_url={base_url}"


@pytest.fixture(scope="module")
def embedded(samples: None, tmp_path_factory: pytest.TempPathFactory) -> Embedded:
    """The embedded run of some overrides, run once."""

    @cache
    def found(*overrides: str) -> list[Record]:
        own = [o for o in overrides if not o.startswith("llm.")]
        records = run(tmp_path_factory.mktemp("runs") / "embedded", *own, EPISODES, "workers=1")
        assert all("llm" not in record for record in records)
        assert len(records) == 3
        return records

    return found


@pytest.mark.parametrize("name", SETTINGS)
def test_no_faults_no_difference(
    name: str, served: tuple[str, ...], embedded: Embedded, tmp_path: Path
) -> None:
    setting = SETTINGS[name]
    records = run(tmp_path / "served", *setting, *served, EPISODES, "llm.parallel=3")
    assert plain(records) == embedded(*setting)
    assert overruled(records) == []
    asked = {"user", "track", "reply", *ASKED.get(setting[1].partition("=")[2], ())}
    asked -= {role for role in asked if f"llm.roles.{role}.backend=embedded" in setting}
    assert {frozenset(record["llm"]) for record in records} == {frozenset(asked)}
    for timing in rows(tmp_path / "served" / "timings.jsonl"):
        assert timing["calls"] > 0
        assert timing["retries"] == 0
        assert timing["fallbacks"] == []


@pytest.mark.parametrize("name", ["prior_only", "ask_all, books"])
def test_a_user_of_three_calls(
    name: str, served: tuple[str, ...], embedded: Embedded, tmp_path: Path
) -> None:
    setting = SETTINGS[name]
    records = run(tmp_path / "three", *setting, *served, EPISODES, "llm.user_calls=3")
    assert plain(records) == embedded(*setting)
    said = sum(1 + record["n_turns"] for record in records)
    calls = [timing["llm"]["user"]["calls"] for timing in rows(tmp_path / "three/timings.jsonl")]
    assert sum(calls) == 3 * said


ALONE = {
    "user": FEW,
    "track": FEW,
    "reply": FEW,
    "score": ("planner=prior_only",),
    "imagine": FEW,
    "refine": FEW,
    "policy": ("planner=inter_crs",),
}


@pytest.mark.parametrize("role", ALONE)
def test_one_role_alone(
    role: str, served: tuple[str, ...], embedded: Embedded, tmp_path: Path
) -> None:
    """Everybody else is embedded."""
    setting = (*FILMS, *ALONE[role])
    address = served[1].partition("=")[2]
    one = (f"llm.roles.{role}.backend=server", f"llm.roles.{role}.base_url={address}")
    records = run(tmp_path / "one", *setting, *one, EPISODES)
    assert records[0]["llm"].keys() == {role}
    assert plain(records) == embedded(*setting)
    assert all(t["llm"].keys() == {role} for t in rows(tmp_path / "one" / "timings.jsonl"))


@pytest.mark.parametrize("films", [True, False], ids=["films", "books"])
def test_experience_through_the_endpoint(
    films: bool, served: tuple[str, ...], embedded: Embedded, tmp_path: Path
) -> None:
    """Dreams(EA), and the dialogues of Dreams that it learns from."""
    setting = (
        *(FILMS if films else BOOKS),
        "planner=dreams_ea",
        "planner.trace=true",
        f"experience.dir={tmp_path / 'bases'}",
        "experience.users=4",
        "experience.n_el=3",
    )
    records = run(tmp_path / "served", *setting, *served, EPISODES, "llm.parallel=3")
    assert plain(records) == embedded(*setting)
    assert overruled(records) == []
    assert {frozenset(record["llm"]) for record in records} == {
        frozenset({"user", "track", "reply", "score"})
    }
    assert {record["llm"]["score"]["prompt"] for record in records} == {"advise/1"}
    for record, timing in zip(records, rows(tmp_path / "served" / "timings.jsonl"), strict=True):
        assert timing["llm"]["score"]["calls"] == record["n_turns"]
        assert timing["fallbacks"] == []
    one, other = (read_base(folder / "base.jsonl") for folder in (tmp_path / "bases").iterdir())
    assert one.experiences == other.experiences


def test_vectors_from_the_endpoint(
    served: tuple[str, ...], embedded: Embedded, tmp_path: Path
) -> None:
    items = tmp_path / "items.csv"
    items.write_text(ITEMS)
    custom = ("env=custom", "env.domain=book", f"env.items={items}", "env.retrieval=dense")
    setting = (*custom, "planner=prior_only")
    records = run(tmp_path / "vectors", *setting, *served, EPISODES, "retrieval.encoder=openai")
    assert plain(records) == embedded(*setting)
    assert "embed" in records[0]["llm"]


def test_threads_change_nothing(served: tuple[str, ...], tmp_path: Path) -> None:
    setting = (*FILMS, "planner=dreams", "planner.n_el=3", *served, "episodes=6")
    found = {}
    for threads in (1, 6):
        run_dir = tmp_path / str(threads)
        run(run_dir, *setting, f"llm.parallel={threads}")
        found[threads] = (run_dir / "records.jsonl").read_bytes()
    assert found[1] == found[6]


def test_the_endpoint_counts_what_the_run_counts(served: tuple[str, ...], tmp_path: Path) -> None:
    address = served[1].partition("=")[2]
    before, tokens = requests(address), stats(address)["tokens_in"]
    run(tmp_path / "counted", *FILMS, *FEW, *served, EPISODES)
    timings = rows(tmp_path / "counted" / "timings.jsonl")
    assert requests(address) - before == sum(timing["calls"] for timing in timings)
    assert stats(address)["tokens_in"] - tokens == sum(
        counts["tokens_in"] for timing in timings for counts in timing["llm"].values()
    )
