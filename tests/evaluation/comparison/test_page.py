"""The page as text: nothing from outside, nothing that escapes, everything in it."""

import base64
import hashlib
import json
import re
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from evaluation.comparison.comparing import Comparison, compare_runs
from evaluation.comparison.page import html_page
from evaluation.comparison.page_data import page_data
from evaluation.comparison.page_tables import paired_table
from evaluation.comparison.transcripts import PIECE, pack_transcripts, visible
from tests.evaluation.comparison.made import (
    NASTY,
    SCRIPT,
    TRACE,
    config,
    dialogue,
    hostile_run,
    run_of,
    write_run,
)


class Elements(HTMLParser):
    """Tags with their attributes, and the text of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.text = ""
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = tag if tag in self.raw else ""
        if self._open:
            self.raw[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.raw[self._open][-1] += data
        else:
            self.text += data


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder = tmp_path_factory.mktemp("hostile")
    hostile_run(folder / "a")
    hostile_run(folder / SCRIPT.replace("/", "_")[:60], "other")
    return compare_runs([folder], texts=True)


@pytest.fixture(scope="module")
def page(hostile: Comparison) -> str:
    return html_page(hostile, NASTY)


def opened(page: str, name: str) -> Any:
    found = re.search(rf'id="{name}">([^<]*)</script>', page)
    assert found is not None, name
    return json.loads(zlib.decompress(base64.b64decode(found.group(1))))


def test_nothing_comes_from_outside(page: str):
    for tag, attributes in Elements(page).tags:
        assert tag not in {"iframe", "object", "embed", "base", "audio", "video", "img"}
        for key, value in attributes.items():
            assert not key.startswith("on"), (tag, key)
            assert key != "style", tag
            if key in {"src", "href", "xlink:href", "action", "srcset", "data", "poster"}:
                assert value is not None
                assert value.startswith("#") or value == "data:,", (tag, key, value)
            elif value and "url(" in value:
                assert value.startswith("url(#"), (tag, key, value)
    assert "@import" not in page
    (style,) = Elements(page).raw["style"]
    assert "url(" not in style


def test_the_policy_allows_the_pages_own_script_and_style_only(page: str):
    elements = Elements(page)
    (policy,) = [
        attributes["content"] or ""
        for tag, attributes in elements.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    scripts = [attributes for tag, attributes in elements.tags if tag == "script"]
    data = [attributes for attributes in scripts if attributes.get("type")]
    assert len(data) == len(scripts) - 1
    assert {attributes["type"] for attributes in data} == {"application/octet-stream"}
    for kind in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(elements.raw[kind][-1].encode()).digest())
        assert rules[f"{kind}-src"] == f"'sha256-{digest.decode()}'"


def test_hostile_texts_are_texts(page: str):
    page.encode("utf-8")
    assert "<img" not in page
    assert "alert(1)" in Elements(page).text
    assert "\u2028" not in page
    assert "\u202e" not in page
    tags = [tag for tag, _ in Elements(page).tags]
    assert tags.count("script") == 2 + 2 * 2  # the script, the index, and two pieces a run


def test_everything_said_is_in_it(page: str):
    index = opened(page, "index")
    assert [len(index["methods"]), len(index["rows"])] == [2, 6]
    texts = opened(page, "texts-0-0")
    assert texts[0]["turns"][0]["s"] == visible(NASTY)
    assert texts[0]["turns"][1]["item"] == "x"
    traces = opened(page, "traces-0-0")
    assert traces[0][0]["belief"] == TRACE["belief"]
    assert traces[2][1]["elicitation"]["tree"]["actions"][0]["visits"] == 6


@pytest.mark.parametrize(
    ("p_holm", "p_goals", "bold"),
    [(0.01, 0.02, True), (0.01, None, True), (0.01, 0.06, False), (0.06, 0.01, False)],
)
def test_bold_needs_both_p(hostile: Comparison, p_holm: float, p_goals: float | None, bold: bool):
    test = replace(hostile.tests[0], p_holm=p_holm, p_goals=p_goals)
    assert ("<strong>" in paired_table([test], "T")) == bold


def test_sections_and_plots(page: str):
    ids = {attributes.get("id") for _, attributes in Elements(page).tags}
    assert {"results", "success", "time", "by-persona", "by-goal", "tests", "transcripts"} <= ids
    all_ids = [a["id"] for _, a in Elements(page).tags if "id" in a]
    assert len(all_ids) == len(set(all_ids))


def test_ids_that_are_referred_to_are_there(page: str):
    tags = Elements(page).tags
    ids = {attributes.get("id") for _, attributes in tags}
    for _, attributes in tags:
        for key in ("aria-labelledby", "href", "xlink:href"):
            for name in (attributes.get(key) or "").split():
                assert name == "data:," or name.removeprefix("#") in ids


def test_what_is_too_much_is_left_out_and_said(tmp_path: Path):
    for name in ("a", "b"):
        records = [dialogue(True, k) for k in range(2 * PIECE)]
        for entry in records:
            for part in entry["turns"]:
                part["trace"] = TRACE
        write_run(tmp_path / name, config(name), records)
    comparison = compare_runs([tmp_path], texts=True)
    whole = page_data(comparison)
    assert whole.left_out == ""
    texts = {name: len(value) for name, value in whole.pieces.items() if name.startswith("texts")}
    traces = {name: len(value) for name, value in whole.pieces.items() if name.startswith("traces")}
    assert len(texts) == len(traces) == 4
    limit = sum(texts.values()) + traces["traces-0-0"] + traces["traces-1-0"]
    some = page_data(comparison, limit)
    assert set(some.pieces) == {"index", *texts, "traces-0-0", "traces-1-0"}
    assert "2 of 4 parts of the traces are left out" in some.left_out
    few = page_data(comparison, texts["texts-0-0"] + texts["texts-1-0"])
    assert set(few.pieces) == {"index", "texts-0-0", "texts-1-0"}
    assert "2 of 4 parts of the transcripts and all traces are left out" in few.left_out
    page = html_page(comparison, "T", texts["texts-0-0"] + texts["texts-1-0"])
    assert few.left_out in Elements(page).text


def test_packing_keeps_the_dialogues_in_order():
    packed = pack_transcripts([dialogue(True, k) for k in range(PIECE + 3)])
    assert len(packed.pieces) == 2
    assert packed.traced == (False,) * (PIECE + 3)
    assert not any(piece.traces for piece in packed.pieces)
    last = json.loads(zlib.decompress(packed.pieces[1].texts))
    assert len(last) == 3
    assert last[0]["turns"][0] == {
        "a": "GenreInquiry", "s": "Which genre?", "u": "comedy", "r": {"cost": -0.1},
    }  # fmt: skip


def test_a_deep_trace_is_cut():
    deep: Any = "end"
    for _ in range(200):
        deep = [deep]
    made = dialogue(True, 0)
    made["turns"][0]["trace"] = {"deep": deep}
    (piece,) = pack_transcripts([made]).pieces
    assert "deeper than is shown" in zlib.decompress(piece.traces).decode()


def test_seeds_that_a_script_would_round_are_texts(tmp_path: Path):
    comparison = compare_runs([run_of(tmp_path / "a", "1", seed=2**63)], texts=True)
    index = json.loads(zlib.decompress(base64.b64decode(page_data(comparison).pieces["index"])))
    assert index["rows"][0][2] == str(2**63)


def test_one_run_alone_has_a_page(tmp_path: Path):
    page = html_page(compare_runs([run_of(tmp_path / "a", "10")], texts=True), "T")
    assert "No two methods share dialogues or prefixes." in page
