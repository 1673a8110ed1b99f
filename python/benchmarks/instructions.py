"""Instructions a delivered packet, counted by callgrind: a guard that does not depend on the machine's load."""

import json
import re
import shutil
import tempfile
from pathlib import Path

from benchmarks.programs import BENCHES, BenchmarkError, Work, measure, scenario_file

RECORDED = BENCHES / "instructions.json"
CHANGE_MAX = 0.02
# long enough that the opening of the windows is as it is in the whole run, short enough for callgrind
DURATIONS = {
    "one-flow": "100s",
    "ten-flows": "15s",
    "hundred-flows": "2s",
    "ten-sack-flows": "3s",
    "thousand-flows": "600ms",
    "ten-thousand-flows": "300ms",
    "five-hops": "1s",
}
# set-up, run and totals, without the process around them
COUNTED = "vegas_sim::engine::run"


def main(program: Path, *, update: bool) -> int:
    """Counts every scenario and compares with what is recorded; 1 if one changed too much and is not to be updated."""
    if shutil.which("valgrind") is None:
        raise BenchmarkError("valgrind is not installed (Debian: apt-get install valgrind)")
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    counted = {name: count(program, name) for name in DURATIONS}
    changed = False
    for name, now in counted.items():
        before = recorded.get(name)
        change = f"{now / before - 1:+.1%} from {before}" if before else "not recorded"
        too_much = before is None or abs(now / before - 1) > CHANGE_MAX
        changed |= too_much
        print(f"{name:20} {now:6} instructions a delivered packet, {change}{'  CHANGED' if too_much else ''}")
    if update:
        RECORDED.write_text(json.dumps(counted, indent=2) + "\n")
        return 0
    if changed:
        print(
            f"beyond {CHANGE_MAX:.0%}: find out why; if it is meant to be, make bench-instructions UPDATE=1 records it"
        )
    return 1 if changed else 0


def count(program: Path, name: str) -> int:
    """Instructions of a shortened scenario over the packets that it delivers."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "callgrind.out"
        options = ["--tool=callgrind", f"--toggle-collect={COUNTED}*", f"--callgrind-out-file={counts}"]
        run: list[str | Path] = [
            program,
            scenario_file(name),
            Path(folder) / "results",
            f"duration={DURATIONS[name]}",
            "sample=100ms",
        ]
        printed, _ = measure(["valgrind", *options, *run])
        total = re.search(r"^(?:summary|totals): (\d+)", counts.read_text(), re.MULTILINE)
    if total is None or int(total[1]) == 0:
        raise BenchmarkError(f"{name}: callgrind counted nothing in {COUNTED}")
    return round(int(total[1]) / Work.of(printed).delivered)
