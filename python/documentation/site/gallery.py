"""The gallery: a page of the shipped scenarios with their pictures."""

import tomllib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import vegaslab
from documentation.site import playground
from vegaslab.runs.pool import usable_cores

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


def pages() -> dict[str, str | bytes]:
    """Returns the pages, and their pictures."""
    scenarios = vegaslab.shipped_scenarios()
    # nothing of this process's threads may be copied into the others
    with ProcessPoolExecutor(usable_cores()) as pool:
        pictures = dict(zip(scenarios, pool.map(_picture, scenarios), strict=True))
    made: dict[str, str | bytes] = {f"gallery/{name}.png": picture for name, picture in pictures.items()}
    for place, head in HEADS.items():
        folder = Path(place).stem.replace("index", "")
        chosen = {name: file for name, file in scenarios.items() if name.rpartition("/")[0] == folder}
        made[place] = "\n\n".join([f"# {head}", *(_entry(name, file) for name, file in chosen.items())]) + "\n"
    return made


def _picture(name: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "picture.png"
        vegaslab.run(name).plot(path)
        return path.read_bytes()


def _entry(name: str, file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    description = tomllib.loads(text).get("description", name)
    # the page of the picture is in the folder `gallery`, as the picture is
    picture = f"![{description}]({name}.png){{ loading=lazy }}"
    source = "\n".join(f"    {line}".rstrip() for line in ["```toml", *text.splitlines(), "```"])
    link = playground.link_from_gallery(name)
    parts = [f"## {Path(name).name}", f"{description}.", picture, link, f'??? example "{file.name}"', source]
    return "\n\n".join(filter(None, parts))
