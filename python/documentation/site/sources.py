"""Files of the repository outside `docs`: they become pages of the site, or copies that its pages link to."""

import posixpath
import re
from functools import cache

from documentation import ROOT

_PAGES = {"README.md": "start.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
_FOLDERS = {
    "scenarios": "gallery/index.md",
    **{f"scenarios/{name}": f"gallery/{name}.md" for name in ("papers", "evaluate", "c4", "tcpeval", "next", "attack")},
}
_COPIES = "sources"
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?(?=\))")


def pages() -> dict[str, str]:
    """Returns the pages of the site, by their place there."""
    return {place: with_links_of_the_site(_text(path), path, place) for path, place in _PAGES.items()}


def with_links_of_the_site(markdown: str, path: str, place: str) -> str:
    """Returns the text of the repository's file `path` as the site's page `place`."""

    def led(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[1]))
        if not (ROOT / target).exists():
            return link[0]
        return posixpath.relpath(_place(target), posixpath.dirname(place) or ".") + (link[2] or "")

    return _LINK.sub(led, markdown)


def files_linked_to() -> dict[str, bytes]:
    """Returns copies of the files outside `docs` that its pages, and those above, link to."""
    texts = {path: _text(path) for path in _PAGES}
    texts |= {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md")}
    targets = {
        posixpath.normpath(posixpath.join(posixpath.dirname(path), link[1]))
        for path, text in texts.items()
        for link in _LINK.finditer(text)
    }
    copied = {target: _place(target) for target in sorted(targets) if (ROOT / target).is_file()}
    return {place: (ROOT / target).read_bytes() for target, place in copied.items() if place.startswith(f"{_COPIES}/")}


def _place(target: str) -> str:
    """Returns the place in the site of a file or folder of the repository."""
    if target.startswith("docs/notebooks/"):
        return target.removeprefix("docs/").replace(".ipynb", ".md")
    if target.startswith("docs/"):
        return target.removeprefix("docs/")
    return _PAGES.get(target) or _FOLDERS.get(target) or f"{_COPIES}/{target}"


@cache
def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")
