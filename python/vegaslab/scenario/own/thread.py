"""The file of an algorithm that a thread runs to load it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_thread = threading.local()


@contextmanager
def loading(file: str) -> Iterator[None]:
    """Marks the block in which this thread runs a file to load it."""
    _thread.file = file
    try:
        yield
    finally:
        _thread.file = None


def file_being_loaded() -> str | None:
    """Returns the file that this thread is loading, if any: a run that the file itself starts would load it again,
    without end.
    """
    return getattr(_thread, "file", None)
