"""What a notebook shows while something runs, in a kernel as Jupyter starts it."""

import importlib.util
import os
from typing import Any

import pytest

from tests.conftest import TIMEOUT_S

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("nbclient") is None and os.environ.get("CI") != "true",
    reason="nbclient is not installed; `make test-python` does that",
)
# how far the run is appears after a second of work; here at once, as a fast machine may need less for the whole run
_CELL = """\
import vegaslab
from vegaslab.util import progress
progress._SILENT_S = 0.0
done = vegaslab.run("gallop-50mbit", set={"duration": "3000s", "sample": "1s"})
"""


def test_a_long_run_says_how_far_it_is_and_then_nothing() -> None:
    import nbformat
    from nbclient import NotebookClient

    shown: list[str] = []

    class Watching(NotebookClient):  # type: ignore[misc]
        def process_message(self, message: dict[str, Any], cell: object, index: int) -> object:
            if message["msg_type"] in ("display_data", "update_display_data"):
                shown.append(message["content"]["data"]["text/plain"])
            return super().process_message(message, cell, index)

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(_CELL)])
    Watching(notebook, timeout=TIMEOUT_S, startup_timeout=TIMEOUT_S, kernel_name="python3").execute()
    assert len(shown) >= 2
    assert all("% of 3000 s" in text for text in shown[:-1])
    assert shown[-1] == ""
