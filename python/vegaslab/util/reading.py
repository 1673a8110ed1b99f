"""Files of text that a user names: they are read whole, up to a bound, as a file may have no end."""

from pathlib import Path

TEXT_BYTES_MAX = 100_000_000
"""More than any scenario, plan or algorithm needs."""


class UnreadableTextError(ValueError):
    """A file is no text, or too long: the end of a line that names the file."""


def read_text(path: Path) -> str:
    """Returns a file's text. Raises `UnreadableTextError`, or `OSError` if it cannot be read."""
    with path.open("rb") as file:
        content = file.read(TEXT_BYTES_MAX + 1)
    if len(content) > TEXT_BYTES_MAX:
        raise UnreadableTextError(f"has more than {TEXT_BYTES_MAX} bytes")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableTextError(f"byte {error.start} is not UTF-8 text") from None
    # as Python's text files have it
    return text.replace("\r\n", "\n").replace("\r", "\n")
