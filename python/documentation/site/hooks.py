"""MkDocs's hooks: they add the pages made during the build, and adapt links that lead out of `docs`."""

import re
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File, Files
from mkdocs.utils import get_relative_url

from documentation import ROOT
from documentation.site import dossiers, gallery, notebooks, playground, reference, sources

_THEMES_SHIM = "https://unpkg.com/iframe-worker/shim"

_BOOSTS = {
    "how-to": 8.0,
    "start tutorial comparing traffic networks scenario results own-algorithm sweeps measured": 4.0,
    "evaluate attack linux playground factorial l4s": 4.0,
    "quic kernel-world": 1.5,
    "algorithms/* parts/*": 2.0,
    "dossiers/* papers/* gallery/tags gallery/tags/*": 0.5,
    "changelog contributing architecture design reliability swarm trust deviations": 0.3,
    "python/*": 0.2,
}
"""How much sooner search shows a page that has the words: what answers questions before what documents."""

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page


def on_config(config: "MkDocsConfig") -> None:
    """Gives each public object and each family of algorithms its page in the navigation."""
    nav: list[Any] = config.nav or []
    _section(nav, "Python")["Python"] = ["python.md", *reference.pages()]
    _section(_section(nav, "Algorithms")["Algorithms"], "Families")["Families"] = _families()


def _section(nav: list[Any], title: str) -> dict[str, list[Any]]:
    """Returns the entry of the navigation with this title."""
    return next(entry for entry in nav if title in entry)


def _families() -> list[str]:
    """Returns the pages of algorithms in the order of the index."""
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    return list(dict.fromkeys(re.findall(r"\((algorithms/[^)#]+)\)", index)))


def on_files(files: Files, config: "MkDocsConfig") -> Files:
    """Adds the generated pages."""
    made = {
        **reference.pages(),
        **dossiers.pages(),
        **gallery.pages(),
        **notebooks.pages(),
        **playground.files(),
        **sources.pages(),
        **sources.files_linked_to(),
    }
    for place, content in made.items():
        files.append(File.generated(config, place, content=content))
    return files


def on_page_markdown(markdown: str, page: "Page", **_: object) -> str:
    """Redirects links that lead out of `docs` to the site's copies, and says how soon search shows the page."""
    name = page.file.src_uri.removesuffix(".md")
    boosts = (boost for pages, boost in _BOOSTS.items() if any(fnmatch(name, each) for each in pages.split()))
    page.meta.setdefault("search", {"boost": next(boosts, 1.0)})
    if page.file.src_uri == "playground.md":
        markdown = playground.embedded(markdown)
    return sources.with_links_of_the_site(markdown, f"docs/{page.file.src_uri}", page.file.src_uri)


def on_post_page(output: str, page: "Page", **_: object) -> str:
    """Replaces the script that the theme loads from another site; search needs it in a site that lies in a folder."""
    return output.replace(_THEMES_SHIM, get_relative_url("search-from-files.js", page.url))


def on_post_template(output_content: str, **_: object) -> str:
    """Replaces that script in the "not found" page, too, which is read from any place."""
    return output_content.replace(_THEMES_SHIM, "/search-from-files.js")
