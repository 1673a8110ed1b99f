"""Each page of the built site in a browser: `make test-site`, after which `make docs` has built it."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from numpy.typing import NDArray

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


# a page with a drawn picture (SVG), one with those of runs (PNG), and one with outputs of a notebook
PICTURED = ["algorithms/vegas.html", "gallery/l4s.html", "notebooks/figure.html"]


@pytest.mark.parametrize("name", PICTURED)
def test_pictures_are_as_dark_as_their_page(browser: Any, name: str) -> None:
    lightness = {scheme: _lightness(browser, name, scheme) for scheme in ("light", "dark")}
    # most of a picture is its ground, and something is drawn on it
    assert np.median(lightness["light"]) > 0.9
    assert lightness["light"].min() < 0.4
    assert np.median(lightness["dark"]) < 0.2
    assert lightness["dark"].max() > 0.6


def _lightness(browser: Any, name: str, scheme: str) -> NDArray[np.float64]:
    """The lightness of the page's first picture, from 0 to 1, as it is on the screen."""
    page = new_page(browser, 1400, scheme)
    page.goto((SITE / name).as_uri())
    seen = imread(BytesIO(page.locator("article img").first.screenshot()), format="png")
    page.close()
    return np.asarray(seen[..., :3].mean(axis=-1), dtype=np.float64)


# what people ask, and the pages of which one must be among the first three that search finds
ASKED = {
    "video call": "how-to traffic",
    "gamma": "algorithms/vegas how-to",
    "jain": "comparing how-to",
    "compare two flows": "how-to comparing",
    "install": "install",
    "packet loss": "how-to networks",
    "wi-fi": "how-to networks",
    "starlink": "how-to networks",
    "base rtt": "parts/base-rtt results",
    "ecn": "how-to networks",
    "dualpi2": "networks",
    "memory limit": "results",
    "pcap": "measured how-to",
    "wireshark": "how-to results",
    "iperf3": "measured",
    "own algorithm in python": "own-algorithm",
    "webassembly": "own-algorithm",
    "slow start ends too early": "parts/slow-start algorithms/streak papers/dossiers/slow-start",
    "bufferbloat": "gallery/evaluate dossiers/",
    "dask": "sweeps how-to",
    "seeds": "comparing",
    "confidence interval": "comparing factorial notebooks/figure",
    "bpf": "linux kernel-world",
    "starvation": "attack algorithms/vegas-next",
    "parking lot": "scenario gallery/index",
    "receive window": "networks",
    "bandwidth delay product": "results scenario comparing",
    "which algorithm sent this capture": "how-to measured",
    "latex": "how-to",
    "reproduce the papers": "papers/index start",
    "real time media": "how-to traffic",
    "fairness index": "how-to comparing",
    "rtt unfairness": "how-to gallery/tags/fairness",
    "which algorithm should I deploy": "how-to dossiers/index",
    "deploy beside cubic": "how-to dossiers/index",
    "bbr vs cubic": "how-to comparing",
    "error bars": "how-to comparing",
    "statistical significance": "how-to comparing",
    "bottleneck bandwidth": "how-to scenario",
    "queue size in packets": "how-to scenario",
    "plot window over time": "how-to results",
    "round trip time": "how-to results",
    "queueing delay": "how-to comparing results",
    "json output": "how-to results",
    "run in parallel": "how-to sweeps",
    "my own congestion control": "how-to own-algorithm",
    "lesson for students": "how-to playground",
    "lte": "how-to networks",
    "5g": "how-to networks",
    "wireless scenarios": "gallery/tags/wireless",
    "scenarios with fairness": "gallery/tags/fairness",
    "leo-hand-over": "gallery/index",
    "c4/bad-wifi": "gallery/c4",
}
FOUND = """() => {
  const meta = document.querySelector('.md-search-result__meta').textContent;
  if (!/\\d|No /.test(meta)) return null;
  return [...document.querySelectorAll('.md-search-result__item')].slice(0, 3).map((item) =>
    new URL(item.querySelector('a').href).pathname.replace('.html', ''));
}"""


def test_search_finds_what_people_ask(browser: Any) -> None:
    page = new_page(browser, 1400, "light")
    page.goto((SITE / "index.html").as_uri())
    missed = {asked: found for asked, pages in ASKED.items() if not _is_found(pages, found := _search(page, asked))}
    assert missed == {}
    page.close()


def _search(page: Any, text: str) -> list[str]:
    for given in ("", text):
        page.fill(".md-search__input", given)
        # one event, so that no search of the first letters is shown before
        page.dispatch_event(".md-search__input", "keyup")
        page.wait_for_function(f"() => ({FOUND})() {'===' if not given else '!=='} null")
    return [place.removeprefix(f"{SITE}/") for place in page.evaluate(FOUND)]


def _is_found(pages: str, found: list[str]) -> bool:
    return any(place.startswith(page) for page in pages.split() for place in found)
