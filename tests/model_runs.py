"""Whole runs with models in tests: what they wrote, and an endpoint that is a Python function."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from conf.run import run_experiment
from envs.worlds import open_world
from language.llm.call import ROLES
from language.llm.request import Answer, ChatRequest, EmbeddingRequest, Vectors
from language.llm.roles import Roles
from serving.catalogues import Place
from serving.handlers import HANDLERS
from tests.command_line import composed

Record = dict[str, Any]
Spoil = Callable[[str, dict[str, Any], ChatRequest], Any]
"""From a role, its right result and its request to the answer: values, a text, or an Answer."""

GROUPS = ("env", "planner", "llm")

STUB = ("llm=server", "llm.base_url=http://127.0.0.1:9/v1", "llm.max_attempts=1")
"""A run whose endpoint is a function; nobody listens at the address."""


def run(run_dir: Path, *overrides: str) -> list[Record]:
    """Run in this process, without a logger; the records."""
    run_experiment(configured(run_dir, *overrides))
    return rows(run_dir / "records.jsonl")


def refusal(run_dir: Path, *overrides: str) -> str:
    """The message, one line, with which a run ends that cannot go on."""
    with pytest.raises(SystemExit) as ended:
        run(run_dir, *overrides)
    message = ended.value.code  # printed by sys.exit, which then exits with 1
    assert isinstance(message, str)
    assert message.startswith("train.py: ")
    assert "\n" not in message
    return message


def configured(run_dir: Path, *overrides: str) -> dict[str, Any]:
    """The configuration of a run; composing one takes long, so only its groups are composed."""
    names = [override.partition("=")[0] for override in overrides]
    groups = [o for o, name in zip(overrides, names, strict=True) if name in GROUPS]
    config = composed(*sorted(groups), "logger=none")
    config["run_dir"] = str(run_dir)
    for override in overrides:
        if override not in groups:
            path, _, value = override.partition("=")
            *above, key = path.split(".")
            group = config
            for name in above:
                group = group[name]
            assert key in group, override
            group[key] = yaml.safe_load(value)
    return config


def rows(path: Path) -> list[Record]:
    """The lines of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def summary_of(run_dir: Path) -> dict[str, Any]:
    """What ``summary.json`` says."""
    found: dict[str, Any] = json.loads((run_dir / "summary.json").read_text(encoding="utf-8"))
    return found


def plain(records: list[Record]) -> list[Record]:
    """Records without what only a run with models notes: ``llm`` and ``overruled``."""
    return [_without(record) for record in records]


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without(v) for k, v in value.items() if k not in ("llm", "overruled")}
    return [_without(part) for part in value] if isinstance(value, list) else value


def overruled(records: list[Record]) -> list[str]:
    """Everything that was overruled in a run, in order."""
    said = [turn for record in records for turn in (record["opening"], *record["turns"])]
    return [kind for turn in said for kind in turn["overruled"]]


def stats(base_url: str) -> dict[str, Any]:
    """What an endpoint counted."""
    found: dict[str, Any] = httpx2.get(
        base_url.removesuffix("/v1") + "/stats", trust_env=False
    ).json()
    return found


def requests(base_url: str) -> int:
    """Requests that an endpoint got so far."""
    return sum(stats(base_url)["requests"].values())


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The bundled samples for a whole module: worlds are built once for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CRS_DATA", str(tmp_path_factory.mktemp("no-data-here")))
        patch.delenv("OPENAI_API_KEY", raising=False)
        yield


class FunctionEndpoint:
    """Answers as ``python -m serving`` does, then lets a function change the answer.

    Attributes:
        spoil: The function.
        requests: The chat requests, in the order of their coming.
    """

    def __init__(self, spoil: Spoil) -> None:
        self.spoil = spoil
        self.requests: list[ChatRequest] = []

    def chat(self, request: ChatRequest) -> Answer:
        assert request.extra is not None
        self.requests.append(request)
        field = json.loads(json.dumps(request.extra(), allow_nan=False))
        result = HANDLERS[field["role"]].compute(field["inputs"], place(field["inputs"]["catalog"]))
        given = self.spoil(field["role"], result, request)
        if isinstance(given, Answer):
            return given
        return Answer(given if isinstance(given, str) else json.dumps(given))

    def embed(self, request: EmbeddingRequest) -> Vectors:
        raise AssertionError("no role embeds here")

    def close(self) -> None:
        pass


def place(origin: Mapping[str, Any]) -> Place:
    """The server's view of a catalogue."""
    return _place(*(origin.get(key) for key in ("name", "domain", "items", "data_dir")))


@cache
def _place(name: str, domain: str | None, items: str | None, data_dir: str | None) -> Place:
    return Place(open_world(name, domain, items, data_dir=data_dir))


@contextmanager
def played_by(spoil: Spoil) -> Iterator[FunctionEndpoint]:
    """Runs in this block that name any endpoint talk to a function instead."""
    endpoint = FunctionEndpoint(spoil)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Roles, "_connect", lambda self, role: endpoint)
        yield endpoint


def only(*roles: str) -> tuple[str, ...]:
    """Overrides that keep every other role embedded."""
    others = (role for role in ROLES if role not in roles)
    return tuple(f"llm.roles.{role}.backend=embedded" for role in others)
