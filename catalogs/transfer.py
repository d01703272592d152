"""One published file over HTTP: resumed, verified, and put in place in one step.

What arrives is appended to `<name>.part` beside the target; the target's own name appears only when
size and SHA-256 are right (an atomic rename). A `.part` file that an interrupted run left behind is
continued with an HTTP Range request, and fetched anew where a server ignores ranges or where the
joined pieces turn out wrong.
"""

from __future__ import annotations

import errno
import hashlib
import http.client
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from catalogs.published import PublishedFile

CHUNK = 1 << 16
AGENT = "crsgym-download/1 (python-urllib)"
FULL = {errno.ENOSPC, errno.EDQUOT}
RETRIED = {408, 429, 500, 502, 503, 504}


class TransferError(Exception):
    """A file could not be fetched; the message names the file, the place and the remedy."""


class UnreachableError(TransferError):
    """No answer from the server: no network, no such host, or nothing listening."""


class NotServedError(TransferError):
    """The server answered, but not with the file (404, 403, ...)."""


class InterruptedTransferError(TransferError):
    """The connection ended early, every time it was tried; what arrived is kept for next time."""


class WrongContentError(TransferError):
    """The bytes are not those that were published."""


class CannotWriteError(TransferError):
    """The file system refused: a full disk, missing rights, a folder in the file's place."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to try.

    Attributes:
        attempts: Transfers per file before giving up on a connection that keeps breaking (>= 1).
        pause: Seconds before the second attempt; doubled for each further one.
        timeout: Seconds without any byte before a connection counts as broken.
    """

    attempts: int = 4
    pause: float = 1.0
    timeout: float = 30.0


Progress = Callable[[int], None]


def fetch(
    file: PublishedFile, url: str, target: Path, progress: Progress, effort: Effort | None = None
) -> None:
    """Put `file` at `target`, which must not exist yet.

    Args:
        file: What to expect.
        url: Where it is served.
        target: Final path; its folder is made.
        progress: Called with the bytes present so far; the number falls when a transfer restarts.
        effort: Retries and timeouts.

    Raises:
        TransferError: Its subclasses say what went wrong. `target` does not exist then.
    """
    effort = effort or Effort()
    part = target.with_name(target.name + ".part")
    with _writing(part):
        target.parent.mkdir(parents=True, exist_ok=True)
    resumed = _size(part) > 0
    _complete(file, url, part, progress, effort)
    if resumed and not _matches(part, file):
        # The older piece may come from another version of the file: one transfer from the start.
        _remove(part)
        _complete(file, url, part, progress, effort)
    if not _matches(part, file):
        found = sha256_of(part)
        _remove(part)
        raise WrongContentError(_disagreement(file, url, found))
    with _writing(target):
        part.replace(target)


def sha256_of(path: Path) -> str:
    """Lower-case hexadecimal SHA-256 of a file's bytes.

    Raises:
        CannotWriteError: The path cannot be read as a file.
    """
    with _writing(path), path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _matches(path: Path, file: PublishedFile) -> bool:
    return _size(path) == file.size and sha256_of(path) == file.sha256


def _disagreement(file: PublishedFile, url: str, found: str) -> str:
    return (
        f"{url} serves something else than the published {file.name}: its sha256 is {found} and"
        f" should be {file.sha256}; what arrived was discarded. Try another --base-url."
    )


def _complete(
    file: PublishedFile, url: str, part: Path, progress: Progress, effort: Effort
) -> None:
    """Bring `part` to its full size, over as many attempts as allowed."""
    for attempt in range(effort.attempts):
        if attempt:
            time.sleep(effort.pause * 2 ** (attempt - 1))
        if _size(part) > file.size:
            _remove(part)
        if _size(part) == file.size:
            progress(file.size)
            return
        try:
            _transfer(file, url, part, progress, effort.timeout)
            return
        except InterruptedTransferError as broken:
            failure = broken
    remedy = "Run the same command again"
    if kept := _size(part):
        remedy += f" to continue: {kept:,} of {file.size:,} bytes are kept in {part}"
    raise InterruptedTransferError(
        f"{failure}; given up after {effort.attempts} attempts. {remedy}."
    ) from failure


def _transfer(
    file: PublishedFile, url: str, part: Path, progress: Progress, timeout: float
) -> None:
    """One request: append to `part` what it lacks, or write it anew without range support."""
    response, start = _open(url, _size(part), timeout)
    with response:
        length = response.length
        if length is not None and start + length != file.size:
            raise WrongContentError(
                f"{url} offers {start + length:,} bytes, but the published {file.name} has"
                f" {file.size:,} (sha256 {file.sha256}); nothing was written. A log-in page of the"
                " network looks like this; otherwise try another --base-url."
            )
        missing = file.size - start
        with _writing(part, missing):
            _check_space(part.parent, missing)
            with part.open("ab" if start else "wb") as handle:
                _receive(response, handle, start, file, url, progress)
    if _size(part) > file.size:
        _remove(part)
        raise WrongContentError(
            f"{url} sends more than the {file.size:,} bytes of the published {file.name} (sha256"
            f" {file.sha256}); what arrived was discarded. Try another --base-url."
        )


def _receive(
    response: http.client.HTTPResponse,
    handle: BinaryIO,
    start: int,
    file: PublishedFile,
    url: str,
    progress: Progress,
) -> None:
    """Copy the body to `handle`, at most one byte beyond what was published."""
    done = start
    progress(done)
    while done <= file.size:
        chunk = _read(response, min(CHUNK, file.size + 1 - done), url)
        if not chunk:
            break
        handle.write(chunk)
        done += len(chunk)
        progress(done)
    handle.flush()
    os.fsync(handle.fileno())
    if done < file.size:
        raise InterruptedTransferError(f"{url} broke off after {done:,} of {file.size:,} bytes")


def _read(response: http.client.HTTPResponse, amount: int, url: str) -> bytes:
    try:
        return response.read(amount)
    except TimeoutError as error:
        raise InterruptedTransferError(f"{url} went silent in the middle") from error
    except (OSError, http.client.HTTPException) as error:
        raise InterruptedTransferError(f"{url} broke off ({_reason(error)})") from error


def _open(url: str, offset: int, timeout: float) -> tuple[http.client.HTTPResponse, int]:
    """A response, and the byte of the file at which its body starts."""
    headers = {"User-Agent": AGENT, "Accept-Encoding": "identity"}
    if offset:
        headers["Range"] = f"bytes={offset}-"
    try:
        response: http.client.HTTPResponse = urlopen(Request(url, headers=headers), timeout=timeout)
    except HTTPError as error:
        error.close()
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and offset:
            return _open(url, 0, timeout)
        raise _refusal(url, error) from error
    except (http.client.HTTPException, OSError) as error:
        raise _silence(url, error) from error
    if response.status != http.HTTPStatus.PARTIAL_CONTENT:
        return response, 0
    if response.headers.get("Content-Range", "").startswith(f"bytes {offset}-"):
        return response, offset
    response.close()
    if not offset:
        raise NotServedError(f"{url} answers with a part that was not asked for. Try --base-url.")
    return _open(url, 0, timeout)


def _refusal(url: str, error: HTTPError) -> TransferError:
    """What an HTTP error status means for the user."""
    status = f"{error.code} {error.reason}".strip()
    if error.code in RETRIED:
        return InterruptedTransferError(f"{url} is not available right now ({status})")
    if error.code in {http.HTTPStatus.NOT_FOUND, http.HTTPStatus.GONE}:
        return NotServedError(
            f"{url} does not exist ({status}): the file has moved. Try another --base-url."
        )
    return NotServedError(f"{url} was refused ({status}). Try another --base-url.")


def _silence(url: str, error: Exception) -> TransferError:
    """Why no status line came: a break that may pass, or a server that cannot be reached."""
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, http.client.HTTPException | ConnectionResetError | ConnectionAbortedError):
        return InterruptedTransferError(f"{url} broke off ({_reason(cause)})")
    return UnreachableError(f"{url} cannot be reached ({_reason(cause)}). Is the network there?")


def _reason(cause: object) -> str:
    if isinstance(cause, TimeoutError):
        return "no answer in time"
    return str(cause) or type(cause).__name__


def _check_space(folder: Path, missing: int) -> None:
    if shutil.disk_usage(folder).free < missing:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def _writing(path: Path, missing: int = 0) -> Iterator[None]:
    """Turn what the file system refuses about `path` into a `CannotWriteError`."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        remedy = "Name another folder with --dir or CRS_DATA, or change this one's rights."
        if error.errno in FULL:
            remedy = f"Make room for {missing:,} more bytes, or name another folder with --dir."
        raise CannotWriteError(f"{path}: {reason}. {remedy}") from error


def _size(path: Path) -> int:
    """Bytes in `path`; 0 when it does not exist."""
    with _writing(path):
        return path.stat().st_size if path.exists() else 0


def _remove(path: Path) -> None:
    with _writing(path):
        path.unlink(missing_ok=True)
