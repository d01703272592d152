"""A base that cannot be read or written where it belongs names ``experience.dir``."""

import errno
import io
import os
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from conf import experience
from conf.environments import make_env
from conf.experience import experience_file, experience_hash
from conf.run_errors import RunError
from tests.conf.bases import configured

PREFIX = r"experience\.dir: "


@pytest.fixture
def opened(no_data: str, tmp_path: Path) -> tuple[dict[str, Any], Any, Path]:
    """A configuration, its environment, and where its base goes."""
    config = configured(tmp_path)
    env = make_env(config)
    folder = tmp_path / f"{config['env']['name']}-{experience_hash(config, env)}"
    return config, env, folder / "base.jsonl"


def fails(
    opened: tuple[dict[str, Any], Any, Path], match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(*_: Any, **__: Any) -> None:
        raise AssertionError("nothing may be made")

    monkeypatch.setattr(experience, "evaluate", held)
    with pytest.raises(RunError, match=PREFIX + match):
        experience_file(*opened[:2], Console(file=io.StringIO()))


def test_a_directory_in_its_place_is_found_before_anything_is_made(
    opened: tuple[dict[str, Any], Any, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened[2].mkdir(parents=True)
    fails(opened, r".*base\.jsonl is a directory where a base goes; remove it", monkeypatch)


def test_a_base_that_may_not_be_read_stays(
    opened: tuple[dict[str, Any], Any, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened[2].parent.mkdir()
    opened[2].write_text("somebody else's")
    plain = Path.open

    def closed(path: Path, *arguments: Any, **more: Any) -> Any:
        if path == opened[2]:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return plain(path, *arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", closed)
        fails(opened, r".*base\.jsonl cannot be read \(Permission denied\)", monkeypatch)
    assert opened[2].read_text() == "somebody else's"


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.ENOENT])
def test_a_folder_that_cannot_be_written_to(
    code: int, opened: tuple[dict[str, Any], Any, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise OSError(code, os.strerror(code), str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    fails(opened, r".* cannot be made or written to", monkeypatch)


def test_errors_of_other_files_are_not_its_own(
    opened: tuple[dict[str, Any], Any, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EACCES, "no", "/elsewhere/agent.zip")

    monkeypatch.setattr(experience, "evaluate", elsewhere)
    with pytest.raises(PermissionError):
        experience_file(*opened[:2], Console(file=io.StringIO()))
