"""Checks the built site: links and anchors lead somewhere, and nothing is loaded from elsewhere."""

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# the elements that a browser loads by itself; a link that a reader may follow (`a`) can lead to other sites
_LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in _LOADED and _LOADED[tag] in given and given.get("rel") != "canonical":
            self.loaded.append(given[_LOADED[tag]])


def problems(site: Path) -> Iterator[str]:
    """Yields a line for each link, anchor or resource that is wrong."""
    for file in sorted(site.rglob("*.html")):
        page = _page(file)
        for target in [*page.links, *page.loaded]:
            wrong = _wrong(site, file, target, loaded=target in page.loaded)
            if wrong:
                yield f"{file.relative_to(site)}: {target}: {wrong}"
    for file in sorted(site.rglob("*.css")):
        text = file.read_text(encoding="utf-8")
        if "url(http" in text.replace("'", "").replace('"', ""):
            yield f"{file.relative_to(site)}: loads from elsewhere"


def _wrong(site: Path, file: Path, target: str, *, loaded: bool) -> str:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return "is loaded from elsewhere" if loaded and parts.scheme != "data" else ""
    # the "not found" page is read from any place, so its links begin at the root
    start = site if parts.path.startswith("/") else file.parent
    there = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else file
    there = there / "index.html" if there.is_dir() else there
    if not there.is_file():
        return "is not there"
    # the state that a page's own script keeps after `#` has a value
    is_state = parts.fragment.startswith("__") or "=" in parts.fragment
    anchored = parts.fragment and there.suffix == ".html" and not is_state
    return "has no such anchor" if anchored and unquote(parts.fragment) not in _page(there).anchors else ""


@cache
def _page(file: Path) -> _Page:
    return _Page(file.read_text(encoding="utf-8"))


def main() -> int:
    """Prints the errors of the site in the given folder; returns 1 if there are any."""
    site = Path(sys.argv[1])
    pages = len(list(site.rglob("*.html")))
    found = list(problems(site))
    print("\n".join([*found, f"{site}: {pages} pages, {len(found)} wrong links"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
