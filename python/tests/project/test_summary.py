"""The last line of `make test`: what passed, what was skipped and why."""

import subprocess
import sys
from pathlib import Path

from documentation import ROOT

OUTPUT = {
    "lint": "--- lint: 3 s\n",
    "test-web": "SKIPPED: the playground is not tested; missing: node\n--- test-web: 0 s\n",
    "test-rust": """
running 6 tests
......
test result: ok. 6 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.30s

test result: ok. 7 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
--- test-rust: 48 s
""",
    "test-python": """
SKIPPED [2] python/tests/measuring/test_quic.py:61: vegaslab-quic is not built; `make quic` builds it
SKIPPED [1] python/tests/measuring/test_linux.py:7: no root: run it with sudo
SKIPPED [1] python/tests/reports/test_browser.py: chromium is not installed: apt-get install chromium
115 passed, 4 skipped, 2 warnings in 71.49s (0:01:11)
--- test-python: 72 s
""",
    "test-linux": "SKIPPED: no root\nSKIPPED: no root\ntest result: ok. 2 passed; 0 failed;\n--- test-linux: 1 s\n",
}


def said(folder: Path, *parts: str) -> str:
    command = [sys.executable, str(ROOT / "tools" / "test_summary.py"), str(folder), *parts]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_all_is_in_one_line(tmp_path: Path) -> None:
    for part, text in OUTPUT.items():
        (tmp_path / part).write_text(text)
    assert said(tmp_path, *OUTPUT) == (
        "passed: lint, test-web, test-rust (13 tests), test-python (115 tests), test-linux (2 tests); skipped: "
        "test-web: the playground is not tested; missing: node, "
        "test-python: vegaslab-quic is not built; `make quic` builds it (2 times), "
        "test-python: no root: run it with sudo, "
        "test-python: chromium is not installed: apt-get install chromium, "
        "test-linux: no root (2 times)\n"
    )
    assert said(tmp_path, "lint") == "passed: lint; skipped: nothing\n"


def test_what_failed_and_what_did_not_begin_is_named(tmp_path: Path) -> None:
    (tmp_path / "lint").write_text(OUTPUT["lint"])
    (tmp_path / "test-python").write_text("1 failed, 1215 passed, 3 skipped in 1771.49s\nmake: *** Error 1\n")
    line = said(tmp_path, "lint", "test-python", "test-linux")
    assert line == "passed: lint; FAILED: test-python; not run: test-linux; skipped: nothing\n"
