"""Each page of the built site in a browser: `make test-site`, after which `make docs` has built it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from documentation import ROOT
from tests.browsing import WIDER_THAN_VIEW, need_browser, new_page, running_browser, violations

need_browser()
pytestmark = pytest.mark.site

SITE = ROOT / "site"
# a first column without a name is usual; the rest is the theme's: a landmark for the buttons of each block of code,
# and a box around each wide table, which a browser lets keys scroll
OF_TABLES_AND_CODE = ("empty-table-header", "landmark-unique", "scrollable-region-focusable")
DARK = ["index.html", "how-to.html", "models.html", "own-algorithm.html", "notebooks/tour.html", "python/Series.html"]
BROKEN_PICTURES = """() => Promise.all([...document.images].map(async (image) => {
  image.loading = 'eager';
  await image.decode().catch(() => {});
  return image.naturalWidth ? '' : image.src;
})).then((all) => all.filter(Boolean))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as browser:
        yield browser


def pages() -> list[Path]:
    found = sorted(
        page for page in SITE.rglob("*.html") if page.name != "404.html" and page.parent != SITE / "playground"
    )
    return found or [SITE / "index.html"]


def views() -> list[tuple[str, int, str]]:
    """Each page where it is narrowest; some pages, which have all that a page can have, wide and dark too."""
    every = [(str(page.relative_to(SITE)), 390, "light") for page in pages()]
    return [*every, *((name, 1400, "dark") for name in DARK)]


@pytest.mark.parametrize(("name", "width", "scheme"), views())
def test_a_page_fits_and_can_be_read(browser: Any, name: str, width: int, scheme: str) -> None:
    page = new_page(browser, width, scheme)
    page.goto((SITE / name).as_uri())
    assert page.evaluate(WIDER_THAN_VIEW) <= 0
    assert page.evaluate(BROKEN_PICTURES) == []
    # the first page of the papers' report has no article
    within = "article" if page.query_selector("article") else "main"
    assert violations(page, within=within, without=OF_TABLES_AND_CODE) == []
    assert page.complaints == []
    page.close()
