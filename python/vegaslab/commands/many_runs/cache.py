"""`vegaslab cache`: what is kept of runs, so that none is made twice."""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vegaslab.commands.parsing import OK, Commands
from vegaslab.runs.kept import cache as kept
from vegaslab.util.store import Store
from vegaslab.util.text import significant

_CLEAR = "clear"
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("cache", help="what is kept of runs, so that none is made twice: show it, clear it")
    parser.add_argument("what", nargs="?", choices=(_CLEAR,), metavar=_CLEAR, help="remove all that is kept")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    parser.set_defaults(action=_cache)


def _cache(options: argparse.Namespace) -> int:
    found = cache()
    if options.what == _CLEAR:
        found.clear()
    if options.json:
        print(json.dumps(found.summary))
        return OK
    print(f"folder   {found.folder}")
    removed = " removed" if options.what == _CLEAR else ""
    print(f"entries  {found.entries}{removed}")
    print(f"size     {_shown(found.bytes)}{removed}, of at most {_shown(found.limit_bytes)}")
    if not found.in_use:
        print(f"off      runs are made, and none is kept: {kept.VARIABLE}={kept.given()}")
    return OK


@dataclass(frozen=True)
class Cache:
    """The cache of runs (docs/cache.md), as it was when asked for.

    >>> import vegaslab
    >>> found = vegaslab.cache()
    >>> found.folder.name, found.bytes <= found.limit_bytes
    ('runs', True)
    """

    folder: Path
    entries: int
    """The number of values: results, rows of sweeps, data of dossiers and reports."""
    bytes: int
    """The space on the disk."""
    limit_bytes: int
    """The most that they may take."""
    in_use: bool
    taken: int
    """The runs that this process took from it."""
    made: int
    """The runs that this process made."""

    @property
    def summary(self) -> dict[str, Any]:
        """The dict that `vegaslab cache --json` prints."""
        return {**asdict(self), "folder": str(self.folder)}

    def clear(self) -> None:
        """Removes all that is kept."""
        Store(self.folder, self.limit_bytes).clear()


def cache(*, use: bool | None = None) -> Cache:
    """Returns what the cache of runs holds; with `use`, first says whether this process takes runs from it and keeps
    its own. Raises `VegaslabError` for a limit that is none.

    >>> import vegaslab
    >>> before = vegaslab.cache().in_use
    >>> vegaslab.cache(use=False).in_use
    False
    >>> vegaslab.cache(use=before).in_use == before
    True
    """
    if use is not None:
        kept.switch(on=use)
    store = Store(kept.folder(), kept.limit_bytes())
    size = store.size()
    count = kept.count
    return Cache(store.folder, size.entries, size.bytes, store.limit_bytes, kept.is_on(), count.taken, count.made)


def _shown(size: int) -> str:
    """Formats a size.

    >>> _shown(5_000_000_000), _shown(123_456), _shown(17)
    ('5 GB', '123 kB', '17 bytes')
    """
    number, unit = float(size), 0
    while number >= 1000 and unit + 1 < len(_UNITS):
        number, unit = number / 1000, unit + 1
    return f"{significant(number, 3)} {_UNITS[unit]}"
