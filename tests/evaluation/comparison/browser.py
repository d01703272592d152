"""A headless Chromium, where there is one."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def _programs() -> tuple[str, str]:
    """The browser and its driver; skips, with the reason, where they are missing."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    browser = os.environ.get("CHROME") or next(filter(None, map(shutil.which, names)), None)
    driver = os.environ.get("CHROMEDRIVER") or shutil.which("chromedriver")
    if not browser or not driver:
        pytest.skip("needs chromium and chromedriver (or CHROME and CHROMEDRIVER)")
    return browser, driver


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """A driver with a profile of its own that keeps what console and network say."""
    browser, driver = _programs()
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    options = webdriver.ChromeOptions()
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.binary_location = browser
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield found
    finally:
        found.quit()
