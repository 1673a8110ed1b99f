"""A real browser for tests: Debian's Chromium by Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
# a busy machine is slow, not wrong
PATIENCE_MS = 300_000
WIDER_THAN_VIEW = "document.documentElement.scrollWidth - innerWidth"

try:
    import axe_playwright_python
    from playwright.sync_api import sync_playwright
except ImportError:
    MISSING = "playwright is not installed: make browser-packages"
else:
    MISSING = "" if CHROMIUM else "chromium is not installed: apt-get install chromium"


def need_browser() -> None:
    """Skips the module that calls it without a browser, or fails it in CI."""
    if MISSING and os.environ.get("CI") == "true":
        raise RuntimeError(MISSING)
    if MISSING:
        pytest.skip(MISSING, allow_module_level=True)


@contextmanager
def running_browser() -> Iterator[Any]:
    """A browser that ends with the block."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=PATIENCE_MS
        )
        yield browser
        browser.close()


def new_page(browser: Any, width: int, scheme: str) -> Any:
    """An empty page. `complaints` are its errors and what its console says."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(PATIENCE_MS)
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda message: page.complaints.append(message.text))
    return page


def violations(page: Any, within: str = "html", without: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """What axe finds in the element of this selector, with the first place; nothing by the rules `without`.

    Frames are left out: axe asks them by messages, which pages opened from files refuse.
    """
    page.add_script_tag(path=Path(axe_playwright_python.__file__).with_name("axe.min.js"))
    rules = {rule: {"enabled": False} for rule in without}
    found = page.evaluate(
        "([within, rules]) => axe.run(within, { rules, preload: false, iframes: false })",
        [within, rules],
    )
    return [(violation["id"], violation["nodes"][0]["html"]) for violation in found["violations"]]
