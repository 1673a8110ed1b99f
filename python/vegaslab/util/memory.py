"""The limit on a run's memory."""

import os
import resource
from pathlib import Path

from vegaslab import _vegaslab

_BYTES_MAX = 2**63
"""More than any machine has."""
_CGROUP = Path("/sys/fs/cgroup/memory.max")


def memory_bytes(given: str | int | None, *, runs: int = 1) -> int:
    """Returns a limit in bytes, from a number or a size such as "4gb"; without one, half of what this process may use.

    If `runs` share it at one time, returns the limit of each. Raises `ValueError` for a text that is no size.
    """
    return max(_bytes(given) // runs, 1)


def _bytes(given: str | int | None) -> int:
    if given is None:
        return half_of_memory()
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return min(given, _BYTES_MAX)
    if not isinstance(given, str):
        raise ValueError(f'memory: {given!r} was given; bytes, or a size such as "4gb"')
    try:
        size = _vegaslab.size_bytes(given)
    except ValueError as error:
        raise ValueError(f"memory: {error}") from None
    if size == 0:
        raise ValueError(f"memory: {given!r} was given; more than nothing")
    return size


def half_of_memory() -> int:
    """Returns half of this machine's memory, or of the process's limit.

    If the address space is limited, it is a third of that limit, as tables grow by doubling.
    """
    parts = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2]
    addresses = resource.getrlimit(resource.RLIMIT_AS)[0]
    if addresses != resource.RLIM_INFINITY:
        parts.append(addresses // 3)
    # the group's own limit, in a container that sees its group as the root
    limit = _CGROUP.read_text(encoding="ascii").strip() if _CGROUP.is_file() else "max"
    if limit.isdigit():
        parts.append(int(limit) // 2)
    return min(parts)
