"""Reading a text file that may not be one: each way to be another format gets its own words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from catalogs.rows import fail, type_name

_MAGIC = {
    b"PK\x03\x04": "a ZIP archive or an Excel workbook",
    b"\x1f\x8b": "a gzip archive",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"SQLite format 3": "an SQLite database",
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}
_HTML = re.compile(rb"\s*<(!doctype|html|head|body|\?xml)", re.IGNORECASE)
_SAMPLE = 4096
_CONTROL = bytes(set(range(32)) - {9, 10, 12, 13})


def read_text(path: Path) -> str:
    r"""The text of a file, byte order mark removed, line ends as ``\n``.

    Bytes that are not UTF-8 come back as lone surrogates (``surrogateescape``), so that a loader
    can say in which row they are.

    Raises:
        CatalogError: The file cannot be read, is empty, or is not text.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        fail(path, "whole file", f"cannot be read: {reason}", "give the path of a readable file")
    if not raw.strip():
        fail(path, "whole file", "the file is empty", "download or export it again")
    kind = _foreign(raw)
    if kind:
        fail(path, "whole file", f"this is {kind}", "export the items as UTF-8 text")
    text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        text = text if "\n" in text else text.replace("\r", "\n")
    return text


def _foreign(raw: bytes) -> str | None:
    for magic, kind in _MAGIC.items():
        if raw.startswith(magic):
            return kind
    if _HTML.match(raw):
        return "a web page (perhaps an error page saved in place of the data)"
    sample = raw[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROL))
    return "a binary file" if controls * 10 > len(sample) else None


class JsonTable:
    """One JSON object whose keys are item ids, as both published data sets have it."""

    def __init__(self, path: Path) -> None:
        """Read and parse.

        Raises:
            CatalogError: The file is no JSON object.
        """
        self.text = read_text(path)
        try:
            top = json.loads(self.text, object_pairs_hook=_Pairs)
        except json.JSONDecodeError as error:
            where = f"line {error.lineno}, column {error.colno}"
            fail(path, where, f"not JSON: {error.msg}", "download the file again")
        except (ValueError, RecursionError) as error:
            fail(path, "whole file", f"not usable JSON: {error}", "download the file again")
        if not isinstance(top, _Pairs):
            fail(
                path,
                "whole file",
                f"an object of items by id was expected, not {type_name(top)}",
                "give the data set's id2info.json",
            )
        self.entries: list[tuple[str, Any]] = top.pairs

    def where(self, key: str) -> str:
        """The place of a key's first appearance, for an error."""
        match = re.search(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:", self.text)
        line = 1 + self.text.count("\n", 0, match.start() if match else 0)
        return f"key {key!r} (line {line})"


class _Pairs(dict[str, Any]):
    """A JSON object that keeps repeated keys, which a dict would lose without a word."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs
