"""The names of users' own algorithms in a scenario."""

import re
from collections.abc import Mapping
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


def table_from_here(table: Mapping[str, object]) -> dict[str, object]:
    """Returns the table of an algorithm with a file of the working folder as an absolute path: a scenario's folder is
    another.

    >>> table_from_here({"preset": "vegas", "slow_start": "gallop"})
    {'preset': 'vegas', 'slow_start': 'gallop'}
    """
    return {key: _from_here(value) if key in ("python", "wasm") else value for key, value in table.items()}


def _from_here(value: object) -> object:
    match = _FILE.fullmatch(value) if isinstance(value, str) else None
    there = match is not None and Path(match["python"] or match["wasm"]).is_file()
    return f"{Path().absolute()}/{value}" if there and not str(value).startswith("/") else value
