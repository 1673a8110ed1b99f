"""Prose keeps to 120 columns: that of pages, and the comments of code.

Formatters hold the code itself (`rustfmt.toml`, ruff in `pyproject.toml`), but break no comment. Tables, headings,
pictures, code blocks, and lines without a place to break them are as long as they are; so are the pages of dossiers,
which are written from numbers, a sentence a line.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from documentation import ROOT
from tests.project.test_words import Line, files, pages_prose

WIDTH = 120
WHOLE_LINE_COMMENT = re.compile(r"\s*(?://[/!]?|#)(?: |$)")
COMMENTED = {".rs", ".ts", ".mjs", ".js", ".toml", ".sh", ".py"}
UNBREAKABLE = re.compile(r"\s*(?:\||#|!\[|>?\s*\[[^\]]+\]:)")
WRITTEN = re.compile(r"^docs/dossiers/(?!README)")


def prose(path: Path, text: str) -> Iterator[Line]:
    if path.suffix == ".md":
        yield from ((number, line) for number, line in pages_prose(text) if not UNBREAKABLE.match(line))
    elif path.suffix in COMMENTED:
        for number, line in enumerate(text.splitlines(), 1):
            comment = WHOLE_LINE_COMMENT.match(line)
            if comment and not UNBREAKABLE.match(line[comment.end() :]):
                yield number, line


def is_too_long(line: str) -> bool:
    """Whether the line is too long, and could be broken before its end."""
    return len(line) > WIDTH and " " in line.strip()[2:]


def test_prose_keeps_to_120_columns() -> None:
    paths = [path for path in files() if not WRITTEN.match(str(path.relative_to(ROOT)))]
    long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in paths
        for number, line in prose(path, path.read_text(encoding="utf-8"))
        if is_too_long(line)
    ]
    assert long == []


def test_long_prose_is_found() -> None:
    words, table = "word " * 25, f"| {'word ' * 25} |"
    assert [line for _, line in prose(Path("a.md"), f"{words}\n{table}\n") if is_too_long(line)] == [words]
    rust = f"    /// {words}\n    let code = {'x' * 120};\n    /// {table}\n"
    assert [line for _, line in prose(Path("a.rs"), rust) if is_too_long(line)] == [f"    /// {words}"]
    assert not is_too_long("- " + "x" * 130)
