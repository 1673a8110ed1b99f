"""The names of users' own algorithms in a scenario."""

import re
from pathlib import Path

_FILE = re.compile(r"(?P<python>.+\.py)(?P<class>:\w+)?|(?P<wasm>.+\.wasm)")


def table_of_class(algorithm: type) -> dict[str, str]:
    """Returns the table that stands for a class in a scenario of this process. Raises `ValueError` if it is no
    algorithm.
    """
    # few programs pass a class, and the module that reads its source takes time to import
    from vegaslab.scenario.own.loading import name_of

    return {"python": name_of(algorithm)}


def table_of_file(text: str) -> dict[str, str] | None:
    """Returns the table for `mine.py`, `mine.py:Mine` or `mine.wasm`, relative to the working folder; None for another
    text.

    >>> table_of_file("/tmp/mine.py:Mine")
    {'python': '/tmp/mine.py:Mine'}
    >>> table_of_file("vegas")
    """
    match = _FILE.fullmatch(text)
    if match is None:
        return None
    if match["wasm"]:
        return {"wasm": str(Path(match["wasm"]).absolute())}
    return {"python": f"{Path(match['python']).absolute()}{match['class'] or ''}"}
