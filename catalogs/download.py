"""Fetch a published data set: `python -m catalogs.download redial|opendialkg`.

The files go to `<CRS_DATA or ~/.cache/crsgym>/<dataset>/`. Each is checked against its published
size and SHA-256; one that is there and right is not asked for again, one that is there and differs
is left alone and reported. Where the files are served, and what is not certain about that, is told
in `catalogs.published`; `--base-url` names a mirror with the layout `<base-url>/<dataset>/<file>`,
which is the layout of the data folder itself.

ReDial is licensed CC BY 4.0, OpenDialKG CC BY-NC 4.0.

Exit codes: 0 all files are there and right, 1 something failed, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from rapidfuzz import process
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
)

from catalogs.location import data_root
from catalogs.published import PUBLISHED, Publication, PublishedFile
from catalogs.transfer import (
    CannotWriteError,
    Effort,
    TransferError,
    UnreachableError,
    WrongContentError,
    fetch,
    sha256_of,
)

# The next file would meet the same trouble.
HOPELESS = (UnreachableError, CannotWriteError)


def download(
    publication: Publication,
    root: Path,
    base_url: str | None = None,
    effort: Effort | None = None,
    console: Console | None = None,
) -> list[TransferError]:
    """Fetch what is missing of a data set into `root / publication.dataset`.

    Args:
        publication: The data set.
        root: The data folder (see `data_root`).
        base_url: A mirror; by default each file comes from its own published address.
        effort: Retries and timeouts.
        console: Where progress is shown; standard output by default.

    Returns:
        What failed, in the order of the files; empty when every file is there and right.
    """
    failures: list[TransferError] = []
    with _bars(console or Console()) as bars:
        for file in publication.files:
            target = root / publication.dataset / file.name
            bar = bars.add_task(file.name, total=file.size, note="")
            try:
                note = _obtain(
                    file, address(publication, file, base_url), target, bars, bar, effort
                )
                bars.update(bar, completed=file.size, note=note)
            except TransferError as failure:
                bars.update(bar, note="failed")
                failures.append(failure)
                if isinstance(failure, HOPELESS):
                    break
    return failures


def _obtain(
    file: PublishedFile, url: str, target: Path, bars: Progress, bar: TaskID, effort: Effort | None
) -> str:
    """See that the right file is at `target`; returns what that took."""
    if _is_there(file, target):
        return "already there"

    def show(present: int) -> None:
        bars.update(bar, completed=present)

    fetch(file, url, target, show, effort)
    return "fetched"


def address(publication: Publication, file: PublishedFile, base_url: str | None = None) -> str:
    """Where a file is served: its published address, or its place in a mirror."""
    if base_url is None:
        return file.url
    return f"{base_url.rstrip('/')}/{publication.dataset}/{file.name}"


def by_hand(publication: Publication, root: Path, base_url: str | None = None) -> str:
    """What to put where, for every file not there yet; empty if none is missing."""
    lines = []
    for file in publication.files:
        target = (root / publication.dataset / file.name).absolute()
        if not os.path.exists(target):
            lines.append(f"  {target}")
            lines.append(f"    from {address(publication, file, base_url)}")
            lines.append(f"    {file.size:,} bytes, sha256 {file.sha256}")
    if lines:
        lines.insert(0, "By hand: save each address under the path above it, byte for byte, and")
        lines.insert(1, "run the same command again; it checks them without using the network.")
    return "\n".join(lines)


def main(
    argv: Sequence[str] | None = None,
    published: Mapping[str, Publication] = PUBLISHED,
    effort: Effort | None = None,
) -> int:
    """The command line; returns the exit code.

    Raises:
        SystemExit: With code 2 on wrong usage, 0 after `--help`.
    """
    options = _parse(argv, published)
    publication = published[options.dataset]
    root = options.dir.expanduser() if options.dir else data_root()
    print(f"{publication.licence}.\nInto {(root / publication.dataset).absolute()}", flush=True)
    try:
        failures = download(publication, root, options.base_url, effort)
    except KeyboardInterrupt:
        print("Interrupted. Run the same command again to continue.", file=sys.stderr)
        return 1
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    manual = by_hand(publication, root, options.base_url)
    if manual and any(not isinstance(failure, CannotWriteError) for failure in failures):
        print(manual, file=sys.stderr)
    return 1 if failures else 0


def _is_there(file: PublishedFile, target: Path) -> bool:
    """Whether the right file is at `target`.

    Raises:
        WrongContentError: Another file is there; it is left as it is.
    """
    if not os.path.exists(target):
        return False
    found = sha256_of(target)
    if found == file.sha256:
        return True
    raise WrongContentError(
        f"{target.absolute()} is there but is not the published file: its sha256 is {found} and"
        f" should be {file.sha256}. It was left as it was; move it away to fetch the published one."
    )


def _bars(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[note]}"),
        console=console,
    )


def _parse(argv: Sequence[str] | None, published: Mapping[str, Publication]) -> argparse.Namespace:
    known = " or ".join(published)
    parser = argparse.ArgumentParser(
        prog="python -m catalogs.download",
        description="Fetch a published data set and check every file's hash.",
    )
    parser.add_argument("dataset", help=known)
    parser.add_argument("--dir", type=Path, help="data folder (default: CRS_DATA, ~/.cache/crsgym)")
    parser.add_argument(
        "--base-url", help="a mirror that serves <base-url>/<dataset>/<file> over http or https"
    )
    options = parser.parse_args(argv)
    if options.dataset not in published:
        nearest = process.extractOne(options.dataset.lower(), list(published))[0]
        parser.error(f"unknown data set {options.dataset!r}: did you mean {nearest}? ({known})")
    if options.base_url is not None and not _is_web_address(options.base_url):
        parser.error(f"--base-url {options.base_url!r} is not of the form https://host/path")
    return options


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        return False
    plain = url.isascii() and url.isprintable() and " " not in url
    return plain and port_is_fine and parts.scheme in {"http", "https"} and bool(parts.hostname)


if __name__ == "__main__":
    sys.exit(main())
