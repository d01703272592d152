"""The download command against a local HTTP server: what it fetches, says and returns."""

import hashlib
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from catalogs.download import address, by_hand, download, main
from catalogs.location import data_root
from catalogs.published import PUBLISHED, Publication, PublishedFile
from catalogs.transfer import UnreachableError
from tests.catalogs.file_server import (
    LICENCE,
    QUICK,
    Behaviour,
    closed_port,
    contents,
    run,
    served,
)

ROOT = Path(__file__).resolve().parents[2]


def test_fresh_download_then_nothing_to_do(
    toy: Publication, how: Behaviour, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(toy, folder) == 0
    assert contents(folder) == served(how)
    out = capsys.readouterr().out
    assert LICENCE in out
    assert str(folder) in out
    assert "items.json" in out
    assert [path for path, _ in how.asked] == ["/toy/items.json", "/toy/kg.json"]

    how.asked.clear()
    assert run(toy, folder) == 0
    assert how.asked == []
    assert "already there" in capsys.readouterr().out


def test_mirror_replaces_the_published_address(
    toy: Publication, how: Behaviour, base: str, folder: Path
) -> None:
    gone = tuple(
        PublishedFile(f.name, "http://127.0.0.1:9/gone", f.size, f.sha256) for f in toy.files
    )
    assert run(Publication("toy", LICENCE, gone), folder, "--base-url", base + "/") == 0
    assert contents(folder) == served(how)


def test_a_file_of_the_users_is_never_touched(
    toy: Publication, how: Behaviour, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir(parents=True)
    mine = folder / "items.json"
    mine.write_bytes(b"my own edit")
    assert run(toy, folder) == 1
    assert mine.read_bytes() == b"my own edit"
    assert how.asked == [("/toy/kg.json", None)]
    err = capsys.readouterr().err
    assert hashlib.sha256(b"my own edit").hexdigest() in err
    assert toy.files[0].sha256 in err
    assert "left as it was" in err
    assert "By hand" not in err


@pytest.mark.parametrize(
    ("status", "words"), [(404, "does not exist (404"), (410, "moved"), (403, "refused (403")]
)
def test_not_served(
    toy: Publication,
    how: Behaviour,
    folder: Path,
    status: int,
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    how.statuses = [status]
    assert run(toy, folder) == 1
    err = capsys.readouterr().err
    assert words in err
    assert "--base-url" in err
    assert str(folder / "items.json") in err
    assert list(contents(folder)) == ["kg.json"]


def test_offline_says_what_goes_where(
    toy: Publication, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = f"http://127.0.0.1:{closed_port()}"
    assert run(toy, folder, "--base-url", base) == 1
    err = capsys.readouterr().err
    assert err.count("cannot be reached") == 1  # the second file is not tried
    assert "By hand" in err
    for file in toy.files:
        assert str(folder / file.name) in err
        assert f"{base}/toy/{file.name}" in err
        assert f"{file.size:,} bytes, sha256 {file.sha256}" in err
    assert contents(folder) == {}


def test_done_by_hand_needs_no_network(toy: Publication, how: Behaviour, folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, body in served(how).items():
        (folder / name).write_bytes(body)
    assert run(toy, folder, "--base-url", f"http://127.0.0.1:{closed_port()}") == 0


def test_unknown_host(toy: Publication, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_such_host(*args: object, **kwargs: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", no_such_host)
    failures = download(toy, folder.parent, "http://nowhere.invalid", QUICK)
    assert [type(failure) for failure in failures] == [UnreachableError]
    assert "Name or service not known" in str(failures[0])


def test_a_file_where_the_folder_should_be(
    toy: Publication, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.parent.mkdir()
    folder.write_text("in the way")
    assert run(toy, folder) == 1
    err = capsys.readouterr().err
    assert str(folder) in err
    assert "--dir" in err
    assert folder.read_text() == "in the way"


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["redail"], "did you mean redial?"),
        (["OpenDialKG2"], "did you mean opendialkg?"),
        (["redial", "--base-url", "ftp://host/x"], "is not of the form https://"),
        (["redial", "--base-url", "http://"], "is not of the form https://"),
        (["redial", "--base-url", "http://host:port"], "is not of the form https://"),
        (["redial", "--base-url", ""], "is not of the form https://"),
        ([], "dataset"),
    ],
)
def test_wrong_usage(words: list[str], answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert answer in capsys.readouterr().err


def test_command_line_offline(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "catalogs.download", "redial"]
    base = f"http://127.0.0.1:{closed_port()}"
    done = subprocess.run(
        [*command, "--base-url", base],
        cwd=ROOT,
        env={**os.environ, "CRS_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "CC BY 4.0" in done.stdout
    assert "Traceback" not in done.stderr
    for file in PUBLISHED["redial"].files:
        assert str(tmp_path / "redial" / file.name) in done.stderr
        assert file.sha256 in done.stderr


def test_by_hand_lists_only_what_is_missing(toy: Publication, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "kg.json").write_bytes(b"{}")
    text = by_hand(toy, folder.parent)
    assert "items.json" in text
    assert "kg.json" not in text
    (folder / "items.json").write_bytes(b"{}")
    assert by_hand(toy, folder.parent) == ""


def test_published_table_is_sound() -> None:
    assert set(PUBLISHED) == {"redial", "opendialkg"}
    assert "CC BY 4.0" in PUBLISHED["redial"].licence
    assert "CC BY-NC 4.0" in PUBLISHED["opendialkg"].licence
    for publication in PUBLISHED.values():
        names = [file.name for file in publication.files]
        assert names[0] == "id2info.json"
        assert len(set(names)) == len(names)
        for file in publication.files:
            assert file.size > 0
            assert len(bytes.fromhex(file.sha256)) == 32
            assert address(publication, file).endswith(f"/{file.name}")
            assert address(publication, file).startswith("https://")


@pytest.mark.data
@pytest.mark.parametrize("dataset", sorted(PUBLISHED))
def test_table_describes_the_data_at_hand(dataset: str, capsys: pytest.CaptureFixture[str]) -> None:
    root = os.environ.get("CRS_DATA")
    if not root or not (Path(root) / dataset).is_dir():
        pytest.skip(f"no {dataset} in CRS_DATA")
    offline = f"http://127.0.0.1:{closed_port()}"
    assert main([dataset, "--base-url", offline], effort=QUICK) == 0
    names = {path.name for path in (Path(root) / dataset).iterdir()}
    assert {file.name for file in PUBLISHED[dataset].files} <= names


def test_data_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CRS_DATA", "~/sets")
    assert data_root() == tmp_path / "sets"
    monkeypatch.setenv("CRS_DATA", "  ")
    assert data_root() == tmp_path / ".cache" / "crsgym"
    monkeypatch.delenv("CRS_DATA")
    assert data_root() == tmp_path / ".cache" / "crsgym"
    monkeypatch.setenv("CRS_DATA", "../sets")
    assert data_root() == Path("../sets")
