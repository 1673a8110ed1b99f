"""Says in one line what `make test` has passed, and what was skipped and why: test_summary.py FOLDER PART...

FOLDER has the output of each part that began, in a file of its name.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

# of cargo, for each program of tests; and of pytest, for all
PASSED = re.compile(r"^test result: ok\. (\d+) passed|^(?:\d+ failed, )?(\d+) passed.* in [0-9.]+s", re.MULTILINE)
# of pytest, with the number of tests and the place; and of everything else
SKIPPED = re.compile(r"^SKIPPED(?: \[(\d+)\] [^:]+:(?:\d+:)?|:) ?(.+)$", re.MULTILINE)


def main(folder: Path, parts: list[str]) -> str:
    """Returns the line."""
    texts = {part: (folder / part).read_text(errors="replace") for part in parts if (folder / part).exists()}
    said = {
        "passed": [passed(part, text) for part, text in texts.items() if ended(part, text)],
        "FAILED": [part for part, text in texts.items() if not ended(part, text)],
        "not run": [part for part in parts if part not in texts],
        "skipped": [line for part, text in texts.items() for line in skipped(part, text)] or ["nothing"],
    }
    return "; ".join(f"{word}: {', '.join(what)}" for word, what in said.items() if what)


def ended(part: str, text: str) -> bool:
    """A part's last line says how long it took."""
    return bool(re.search(rf"^--- {part}: \d+ s$", text, re.MULTILINE))


def passed(part: str, text: str) -> str:
    """A part, with the number of its tests if it has any."""
    tests = sum(int(number) for numbers in PASSED.findall(text) for number in numbers if number)
    return f"{part} ({tests} tests)" if tests else part


def skipped(part: str, text: str) -> Iterator[str]:
    """Each reason once, with the number of times that it was given."""
    reasons: Counter[str] = Counter()
    for times, reason in SKIPPED.findall(text):
        reasons[reason] += int(times or 1)
    for reason, times in reasons.items():
        yield f"{part}: {reason}" + (f" ({times} times)" if times > 1 else "")


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), sys.argv[2:]))
