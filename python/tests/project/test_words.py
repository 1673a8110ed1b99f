"""The project speaks the terms of its field (the glossary in `docs/architecture.md`), in plain English.

Words that stood for such terms before do not come back, and no link, packet or function is spoken of as a person.
"""

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from documentation import ROOT

NAMES = {
    "Stays": "Occupancy",
    "Looks": "SamplingInstants",
    "Lanes": "DelayLines",
    "abreast": "parallel",
    "Apart": "Overtaking",
    "Passing": "UncongestedLink",
    "Passage": "SegmentLink",
    "Chain": "PathSegment",
    "take_turns": "dequeue_due",
    "Whose": "FlowAndFlags",
    "Small": "PackedHeader",
    "Chosen": "Verdicts",
    "Hop": "LinkRecord",
    "foreign": "external",
}
"""Names that code does not use, and the terms in their place."""

TERMS = {
    "lane": "delay line",
    "lanes": "delay lines",
    "abreast": "parallel",
    "chain": "path segment, or sequence",
    "chains": "path segments",
}
"""Words that prose does not use, and those in their place."""

REPLACED = [
    (r"\btold apart\b", "distinguished; of figures: no significant difference"),
    (r"\b(?:one|two|three|ten|half an?|a (?:third|fourth|fifth) of a)[ -]products?\b(?! of)", "BDP"),
    (r"\b(?:ten|half a|queue of an?) bandwidth-delay products?\b", "BDP"),
    (r"\b(?:times|as) the product\b(?! of)|\bthe product (?:is )?\{", "the BDP"),
    (r"\bproducts? of rate and (?:delay|RTT)\b", "BDP"),
    (r"\bsent again\b|\bsends? (?:\S+ ){0,2}segments? again\b", "retransmitted"),
    (r"\banew\b", "again, or from scratch"),
    (r"\blate[ -]comers?\b", "flows that start later"),
    (r"\bdo(?:es)? a harm\b", "costs"),
    (r"\b(?:is|are|was|were|be|been|has|have) told\b", "reported, given, marked"),
    (r"\b(?:grows|does|do|is|are|receives) no more(?=[.,;:]|$)", "no longer"),
]
"""Phrases that neither prose nor the texts in code use, and those in their place."""

PERSONS = {"who", "whom", "whose", "whoever"}
PERSONS |= {"somebody", "someone", "nobody", "anybody", "anyone", "everybody", "everyone"}
"""Write "a reader that", "the path with", "no sender"."""

PRONOUN = re.compile(
    r"(?:(?:^|[.:] )The|(?:[.:;] |\| )the|\b(?:do|does|did|gives?|says?|and) the) same"
    r"(?= ?[,;:.|)]| (?:as|for|in|of|on|at|by|with|where|but|from|when|again|to)\b)"
    r"|\b(?:do|does|did) the same$"
)
"""A sentence or cell that begins with "The same" of nothing, and "does the same": name the thing."""

IDIOMS = re.compile(
    r"\bso (?:many|much|long|often)\b|(?<!times )\bas many as\b|\bas as\b"
    r"|\b(?:hangs?|hung) on\b|\ba flow more\b",
    re.IGNORECASE,
)
"""A quantity that is pointed at instead of named ("at most so many packets" is "the greatest number of packets"), and
words for "depends on" and "an additional flow"."""

LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')

QUOTED = re.compile(r"`[^`]*`|\]\([^)]*\)")
"""Names of code, and where links lead."""

LINE_COMMENTS = {"//": {".rs", ".ts", ".mjs", ".js", ".c", ".h"}, "#": {".toml", ".yml", ".sh", ""}}
BLOCK_COMMENTS = {".c", ".h", ".css", ".ts", ".mjs", ".js"}
TEXT = {".md", ".html"}
NOT_OURS = re.compile(r"^(CHANGELOG\.md|reference/)|/(corpus|golden|proptest-regressions)/|LICENSE|\.venv")

Line = tuple[int, str]


def files() -> list[Path]:
    """The files of the repository that hold prose or code, without links."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    suffixes = TEXT | BLOCK_COMMENTS | {".py", ".pyi"} | set().union(*LINE_COMMENTS.values()) - {""}
    named = [ROOT / name for name in listed if not NOT_OURS.search(name)]
    ours = [
        path for path in named if path.suffix in suffixes or path.name == "Makefile" or path.parent.name == "scripts"
    ]
    return [path for path in ours if path.is_file() and not path.is_symlink()]


def prose_of(path: Path, text: str) -> Iterator[Line]:
    """What a reader reads: pages without their code, comments, docstrings; with their lines' numbers."""
    if path.suffix in TEXT:
        yield from pages_prose(text)
    elif path.suffix in {".py", ".pyi"}:
        yield from python_prose(text)
    else:
        yield from comments(path.suffix, text)


def pages_prose(text: str) -> Iterator[Line]:
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, line


def python_prose(text: str) -> Iterator[Line]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from ((node.lineno + at, line.strip()) for at, line in enumerate(node.value.value.split("\n")))


def comments(suffix: str, text: str) -> Iterator[Line]:
    mark = next(mark for mark, suffixes in LINE_COMMENTS.items() if suffix in suffixes or suffix == ".css")
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        begins = suffix in BLOCK_COMMENTS and "/*" in line
        at = line.find("/*") if begins else 0 if inside else line.find(mark)
        inside = (inside or begins) and "*/" not in line
        if at >= 0:
            yield number, line[at:].lstrip("/*#! ")


def code_of(path: Path, text: str) -> Iterator[Line]:
    """Each line up to its comment."""
    if path.suffix in {".rs", ".ts", ".mjs", ".js", ".py", ".pyi", ".toml"}:
        mark = "#" if path.suffix.startswith((".py", ".toml")) else "//"
        for number, line in enumerate(text.splitlines(), 1):
            yield number, "" if line.lstrip().startswith(("*", "/*", '"""')) else line.split(mark)[0]


def texts_of(path: Path, text: str) -> Iterator[Line]:
    """The texts in code, and in scenarios, that users may read: string literals of several words, without f-strings'
    code.
    """
    if path.suffix in {".py", ".rs", ".ts", ".mjs", ".toml"}:
        for number, line in code_of(path, text):
            yield from ((number, literal) for literal in LITERAL.findall(line) if " " in literal or "-" in literal)


def replaced(line: str) -> str | None:
    for pattern, term in REPLACED:
        if found := re.search(pattern, line, re.IGNORECASE):
            return f"{found[0]!r} is {term!r}"
    return None


def words(line: str) -> set[str]:
    return set(re.findall(r"\w+", line))


def wrong_in_prose(line: str) -> str | None:
    line = QUOTED.sub("``", line)
    lower = {word.lower() for word in words(line)}
    if persons := lower & PERSONS:
        return f"{persons.pop()!r} is for persons"
    if terms := lower & TERMS.keys():
        term = terms.pop()
        return f"{term!r} is {TERMS[term]!r}"
    found = PRONOUN.search(line) or IDIOMS.search(line)
    return f"{found[0]!r}: name the thing" if found else replaced(line)


def wrong_in_code(line: str) -> str | None:
    found = words(line)
    if names := found & NAMES.keys():
        name = names.pop()
        return f"{name!r} is {NAMES[name]!r}"
    parts = {part for word in found if "_" in word for part in word.split("_")}
    return f"a name with {parts.pop()!r}" if (parts := parts & (PERSONS | {"lane", "lanes", "abreast"})) else None


def test_the_project_speaks_the_terms_of_its_field() -> None:
    wrong = []
    for path in files():
        if path == Path(__file__):
            continue
        text = path.read_text(encoding="utf-8")
        found = [(number, wrong_in_prose(line)) for number, line in prose_of(path, text)]
        found += [(number, wrong_in_code(line)) for number, line in code_of(path, text)]
        found += [(number, replaced(line)) for number, line in texts_of(path, text)]
        wrong += [f"{path.relative_to(ROOT)}:{number}: {what}" for number, what in found if what]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "line",
    [
        "Who would overtake waits.",
        "a path whose queue is full",
        "The same, with ECN.",
        "It reads a table. The same for links.",
        "| cut | the same |",
        "so it does the same",
        "packets of a lane",
        "Handles at most so many events.",
        "A packet that waits for so long is dropped.",
        "rows, as many as the totals say",
        "a difference that cannot be told apart",
        "a queue of half a product",
        "Segments are sent again.",
        "it sends 8 segments again",
        "The search begins anew.",
        "a late comer",
        "the build was told it",
        "ten-products",
        "20 in flight, the product {most}",
        "a queue of ten bandwidth-delay products",
        "It grows no more.",
    ],
)
def test_words_are_found(line: str) -> None:
    assert wrong_in_prose(line) is not None


@pytest.mark.parametrize(
    "line",
    [
        "`who` runs",
        "ten times as many as before",
        "as long as it lasts, so a packet waits",
        "both have the same rate",
        "the same flow again",
        "results are the same.",
        "a whole",
        "a product of letters; one product of two factors",
        "the application sends again after a pause",
        "it sends no more than that",
    ],
)
def test_plain_english_passes(line: str) -> None:
    assert wrong_in_prose(line) is None


def test_names_are_found_in_code_alone() -> None:
    assert wrong_in_code("struct Hop {") is not None
    assert wrong_in_code("fn who_overtakes() {") is not None
    assert wrong_in_code("let hop = packet.hop();") is None
    rust = "let url = call(); // a Hop of its route\n/// Who\n"
    assert [line for _, line in comments(".rs", rust)] == ["a Hop of its route", "Who"]
    assert [line for _, line in comments(".c", "int a;\n/* one\n * two */\nint b;\n")] == ["one", "two */"]
    assert [line for _, line in pages_prose("a b\n```\nwho\n```\n    who\n")] == ["a b"]
    assert [line for _, line in python_prose('def f():\n    """Who."""\n    x = "who"  # one\n')] == ["one", "Who."]


def test_every_kind_of_file_is_read() -> None:
    kinds = {path.suffix for path in files()}
    assert {".rs", ".py", ".ts", ".c", ".md", ".toml", ".sh", ".html", ""} <= kinds
