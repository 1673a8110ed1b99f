"""What several targets share."""

import tempfile
from functools import cache
from pathlib import Path


@cache
def folder() -> Path:
    """A folder of this process, removed at its end."""
    made = tempfile.TemporaryDirectory(prefix="fuzzing-")
    _kept.append(made)
    return Path(made.name)


_kept: list[tempfile.TemporaryDirectory[str]] = []


def check_line(message: str, named: Path | None = None) -> None:
    """An error is one line of text, not too long, that names a file or folder."""
    assert named is None or message.startswith(str(named)), f"does not begin with {named}: {message!r}"
    assert message.isprintable(), f"more than a line of text: {message!r}"
    assert len(message) < 3000, f"too long: {message!r}"
