"""What a page names exists in the tree, by its path from the root of the repository.

The rule, for README, CONTRIBUTING and the pages of `docs`, their code blocks included:

- text that begins with a top-level folder and a slash is the path of a file or folder; with `*`, of one at least;
- a name in backticks that ends like a file of code (`CODE`) is the whole path of a file, which a reader can open;
- a name in backticks with a slash that is the end of a folder's path is written as the whole path, if it is not the
  name of a shipped scenario.

Files of results, such as `manifest.json`, are not in the tree and have other endings. Files of other projects and of
readers are named below.
"""

import re
import subprocess
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from documentation import ROOT

CODE = r"(?:rs|pyi?|m?[jt]s|c|h|sh|tcl|txt)"

ELSEWHERE = re.compile(
    r"net/ipv4/tcp_\w+\.c|tcp_(?:vegas|cubic)\.c"  # Linux
    r"|tcp_cubic_search4\.0\.c|neqo-transport/src/cc/search\.rs"  # SEARCH's authors, Mozilla
    r"|assembler\.rs|example_queries\.py"  # quinn, CCAC's authors
    r"|set_sysctls\.py|\.\./common(?:/defaults)?\.sh"  # what scripts of packetdrill call
    r"|mine\.(?:py|js)|vegas\.(?:py|js)|build\.sh|src/algorithm\.rs"  # a reader's own
)
"""Files of other projects, and of readers."""

MADE = re.compile(r"(?:web/(?:dist|node_modules)|python/vegaslab/_vegaslab)\b")
"""What a build writes into the tree."""

CONFLICT = re.compile(r"^(?:<{7}|={7}$|>{7})", re.MULTILINE)


@cache
def tree() -> tuple[frozenset[str], frozenset[str]]:
    """The files, and the folders."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = listed.stdout.splitlines()
    folders = {str(folder) for file in files for folder in PurePosixPath(file).parents}
    return frozenset(files), frozenset(folders)


def pages() -> list[Path]:
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def missing(text: str) -> set[str]:
    """The names in a page that lead nowhere."""
    return {name for name in rooted(text) if not exists(name)} | {name for name in quoted(text) if not is_whole(name)}


def rooted(text: str) -> set[str]:
    """Texts that begin with a top-level folder."""
    tops = "|".join(re.escape(folder) for folder in tree()[1] if "/" not in folder and folder != ".")
    return {name.rstrip(".") for name in re.findall(rf"(?<![\w./~-])(?:{tops})/[\w./+*-]*[\w*]", text)}


def exists(name: str) -> bool:
    files, folders = tree()
    if "*" in name:
        pattern = re.escape(name).replace(r"\*", "[^/]*")
        return any(re.fullmatch(pattern, path) for path in files | folders)
    return name in files | folders or bool(MADE.match(name))


def quoted(text: str) -> set[str]:
    return set(re.findall(r"`([\w./+-]+)`", text))


def is_whole(name: str) -> bool:
    """Whether a name in backticks is a whole path, or none of this tree."""
    files, folders = tree()
    if re.search(rf"\w\.{CODE}$", name):
        return name in files or ELSEWHERE.fullmatch(name) is not None
    if "/" not in name or name in folders or f"scenarios/{name}.toml" in files:
        return True
    return not any(folder.endswith(f"/{name}") for folder in folders)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert sorted(missing(text)) == []
    assert not CONFLICT.search(text), "a merge was not resolved"


def test_wrong_names_are_found() -> None:
    assert missing("see `sender.rs`") == {"sender.rs"}
    assert missing("    cat crates/vegas-sim/nowhere.rs\n") == {"crates/vegas-sim/nowhere.rs"}
    assert missing("the folder `composition/parts`, files docs/no/*.md") == {"composition/parts", "docs/no/*.md"}


def test_right_names_pass() -> None:
    assert not missing("`docs/README.md`, crates/*/fuzz/corpus, `python/tests`, `manifest.json`, scenarios/evaluate.")
