"""The program under attack, and what it may say."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PROGRAM = "/init"
"""The guest's first process is the same program."""

LIMIT_S = 120.0

SCENARIO = """\
name = "short"
duration = "1s"
topology.kind = "dumbbell"
topology.access = { rate = "1gbit", delay = "1ms" }
topology.bottleneck = { rate = "10mbit", delay = "8ms", queue = "50p" }
[[flow]]
algorithm = "gallop"
packet = "1000b"
"""


@dataclass(frozen=True)
class Said:
    """How a call ended."""

    code: int
    out: str
    error: str

    def problem(self, *codes: int) -> str | None:
        """Returns what is wrong with it, unless it ended with one of these codes; an error must be one line."""
        if self.code not in codes:
            return f"ended with {self.code}: {self.error or self.out}"
        if self.code and (len(self.error.splitlines()) != 1 or "panicked" in self.error):
            return f"ended with {self.code} and {len(self.error.splitlines())} lines: {self.error}"
        return None


def call(
    *arguments: str,
    program: str = PROGRAM,
    environment: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> Said:
    """Runs the program to its end."""
    try:
        done = subprocess.run(
            [program, *arguments],
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            errors="replace",
            preexec_fn=before,
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Said(-1, "", f"did not end in {LIMIT_S:g} s")
    return Said(done.returncode, done.stdout, done.stderr.strip())


def run_arguments(folder: Path, *more: str) -> Sequence[str]:
    """Returns the arguments of a run of a second."""
    file = folder / "short.toml"
    file.write_text(SCENARIO)
    return ("run", str(file), "--json", *more)
