"""The page in a real browser: shown, filtered, unfolded; hostile texts stay texts."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.comparison.writing import write_comparison
from tests.evaluation.comparison.browser import chromium
from tests.evaluation.comparison.made import (
    NASTY,
    SCRIPT,
    config,
    dialogue,
    hostile_run,
    write_run,
)
from tests.model_runs import run, samples

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("samples")]
__all__ = ["samples"]

SECONDS = 60
"""A busy machine is slow to start a browser and to draw."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, samples: None) -> Path:
    """Two real methods on the bundled items, Dreams with its trees."""
    folder = tmp_path_factory.mktemp("real")
    common = ("episodes=4", "workers=1")
    for seed in (0, 1):
        run(folder / f"ask-{seed}", "planner=ask_all", f"seed={seed}", *common)
        trace = ("planner.n_el=100", f"planner.trace={'true' if seed == 0 else 'false'}")
        run(folder / f"dreams-{seed}", "planner=dreams", f"seed={seed}", *trace, *common)
    return folder


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    hostile_run(folder / "a")
    hostile_run(folder / "b", "plain")
    return folder


def show(browser: Any, runs: Path, out: Path, title: str = "T") -> None:
    """Write the page and open it from its file."""
    write_comparison([runs], out, title, formats=["html"])
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get((out / "comparison.html").as_uri())
    wait(browser, "return document.documentElement.dataset.ready === 'true'")


def wait(browser: Any, script: str) -> Any:
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, SECONDS).until(lambda b: b.execute_script(script))


def all_of(browser: Any, selector: str) -> list[Any]:
    found: list[Any] = browser.find_elements("css selector", selector)
    return found


def texts_of(browser: Any, selector: str) -> list[str]:
    """Texts of what is there at one moment: a page that is redrawn replaces its nodes."""
    read = "(n) => n.innerText ?? n.textContent"  # a plot's text has no innerText
    script = f"return [...document.querySelectorAll(arguments[0])].map({read})"
    found: list[str] = browser.execute_script(script, selector)
    return found


def choose(browser: Any, name: str, text: str) -> None:
    from selenium.webdriver.support.ui import Select

    Select(browser.find_element("id", f"f-{name}")).select_by_visible_text(text)


def listed(browser: Any, count: int) -> None:
    """So many dialogues are listed, once the browser has told the page of the choice."""
    wait(browser, f"return document.querySelectorAll('.dialogue').length === {count}")


def quiet(browser: Any) -> None:
    """No word in the console, and nothing asked of any network."""
    assert browser.get_log("browser") == []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            assert url.startswith(("file://", "data:")), url


def test_results_plots_and_tests_are_shown(browser: Any, real: Path, tmp_path: Path) -> None:
    show(browser, real, tmp_path)
    names = texts_of(browser, "#results-table tbody th")
    assert len(names) == 2
    assert any("dreams" in name for name in names)
    assert "paper 0.560" in browser.find_element("id", "results-table").text
    for name in ("success", "time", "by-persona", "by-goal"):
        (plot,) = all_of(browser, f"#{name} svg")
        assert plot.size["width"] > 300
        assert plot.size["height"] > 80
    texts = set(texts_of(browser, "#success svg text"))
    assert {"1 dreams", "2 ask_all"} <= {" ".join(text.split()) for text in texts} or {
        "1 ask_all", "2 dreams",
    } <= {" ".join(text.split()) for text in texts}  # fmt: skip
    assert "McNemar" in (all_of(browser, "#tests-table th[title]")[0].get_attribute("title") or "")
    quiet(browser)


def test_dialogues_are_filtered(browser: Any, real: Path, tmp_path: Path) -> None:
    show(browser, real, tmp_path)
    listed(browser, 16)
    choose(browser, "method", "dreams")
    listed(browser, 8)
    choose(browser, "seed", "1")
    listed(browser, 4)
    choose(browser, "persona", all_of(browser, "#f-persona option")[1].text)
    listed(browser, 1)
    assert "1 of 16 dialogues" in browser.find_element("id", "count").text
    browser.find_element("css selector", "#filters [type=reset]").click()
    listed(browser, 16)
    browser.find_element("id", "f-traced").click()
    listed(browser, 4)
    browser.find_element("id", "f-traced").click()
    listed(browser, 16)
    marks = texts_of(browser, ".dialogue .mark")
    for choice, mark in (("yes", "✓"), ("no", "✗")):
        choose(browser, "success", choice)
        listed(browser, marks.count(mark))
        assert set(texts_of(browser, ".dialogue .mark")) <= {mark}
    quiet(browser)


def test_a_transcript_and_its_trees_unfold(browser: Any, real: Path, tmp_path: Path) -> None:
    show(browser, real, tmp_path)
    browser.find_element("id", "f-traced").click()
    listed(browser, 4)
    first = all_of(browser, ".dialogue")[0]
    first.find_element("tag name", "summary").click()
    wait(browser, "return document.querySelectorAll('.dialogue .turns > li').length")
    records = (real / "dreams-0" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    record = json.loads(records[0])
    lines = [line.text for line in first.find_elements("css selector", ".line .text")]
    said = [record["opening"]["user"]]
    said += [text for turn in record["turns"] for text in (turn["system"], turn["user"])]
    assert lines == [text or "(no text)" for text in said if text or text != said[0]]
    first.find_element("css selector", ".decided > summary").click()
    wait(browser, "return document.querySelector('.elicitation-tree .act') !== null")
    actions = record["turns"][0]["trace"]["elicitation"]["actions"]
    rows = texts_of(browser, ".elicitation tbody th")
    assert [row.removeprefix("✓ ") for row in rows] == actions
    assert sum(row.startswith("✓ ") for row in rows) == 1
    assert len(all_of(browser, ".belief meter")) == len(record["turns"][0]["trace"]["belief"])
    before = len(all_of(browser, ".elicitation-tree .act"))
    browser.find_element("css selector", ".unfold-all").click()
    assert len(all_of(browser, ".elicitation-tree .act")) > before
    assert len(all_of(browser, ".exploitation-tree .act")) >= 1
    quiet(browser)


def test_the_same_dialogue_by_every_method(browser: Any, real: Path, tmp_path: Path) -> None:
    show(browser, real, tmp_path)
    all_of(browser, ".dialogue > summary")[1].click()
    wait(browser, "return document.querySelector('.dialogue .body > button') !== null")
    browser.find_element("css selector", ".dialogue .body > button").click()
    listed(browser, 2)
    assert set(texts_of(browser, ".dialogue .name")) == {"dreams", "ask_all"}
    quiet(browser)


def test_hostile_texts_stay_texts(browser: Any, hostile: Path, tmp_path: Path) -> None:
    show(browser, hostile, tmp_path, NASTY)
    assert SCRIPT in browser.find_element("tag name", "h1").text
    assert SCRIPT[:20] in browser.title
    browser.execute_script(
        "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
    )
    wait(browser, "return document.querySelectorAll('.dialogue .turns').length === 6")
    browser.execute_script(
        "document.querySelectorAll('.decided').forEach((d) => { d.open = true; })"
    )
    wait(browser, "return document.querySelectorAll('.unfold-all').length === 12")
    browser.execute_script("document.querySelectorAll('.unfold-all').forEach((b) => b.click())")
    assert any(SCRIPT in text for text in texts_of(browser, ".line .text"))
    assert any(SCRIPT in text for text in texts_of(browser, ".elicitation-tree"))
    assert any(SCRIPT in text for text in texts_of(browser, ".exploitation-tree"))
    assert any(SCRIPT in text for text in texts_of(browser, ".trace > .values"))
    assert browser.execute_script("return window.hacked") is None
    assert browser.execute_script("return document.querySelectorAll('img, iframe').length") == 0
    executed = "return [...document.scripts].filter((s) => !s.type).length"
    assert browser.execute_script(executed) == 1
    quiet(browser)


ODD: list[Any] = [
    {"elicitation": {"actions": ["ask"], "tree": {"actions": "ask"}}},
    {"elicitation": {"actions": [], "tree": {"actions": [None]}}},
    {"elicitation": {"actions": [5], "tree": {"actions": [{"action": 0, "outcomes": [None]}]}}},
    {"exploitation": {"tree": {"query": {"a": 1}, "children": "ab"}}},
    {"exploitation": {"tree": {"query": "q", "children": [None, {"children": [[]]}]}}},
    {"belief": [], "elicitation": [], "exploitation": {"tree": None}, "__proto__": {"a": 1}},
    "a text", [[["deep"]]], 7, {},
]  # fmt: skip
"""Traces of methods that use Dreams' names for something else."""


def test_traces_of_other_shapes_are_shown(browser: Any, tmp_path: Path) -> None:
    talks = [dialogue(True, k) | {"goal": {"genre": "crime"}} for k in range(len(ODD))]
    for talk, trace in zip(talks, ODD, strict=True):
        talk["turns"][0] |= {"trace": trace, "item_values": {"genre": "crime", "year": 5}}
    write_run(tmp_path / "run", config(), talks)
    show(browser, tmp_path / "run", tmp_path / "out")
    unfold = "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
    browser.execute_script(unfold)
    wait(browser, f"return document.querySelectorAll('.turns').length === {len(ODD)}")
    browser.execute_script(unfold)
    wait(browser, "return document.querySelectorAll('.trace, .decided > .value').length > 6")
    browser.execute_script("document.querySelectorAll('.unfold-all').forEach((b) => b.click())")
    assert "cannot be shown" not in browser.find_element("id", "dialogues").text
    assert any("crime" in text for text in texts_of(browser, ".more dd"))
    assert any("ab" in text for text in texts_of(browser, ".trace"))
    quiet(browser)


def test_a_script_that_gets_in_is_stopped(browser: Any, hostile: Path, tmp_path: Path) -> None:
    """The page's policy is what stops it: a script and a handler put into the file do nothing."""
    (page,) = write_comparison([hostile], tmp_path, formats=["html"])
    attack = '<script>window.hacked = true</script><p onclick="window.hacked = true" id="x">x</p>'
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("</body>", attack + "</body>"), encoding="utf-8")
    browser.get(page.as_uri())
    wait(browser, "return document.documentElement.dataset.ready === 'true'")
    browser.execute_script("document.getElementById('x').click()")
    assert browser.execute_script("return window.hacked") is None
    assert any("Content Security Policy" in e["message"] for e in browser.get_log("browser"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_and_nothing_overflows(
    browser: Any, real: Path, tmp_path: Path, scheme: str
) -> None:
    feature = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": feature})
    size = {"width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        show(browser, real, tmp_path)
        wide = "return document.documentElement.scrollWidth"
        assert browser.execute_script(wide) <= 380
        for selector in ("body", ".key", "nav a", ".dialogue > summary", "#success svg text"):
            assert browser.execute_script(_CONTRAST, selector) >= 4.5, selector
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


_CONTRAST = """
const node = document.querySelector(arguments[0]);
const rgb = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
const light = (c) => c.map((v) => v / 255)
  .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
let ground = node;
const clear = (n) => getComputedStyle(n).backgroundColor === "rgba(0, 0, 0, 0)";
while (ground.parentElement && clear(ground)) ground = ground.parentElement;
const style = getComputedStyle(node);
const ink = node.namespaceURI.endsWith("svg") ? style.fill : style.color;
const [a, b] = [light(rgb(ink)), light(rgb(getComputedStyle(ground).backgroundColor))];
return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
"""


def test_everything_is_reached_by_keyboard(browser: Any, real: Path, tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    show(browser, real, tmp_path)
    body = browser.find_element("tag name", "body")
    body.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("class") == "skip"
    summary = all_of(browser, ".dialogue > summary")[0]
    browser.execute_script("arguments[0].focus()", summary)
    summary.send_keys(Keys.ENTER)
    wait(browser, "return document.querySelectorAll('.dialogue .turns > li').length")
    unnamed = """return [...document.querySelectorAll('select, input, button, meter, [tabindex]')]
      .filter((n) => !(n.labels && n.labels.length) && !n.getAttribute('aria-label')
                     && !n.textContent.trim()).length"""
    assert browser.execute_script(unnamed) == 0
