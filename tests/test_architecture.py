"""The house's rules, read off the source: floors, names, file lengths, the package list.

Everything here parses files; nothing of the project is imported, so that a broken import upstairs
does not hide a broken rule downstairs.
"""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# A unit imports only units whose floor is strictly lower, and itself.
FLOORS = {
    "catalogs": 0,
    "search": 0,
    "dialogue": 1,
    "language": 2,
    "retrieval": 3,
    "simulators": 4,
    "rewards": 4,
    "envs": 5,
    "planners": 6,
    "baselines": 6,
    "evaluation": 7,
    "serving": 8,
    "conf": 8,
    "train": 9,
    "compare": 9,
}
# They look at the whole house from outside, and nothing inside may lean on them.
OUTSIDE = {"tests", "benchmarks"}

BANNED_FOLDERS = {"utils", "common", "core", "helpers", "misc"}
BANNED_FILES = {"utils", "common", "helpers", "misc"}
LINE_LIMIT = 400

# Folders that may lie in a checkout without being part of the project.
NOT_OURS = {"build", "dist", "outputs", "multirun", "runs", "wandb", "__pycache__"}


def python_files(root: Path) -> list[Path]:
    """Every Python file of the checkout at `root`, as sorted paths relative to it."""
    files = list(root.glob("*.py"))
    for folder in root.iterdir():
        foreign = folder.name in NOT_OURS or folder.name.startswith(".")
        if folder.is_dir() and not foreign and not (folder / "pyvenv.cfg").exists():
            files += folder.rglob("*.py")
    return sorted(file.relative_to(root) for file in files)


def unit_of(file: Path) -> str:
    """`envs/masks.py` -> `envs`; `train.py` -> `train`."""
    return file.parts[0].removesuffix(".py")


def imported_units(source: str) -> Iterator[tuple[int, str]]:
    """Line and top-level name of each absolute import, `import_module("x.y")` included."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield node.lineno, alias.name.split(".")[0]
            case ast.ImportFrom(module=str(module), level=0):
                yield node.lineno, module.split(".")[0]
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                yield node.lineno, module.split(".")[0]


def floor_violations(root: Path) -> list[str]:
    """Imports of a unit's own floor or of a floor above it, one readable line each."""
    found = []
    for file in python_files(root):
        unit = unit_of(file)
        if unit not in FLOORS:
            continue
        for line, target in imported_units((root / file).read_text(encoding="utf-8")):
            if target in OUTSIDE:
                found.append(f"{file}:{line}: imports {target}, which is outside the house")
            elif target in FLOORS and target != unit and FLOORS[target] >= FLOORS[unit]:
                found.append(
                    f"{file}:{line}: {unit} (floor {FLOORS[unit]}) imports "
                    f"{target} (floor {FLOORS[target]})"
                )
    return found


def name_violations(root: Path) -> list[str]:
    """Folders and files that are named for no subject."""
    return [
        f"{file}: name it, and its folder, for what it is about"
        for file in python_files(root)
        if BANNED_FOLDERS & set(file.parts[:-1]) or file.stem in BANNED_FILES
    ]


def length_violations(root: Path) -> list[str]:
    """Python files of more than `LINE_LIMIT` lines."""
    found = []
    for file in python_files(root):
        lines = len((root / file).read_text(encoding="utf-8").splitlines())
        if lines > LINE_LIMIT:
            found.append(f"{file}: {lines} lines, more than {LINE_LIMIT}; split it by subject")
    return found


def unplaced(root: Path) -> list[str]:
    """Top-level folders and modules with Python in them that have no floor."""
    units = {unit_of(file) for file in python_files(root)}
    return sorted(units - FLOORS.keys() - OUTSIDE)


def test_imports_go_downward() -> None:
    assert floor_violations(ROOT) == []


def test_everything_has_a_floor() -> None:
    assert unplaced(ROOT) == [], "give it a floor here and in CONTRIBUTING.md"


def test_names_say_a_subject() -> None:
    assert name_violations(ROOT) == []


def test_files_are_short() -> None:
    assert length_violations(ROOT) == []


def test_dialogue_knows_no_goals() -> None:
    """What a policy reads is built from `dialogue`, so a goal must not even be nameable there."""
    found = []
    for file in python_files(ROOT):
        if unit_of(file) != "dialogue":
            continue
        for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
            names = [alias.name for alias in getattr(node, "names", []) if hasattr(alias, "name")]
            names.append(str(getattr(node, "module", "")))
            if any("goal" in name.lower() for name in names):
                found.append(f"{file}:{node.lineno}")  # type: ignore[attr-defined]
    assert found == []


def test_packages_are_listed() -> None:
    """The explicit list of a flat layout goes stale silently: compare it with the tree."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    setuptools = config["tool"]["setuptools"]
    listed = {name.removesuffix(".*") for name in setuptools["packages"]["find"]["include"]}
    listed |= set(setuptools["py-modules"])
    present = {unit_of(file) for file in python_files(ROOT)} - OUTSIDE
    assert present == listed
    uninitialised = {
        str(file.parent)
        for file in python_files(ROOT)
        if len(file.parts) > 1
        and file.parts[0] not in OUTSIDE
        and not (ROOT / file.parent / "__init__.py").exists()
    }
    assert uninitialised == set()


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "line",
    [
        "import envs",
        "import os, envs.masks as masks",
        "from envs.masks import legal",
        "def late():\n    from envs import Conversation",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import envs",
        "import importlib\nimportlib.import_module('envs.masks')",
        "from rewards import Accept",  # the same floor
        "import tests.fakes",
    ],
)
def test_an_upward_import_is_found(tmp_path: Path, line: str) -> None:
    write(tmp_path, "simulators/persona.py", line)
    assert len(floor_violations(tmp_path)) == 1


def test_allowed_imports_pass(tmp_path: Path) -> None:
    allowed = (
        "import numpy\nimport catalogs\nfrom simulators.user import User\nfrom . import user\n"
    )
    write(tmp_path, "simulators/persona.py", allowed)
    write(tmp_path, "tests/test_all.py", "import envs, simulators\n")
    write(tmp_path, ".venv/lib/simulators/x.py", "import envs\n")
    assert floor_violations(tmp_path) == []
    assert unplaced(tmp_path) == []


def test_other_violations_are_found(tmp_path: Path) -> None:
    write(tmp_path, "planners/utils/trees.py", "x = 1\n")
    write(tmp_path, "planners/helpers.py", "x = 1\n")
    write(tmp_path, "planners/long.py", "x = 1\n" * (LINE_LIMIT + 1))
    write(tmp_path, "planners/fits.py", "x = 1\n" * LINE_LIMIT)
    write(tmp_path, "attic/box.py", "x = 1\n")
    assert [entry.split(":")[0] for entry in name_violations(tmp_path)] == [
        "planners/helpers.py",
        "planners/utils/trees.py",
    ]
    assert len(length_violations(tmp_path)) == 1
    assert unplaced(tmp_path) == ["attic"]
