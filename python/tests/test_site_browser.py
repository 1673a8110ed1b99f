"""Each page of the built site in a browser: `make test-site`, after which `make docs` has built it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import WIDER_THAN_VIEW, need_browser, new_page, running_browser, violations

need_browser()
pytestmark = pytest.mark.site

SITE = Path(__file__).parents[2] / "site"
# the theme reads its own style sheet anew to find pictures, which a browser refuses from a folder
OF_THE_THEME = ("XMLHttpRequest", "preload assets", "ERR_FAILED")
# a first column without a name is usual; the rest is the theme's: a landmark for the buttons of each block of code,
# and a box around each wide table, which a browser lets keys scroll
OF_TABLES_AND_CODE = ("empty-table-header", "landmark-unique", "scrollable-region-focusable")
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
    found = sorted(page for page in SITE.rglob("*.html") if page.name != "404.html" and "play" not in page.parts)
    return found or [SITE / "index.html"]


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1400, "dark")])
@pytest.mark.parametrize("file", pages(), ids=lambda file: str(file.relative_to(SITE)))
def test_a_page_fits_and_can_be_read(browser: Any, file: Path, width: int, scheme: str) -> None:
    page = new_page(browser, width, scheme)
    page.goto(file.as_uri())
    assert page.evaluate(WIDER_THAN_VIEW) <= 0
    assert page.evaluate(BROKEN_PICTURES) == []
    assert [text for text in page.complaints if not any(one in text for one in OF_THE_THEME)] == []
    assert violations(page, within="article", without=OF_TABLES_AND_CODE) == []
    page.close()
