"""Which files make up a published data set: where each is served, its size and its hash.

The processed files come out of two public research repositories, each pinned to one commit:

- `txy77/iEvaLM-CRS` (code of the iEvaLM evaluation, EMNLP 2023): ReDial's item catalogue, the
  processed ReDial dialogues, and every OpenDialKG file.
- `wxl1999/CFCRS` (code of the CFCRS paper, KDD 2023): ReDial's raw validation dialogues and its
  knowledge graph. The `id2info.json` there is another version, so the first repository's is used.

What is certain is the content: sizes and hashes were computed from the files that the project is
measured on. That the two repositories serve the same bytes was checked by length and ending, not
byte for byte, and a repository can disappear; the hash decides, and `--base-url` names a mirror.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_RAW = "https://raw.githubusercontent.com"
_IEVALM = f"{_RAW}/txy77/iEvaLM-CRS/918ae381953d5ee7fd2d0a795337b00ad6cd7901/data"
_CFCRS = f"{_RAW}/wxl1999/CFCRS/0d7d5272d6b55af1180acebad0dd48020b8d7f4f/data"


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """One file of a data set.

    Attributes:
        name: File name inside the data set's folder.
        url: Where it is served by default.
        size: Bytes.
        sha256: Lower-case hexadecimal digest of the whole file.
    """

    name: str
    url: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Publication:
    """A data set as published.

    Attributes:
        dataset: Name of the data set and of its folder.
        licence: What a user agrees to by downloading it, with its source.
        files: Its files, the item catalogue first.
    """

    dataset: str
    licence: str
    files: tuple[PublishedFile, ...]


def _served(folder: str, rows: Iterable[tuple[str, int, str]]) -> tuple[PublishedFile, ...]:
    """Files of one folder, from rows of name, size and hash."""
    return tuple(PublishedFile(name, f"{folder}/{name}", size, sha) for name, size, sha in rows)


REDIAL = Publication(
    dataset="redial",
    licence="ReDial (Li et al., 2018, https://redialdata.github.io/website/) is licensed CC BY 4.0",
    files=_served(
        f"{_IEVALM}/redial",
        [
            (
                "id2info.json",
                2_745_351,
                "7bdfe9a9c7f1b4d59aa9a5aeba0029071fd5a7232b61c8257212a335ffe424f7",
            ),
        ],
    )
    + _served(
        f"{_IEVALM}/redial_eval",
        [
            (
                "test_data_processed.jsonl",
                3_415_404,
                "8c8855aa872ade097691bb9feaeed6aaf4cfafa21575ebfcd8271b1e263f352b",
            ),
            (
                "valid_data_processed.jsonl",
                2_779_311,
                "20f0672f83c2be2f1f6c43867ba0ab1c2c483ca221a360ddc58679294afa472f",
            ),
        ],
    )
    + _served(
        f"{_CFCRS}/redial",
        [
            (
                "valid_data.jsonl",
                4_152_083,
                "69b7cf81d0671c3dd0a1167df2e7e1e51ca76b3edce97022343d68f6974510a1",
            ),
            (
                "kg.json",
                669_058,
                "e3698d042926defb656b25873d4144d255aa914a575fcafa8af14cf434c867ff",
            ),
            (
                "entity2id.json",
                638_297,
                "d530bd465e7a0edb19257d444d9665fda8271ec4d5aff235a417cad13848c52f",
            ),
            (
                "entity2type.json",
                716_693,
                "e75311e2e1eb3b3560302268c964cb44aaf1467e6a4d186baf2267ad20ea984b",
            ),
            (
                "relation2id.json",
                51,
                "028b39258502a41d81e7176f7d9f77b1b342c6a9dc42b5cf214309e590522027",
            ),
            (
                "item_ids.json",
                43_771,
                "73d1676353fff02ba6cb2cab093b2977579666a152621f1248d07791d7a3b0a6",
            ),
        ],
    ),
)

OPENDIALKG = Publication(
    dataset="opendialkg",
    licence=(
        "OpenDialKG (Moon et al., 2019, https://github.com/facebookresearch/opendialkg) is licensed"
        " CC BY-NC 4.0: no commercial use"
    ),
    files=_served(
        f"{_IEVALM}/opendialkg",
        [
            (
                "id2info.json",
                1_032_113,
                "a8ce8de8c957a1d339c80ff548e13eb32a66ee639243f67bc479ce09ad1c299e",
            ),
            (
                "dialog_Books.jsonl",
                3_058_303,
                "e68fb6109ac56ffea10f21bf6350d9e024c7b8ee9abc6a3b2a8e35f31ce3f7f6",
            ),
            (
                "kg.json",
                519_468,
                "7bb2ab8d4ba6906d2f1a15b26c7a74ddc9d4cc1ddeb02cfa29ec2f5977fecb4d",
            ),
            (
                "entity2id.json",
                310_362,
                "394e2e101463052c6b41f14d87b1420f936528c6f81ed50c22388c51fcda4e81",
            ),
            (
                "relation2id.json",
                78,
                "0722a517e68359d28182b897282fdefd9ceced47da315ad934f8f298a41a76e1",
            ),
            (
                "item_ids.json",
                18_682,
                "c7f7d151066c41a2b70d3df9b414e1d3c67ac48e978e222a90319e1dbfa7e98f",
            ),
            (
                "train_data_id.json",
                54_279,
                "c8fc6d88022992819cd2f515f3af4a6d5486e2a80f36e43b4245f5d261a0873e",
            ),
            (
                "valid_data_id.json",
                11_603,
                "db0e327927949b3db4bd7ab024b4a961bf54dc6dd063bf50faa84119152da8c2",
            ),
            (
                "test_data_id.json",
                11_646,
                "1311b9859bd57dffb666b94bd8cbde2be4452bc99c290430faaf4999820e2e79",
            ),
        ],
    )
    + _served(
        f"{_IEVALM}/opendialkg_eval",
        [
            (
                "train_data_processed.jsonl",
                2_240_515,
                "472243b8c12c8e1eb44598d094e8b6e03a148ce13dc3f58ea9b323ba4ed27018",
            ),
            (
                "valid_data_processed.jsonl",
                484_975,
                "21bbf814ad76f36f058678b1bf4e9a77ca01ca00766bd8eb39780d1163f74bd2",
            ),
            (
                "test_data_processed.jsonl",
                485_220,
                "055eb9481823517099f0109929ea640662d58287af708e99983d9b97e2ce51a4",
            ),
        ],
    ),
)

PUBLISHED: dict[str, Publication] = {p.dataset: p for p in (REDIAL, OPENDIALKG)}
