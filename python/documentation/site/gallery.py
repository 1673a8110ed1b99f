"""The gallery: the shipped scenarios with their pictures, a page for each folder of them, and one for each tag."""

import posixpath
import tomllib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import vegaslab
from documentation.site import playground
from documentation.site.tags import KINDS, Tag, tags_of
from vegaslab.reports.figure import NAMED, draw_curve, save
from vegaslab.reports.panels import panels
from vegaslab.runs.pool import usable_cores

TAGS = "gallery/tags.md"
"""The page that lists the tags."""

HEADS = {
    "gallery/index.md": "Gallery\n\nEvery scenario that comes with vegaslab, as `vegaslab run NAME` draws it.",
    "gallery/papers.md": "Gallery of the papers\n\nThe networks of the papers' claims, as `vegaslab run papers/NAME` "
    "draws them; the [dossiers](../papers/README.md) say what is claimed.",
    "gallery/evaluate.md": "Gallery of the criteria\n\nThe networks of RFC 9743's criteria, as "
    "`vegaslab run evaluate/NAME` draws them; [the dossier](../evaluate.md) varies them.",
    "gallery/c4.md": "Gallery of the C4 cases\n\nThose of draft-huitema-ccwg-c4-test, as `vegaslab run c4/NAME` "
    "draws them.",
    "gallery/l4s.md": "Gallery of L4S\n\nThe networks of [L4S](../l4s.md), as `vegaslab run l4s/NAME` draws them.",
    "gallery/next.md": "Gallery of vegas-next\n\nThe networks that judge it, as `vegaslab run next/NAME` draws them.",
    "gallery/attack.md": "Gallery of the adversary\n\nThose of `vegaslab attack`, as `vegaslab run attack/NAME` shows.",
    "gallery/tcpeval.md": "Gallery of the tcpeval cases\n\nThose of draft-irtf-iccrg-tcpeval, as "
    "`vegaslab run tcpeval/NAME` draws them.",
}
"""The pages, one for each folder of scenarios, with what stands at their top."""


_THUMBNAIL_INCHES = (2.0, 1.2)
_FOR_EACH_KIND = {"topic": "Topics", "algorithm": "Algorithms", "queue": "Queue disciplines", "topology": "Topologies"}


@dataclass(frozen=True)
class Entry:
    """A scenario of the gallery."""

    name: str
    text: str

    @property
    def description(self) -> str:
        """The scenario's description."""
        return str(tomllib.loads(self.text).get("description", self.name))

    @property
    def tags(self) -> list[Tag]:
        """What the scenario has."""
        return tags_of(tomllib.loads(self.text))

    @property
    def page(self) -> str:
        """The page that shows it."""
        return f"gallery/{self.name.rpartition('/')[0] or 'index'}.md"

    def thumbnail(self, page: str) -> str:
        """Returns the small picture with the name, which lead to the entry, for a list in `page`."""
        picture = f"![]({_from(page, _thumbnail_of(self.name))}){{ loading=lazy }}"
        entry = f"{_from(page, self.page)}#{Path(self.name).name}"
        return f'- [{picture} {self.name}]({entry} "{escape(self.description)}")'


def pages() -> dict[str, str | bytes]:
    """Returns the pages, and their pictures."""
    entries = [Entry(name, file.read_text(encoding="utf-8")) for name, file in vegaslab.shipped_scenarios().items()]
    made = pictures([entry.name for entry in entries])
    for place, head in HEADS.items():
        chosen = [entry for entry in entries if entry.page == place]
        tags = f"[All tags]({_from(place, TAGS)})"
        made[place] = _page(f"# {head}", tags, _thumbnails(chosen, place), *map(_shown, chosen))
    return made | _pages_of_tags(entries)


def pictures(names: list[str]) -> dict[str, str | bytes]:
    """Returns the picture of each scenario, and its thumbnail, by their places."""
    # nothing of this process's threads may be copied into the others
    with ProcessPoolExecutor(usable_cores()) as pool:
        return {place: drawn for both in pool.map(_pictures, names) for place, drawn in both.items()}


def _pictures(name: str) -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        whole, thumbnail = Path(folder) / "picture.png", Path(folder) / "thumbnail.png"
        result = vegaslab.run(name)
        result.plot(whole)
        save(_small(result), thumbnail)
        return {f"gallery/{name}.png": whole.read_bytes(), _thumbnail_of(name): thumbnail.read_bytes()}


def _small(result: vegaslab.Result) -> Figure:
    """Draws the window of a flow alone, or how several share the link, without texts."""
    sheet = result.sheet()
    (panel,) = panels(sheet, ["throughput" if len(sheet.groups) > 1 else "cwnd"])
    with matplotlib.rc_context(NAMED):
        figure = Figure(figsize=_THUMBNAIL_INCHES, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        for curve in panel.curves:
            draw_curve(axes, curve)
        axes.set_xlim(0, sheet.duration_s)
        axes.set_ylim(*panel.y_range)
        axes.tick_params(length=0, labelbottom=False, labelleft=False)
    return figure


def _thumbnail_of(name: str) -> str:
    return f"gallery/thumbnails/{name}.png"


def _page(*parts: str) -> str:
    return "\n\n".join(filter(None, parts)) + "\n"


def _from(page: str, place: str) -> str:
    """Returns the link to a place of the site from a page."""
    return posixpath.relpath(place, posixpath.dirname(page))


def _thumbnails(entries: list[Entry], page: str) -> str:
    items = "\n".join(entry.thumbnail(page) for entry in entries)
    return f'<div class="thumbnails" markdown>\n\n{items}\n\n</div>'


def _shown(entry: Entry) -> str:
    picture = f"![{entry.description}]({_from(entry.page, f'gallery/{entry.name}.png')}){{ loading=lazy }}"
    source = "\n".join(f"    {line}".rstrip() for line in ["```toml", *entry.text.splitlines(), "```"])
    name = Path(entry.name).name
    tags = "Tags: " + ", ".join(_link(tag, entry.page) for tag in entry.tags)
    link = playground.link_from_gallery(entry.name)
    parts = [f"## {name}", f"{entry.description}.", tags, picture, link, f'??? example "{name}.toml"', source]
    return "\n\n".join(filter(None, parts))


# --- tags ---


def _pages_of_tags(entries: list[Entry]) -> dict[str, str]:
    of_tags = {tag: [entry for entry in entries if tag in entry.tags] for tag in _in_order(entries)}
    return {TAGS: _list_of_tags(of_tags)} | {tag.place: _page_of_tag(tag, having) for tag, having in of_tags.items()}


def _in_order(entries: list[Entry]) -> list[Tag]:
    """Returns all tags, by kind and name."""
    tags = {tag for entry in entries for tag in entry.tags}
    return sorted(tags, key=lambda tag: (KINDS.index(tag.kind), tag.name))


def _list_of_tags(of_tags: dict[Tag, list[Entry]]) -> str:
    parts = ["# Tags of the gallery", "What the shipped scenarios have, and how many of them have it."]
    for kind in KINDS:
        of_kind = {tag: having for tag, having in of_tags.items() if tag.kind == kind}
        lines = [f"- {_link(tag, TAGS)} ({len(having)}): {tag.meaning}" for tag, having in of_kind.items()]
        parts += [f"## {_FOR_EACH_KIND[kind]}", "\n".join(lines)]
    return _page(*parts)


def _page_of_tag(tag: Tag, entries: list[Entry]) -> str:
    head = f"# Scenarios: {tag.name}"
    return _page(head, f"{tag.meaning} [All tags]({_from(tag.place, TAGS)})", _thumbnails(entries, tag.place))


def _link(tag: Tag, page: str) -> str:
    return f"[{tag.name}]({_from(page, tag.place)})"
