"""The notebooks as pages: run during the build, with each output below its cell."""

import base64
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from documentation import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
_CELL_S = 120


def pages() -> dict[str, str | bytes]:
    """Returns a page for each notebook, and its pictures."""
    with ThreadPoolExecutor(len(NOTEBOOKS)) as pool:
        carried_out = list(pool.map(carry_out, NOTEBOOKS))
    made: dict[str, str | bytes] = {}
    for path, notebook in zip(NOTEBOOKS, carried_out, strict=True):
        made |= _page(path, notebook)
    return made


def carry_out(path: Path) -> Any:
    """Returns the notebook with its outputs; cells run in the kernel that Jupyter would start. Raises a cell's
    exception.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    # files that the notebook writes are discarded
    with TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=_CELL_S, kernel_name="python3", resources=resources).execute()
    return notebook


def _page(path: Path, notebook: Any) -> dict[str, str | bytes]:
    pictures: dict[str, str | bytes] = {}
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            parts.append(_output(output, f"{path.stem}-{len(pictures)}.png", pictures))
    own = f'<a href="{path.name}">This page as a notebook</a>, without its outputs.'
    page = "\n\n".join([parts[0], own, *(part for part in parts[1:] if part)])
    return {f"notebooks/{path.stem}.md": page + "\n"} | {f"notebooks/{name}": data for name, data in pictures.items()}


def _output(output: Any, name: str, pictures: dict[str, str | bytes]) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        pictures[name] = base64.b64decode(data["image/png"])
        return f"![what the cell shows]({name})"
    if "text/html" in data:
        return f'<div class="output" markdown="0">{data["text/html"]}</div>'
    text = output.get("text") or data.get("text/plain", "")
    # progress that was cleared leaves an empty text
    return f'<div class="output" markdown>\n\n```text\n{text.rstrip()}\n```\n\n</div>' if text.strip() else ""
