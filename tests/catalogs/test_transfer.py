"""Resuming, restarting and giving up, against a local HTTP server with small real files."""

import hashlib
import socket
from pathlib import Path
from threading import Event, Thread

import pytest

from catalogs import transfer
from catalogs.download import download
from catalogs.published import Publication
from catalogs.transfer import Effort, InterruptedTransferError, UnreachableError
from tests.catalogs.file_server import QUICK, Behaviour, contents, leave_part, run, served


@pytest.mark.parametrize("kept", [1, 1000, 299_999])
def test_resumes_where_an_earlier_run_stopped(
    toy: Publication, how: Behaviour, folder: Path, kept: int
) -> None:
    leave_part(folder, how.bodies["/toy/items.json"][:kept])
    assert run(toy, folder) == 0
    assert how.asked[0] == ("/toy/items.json", f"bytes={kept}-")
    assert contents(folder) == served(how)


def test_a_complete_part_needs_no_request(toy: Publication, how: Behaviour, folder: Path) -> None:
    leave_part(folder, how.bodies["/toy/items.json"])
    assert run(toy, folder) == 0
    assert [path for path, _ in how.asked] == ["/toy/kg.json"]
    assert contents(folder) == served(how)


@pytest.mark.parametrize("fault", ["no ranges", "another range"])
def test_starts_anew_without_usable_ranges(
    toy: Publication, how: Behaviour, folder: Path, fault: str
) -> None:
    how.ranges = fault != "no ranges"
    how.shifted = fault == "another range"
    leave_part(folder, how.bodies["/toy/items.json"][:1000])
    assert run(toy, folder) == 0
    wanted = [wanted for path, wanted in how.asked if path == "/toy/items.json"]
    assert wanted == (["bytes=1000-", None] if how.shifted else ["bytes=1000-"])
    assert contents(folder) == served(how)


@pytest.mark.parametrize("size", [1000, 300_000, 300_001])
def test_a_stale_part_is_fetched_anew(
    toy: Publication, how: Behaviour, folder: Path, size: int
) -> None:
    leave_part(folder, b"x" * size)
    assert run(toy, folder) == 0
    assert how.asked[0][1] == ("bytes=1000-" if size == 1000 else None)
    assert contents(folder) == served(how)


def test_a_part_longer_than_what_is_served_is_restarted(
    toy: Publication, how: Behaviour, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leave_part(folder, how.bodies["/toy/items.json"][:5000])
    how.bodies["/toy/items.json"] = b"short"  # the range is answered with 416
    assert run(toy, folder) == 1
    assert [wanted for _, wanted in how.asked[:2]] == ["bytes=5000-", None]
    assert "offers 5 bytes" in capsys.readouterr().err


def test_hang_ups_are_resumed_within_one_run(
    toy: Publication, how: Behaviour, folder: Path
) -> None:
    how.drop_after = [100_000, 50_000]
    assert run(toy, folder) == 0
    assert [wanted for _, wanted in how.asked[:3]] == [None, "bytes=100000-", "bytes=150000-"]
    assert contents(folder) == served(how)


def test_a_busy_server_is_asked_again(toy: Publication, how: Behaviour, folder: Path) -> None:
    how.statuses = [503, 429]
    assert run(toy, folder) == 0
    assert contents(folder) == served(how)


def test_no_announced_length(toy: Publication, how: Behaviour, folder: Path) -> None:
    how.lengthless = True
    assert run(toy, folder) == 0
    assert contents(folder) == served(how)


def test_progress_counts_bytes_present(toy: Publication, how: Behaviour, folder: Path) -> None:
    leave_part(folder, how.bodies["/toy/items.json"][:1000])
    seen: list[int] = []
    file = toy.files[0]
    transfer.fetch(file, file.url, folder / file.name, seen.append, QUICK)
    assert seen[0] == 1000
    assert seen[-1] == file.size
    assert seen == sorted(seen)


def test_gives_up_on_a_line_that_keeps_breaking_then_resumes(
    toy: Publication, how: Behaviour, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    how.drop_after = [1000, 1000, 1000]
    assert run(toy, folder) == 1
    assert contents(folder) == {
        "items.json.part": how.bodies["/toy/items.json"][:3000],
        "kg.json": how.bodies["/toy/kg.json"],
    }
    err = capsys.readouterr().err
    assert "broke off after 3,000 of 300,000 bytes" in err
    assert "given up after 3 attempts" in err
    assert str(folder / "items.json.part") in err

    how.asked.clear()
    assert run(toy, folder) == 0
    assert how.asked == [("/toy/items.json", "bytes=3000-")]
    assert contents(folder) == served(how)


def test_wrong_hash_names_both_and_leaves_nothing(
    toy: Publication, how: Behaviour, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = b"y" * 300_000
    how.bodies["/toy/items.json"] = other
    assert run(toy, folder) == 1
    err = capsys.readouterr().err
    assert hashlib.sha256(other).hexdigest() in err
    assert toy.files[0].sha256 in err
    assert list(contents(folder)) == ["kg.json"]


@pytest.mark.parametrize("body", [b"<html>log in</html>", b"z" * 300_001])
@pytest.mark.parametrize("announced", [True, False])
def test_wrong_size_is_told(
    toy: Publication,
    how: Behaviour,
    folder: Path,
    body: bytes,
    announced: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    how.bodies["/toy/items.json"] = body
    how.lengthless = not announced
    assert run(toy, folder) == 1
    err = capsys.readouterr().err
    assert "300,000" in err
    assert toy.files[0].sha256 in err
    assert ("sends more than" in err) == (how.lengthless and len(body) > 300_000)
    kept = contents(folder).pop("items.json.part", b"")
    assert "items.json" not in contents(folder)
    assert len(kept) < 300_000


def test_a_server_that_stays_busy(
    toy: Publication, how: Behaviour, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    how.statuses = [503] * 3
    assert run(toy, folder) == 1
    assert "not available right now (503" in capsys.readouterr().err


def test_silent_server_times_out(toy: Publication, folder: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        base = f"http://127.0.0.1:{silent.getsockname()[1]}"
        failures = download(toy, folder.parent, base, Effort(1, 0.0, 0.2))
    assert [type(failure) for failure in failures] == [UnreachableError]
    assert "no answer in time" in str(failures[0])


def test_server_falls_silent_in_the_middle(toy: Publication, folder: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        done = Event()

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\nabc")
                done.wait(5)

        thread = Thread(target=answer)
        thread.start()
        file = toy.files[0]
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/items.json"
        with pytest.raises(InterruptedTransferError, match="went silent"):
            transfer.fetch(file, url, folder / file.name, lambda n: None, Effort(1, 0.0, 0.3))
        done.set()
        thread.join()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_full_disk_while_writing(
    toy: Publication, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir(parents=True)
    (folder / "items.json.part").symlink_to("/dev/full")
    assert run(toy, folder) == 1
    err = capsys.readouterr().err
    assert "No space left on device" in err
    assert "Make room for 300,000 more bytes" in err
    assert not (folder / "items.json").exists()


def test_full_disk_is_seen_before_writing(
    toy: Publication, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage:
        free = 299_999

    monkeypatch.setattr("catalogs.transfer.shutil.disk_usage", lambda path: Usage)
    failures = download(toy, folder.parent, None, QUICK)
    assert len(failures) == 1
    assert "Make room for 300,000 more bytes" in str(failures[0])
    assert contents(folder) == {}


def test_ctrl_c_keeps_the_part(
    toy: Publication,
    how: Behaviour,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    read = transfer._read
    calls = iter(range(100))

    def read_then_stop(response, amount, url):
        if next(calls) == 2:
            raise KeyboardInterrupt
        return read(response, amount, url)

    monkeypatch.setattr(transfer, "_read", read_then_stop)
    assert run(toy, folder) == 1
    assert "again to continue" in capsys.readouterr().err
    kept = contents(folder)["items.json.part"]
    assert 0 < len(kept) < 300_000
    monkeypatch.setattr(transfer, "_read", read)
    assert run(toy, folder) == 0
    assert contents(folder) == served(how)
