"""What the hash of an experience base depends on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conf import experience_identity
from conf.environments import make_env
from conf.experience import experience_hash
from conf.experience_identity import code_digest
from tests.conf.bases import configured
from tests.model_runs import samples

__all__ = ["samples"]  # a fixture

CHANGES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "users": lambda c: c["experience"].update(users=4),
    "simulations": lambda c: c["experience"].update(n_el=4),
    "depth": lambda c: c["experience"].update(k_el=2),
    "turn limit": lambda c: c["env"].update(max_turns=9),
    "retriever": lambda c: c["env"].update(retrieval="lexical"),
    "reward": lambda c: c["reward"]["terms"].update(cost=0.2),
    "discount": lambda c: c["reward"].update(discount=0.9),
    "a model": lambda c: c["llm"]["roles"]["user"].update(backend="server"),
}
SAME: dict[str, Callable[[dict[str, Any]], Any]] = {
    "seed": lambda c: c.update(seed=5),
    "split": lambda c: c.update(split="train"),
    "the planner's constants": lambda c: c["planner"].update(w_prior=0.1),
    "rebuild": lambda c: c["experience"].update(rebuild=True),
    "a judge": lambda c: c["llm"]["roles"]["judge"].update(backend="server"),
    "patience with models": lambda c: c["llm"].update(max_attempts=2),
    "workers": lambda c: c.update(workers=2),
}


def hash_of(change: Callable[[dict[str, Any]], Any] | None = None) -> str | None:
    config = configured(Path("unused"))
    if change is not None:
        change(config)
    return experience_hash(config, make_env(config))


@pytest.mark.parametrize("name", CHANGES)
def test_what_decides_how_dialogues_go_changes_the_hash(name: str, samples: None) -> None:
    assert hash_of(CHANGES[name]) != hash_of()


@pytest.mark.parametrize("name", SAME)
def test_what_does_not_leaves_it(name: str, samples: None) -> None:
    assert hash_of(SAME[name]) == hash_of()


def test_items_and_personas_change_the_hash(samples: None, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hash_of()
    config = configured(Path("unused"))
    env = make_env(config)
    world: Any = env.unwrapped
    people = world.world.personas
    with monkeypatch.context() as patch:
        patch.setattr(world.world, "personas", people[::-1])
        assert experience_hash(config, env) != before
    items = world.world.catalog.items
    with monkeypatch.context() as patch:
        patch.setattr(world.world.catalog, "items", items[:-1])
        assert experience_hash(config, env) != before
    assert experience_hash(config, env) == before


def test_code_that_decides_changes_the_hash_and_code_that_reads_does_not(tmp_path: Path) -> None:
    def digest() -> str:
        return code_digest.__wrapped__(tmp_path)

    for name in ("planners/experience/policy.py", "search/uct.py", "envs/notes.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
    before = digest()
    for ignored in ("planners/experience/policy.py", "envs/notes.md"):
        (tmp_path / ignored).write_text("two")
        assert digest() == before
    (tmp_path / "search" / "uct.py").write_text("two")
    assert digest() != before


def test_the_files_that_are_left_out_exist() -> None:
    root = experience_identity.ROOT
    assert all((root / name).is_file() for name in experience_identity.IGNORED)
    assert all((root / folder).is_dir() for folder in experience_identity.FOLDERS)
