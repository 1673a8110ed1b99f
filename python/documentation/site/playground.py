"""The playground in the site, if `make web` has built it."""

from documentation import ROOT

_BUILT = ROOT / "web/dist"
_FILES = ("index.html", "playground.css", "playground.js")
_PAGE = "playground/index.html"
_FRAME = f'<iframe class="playground" src="{_PAGE}" title="The playground" loading="lazy"></iframe>'


def files() -> dict[str, bytes]:
    """Returns the playground's files by their place in the site; none if it is not built."""
    if not (_BUILT / _FILES[0]).exists():
        return {}
    return {f"playground/{name}": (_BUILT / name).read_bytes() for name in _FILES}


def link_from_gallery(name: str) -> str:
    """Returns a link that opens the shipped scenario `name`; empty without a playground."""
    return f"[Open in the playground](../{_PAGE}#open={name}){{ .md-button }}" if files() else ""


def embedded(markdown: str) -> str:
    """Returns the page about the playground, with the playground after its first paragraph."""
    title, paragraph, rest = markdown.split("\n\n", 2)
    return "\n\n".join([title, paragraph, *([_FRAME] if files() else []), rest])
