"""From a fresh install to the first result of an own algorithm, step by step: CPU time and time.

python tools/measure_first_result.py WHEEL [LANGUAGE ...], with python, wasm and rust as languages (python and wasm by
default; wasm needs clang and lld, rust a toolchain and the checkout that the wheel was built from).
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

RUN = {
    "python": ["vegaslab", "run", "scenario.toml", "--no-plot"],
    "wasm": ["sh", "-c", "sh build.sh && vegaslab run scenario.toml --no-plot"],
    "rust": ["cargo", "run", "--quiet", "--release", "--", "run", "scenario.toml"],
}
"""The commands of the READMEs that `vegaslab new` writes."""


def measured(command, folder, bin_folder):
    """CPU time and time of a command and all that it starts, s."""
    path = {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "VEGASLAB_CACHE": "off"}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, cwd=folder, env=os.environ | path, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began


def main(wheel, *languages):
    """Prints a line a step, and their sums."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch, "venv")
        venv.create(place, with_pip=True)
        install = measured(["pip", "install", "--quiet", str(Path(wheel).absolute())], scratch, place / "bin")
        print(f"install: {install[0]:.1f} s of CPU time, {install[1]:.1f} s")
        for language in languages or ("python", "wasm"):
            new = measured(["vegaslab", "new", f"my-{language}", "--language", language], scratch, place / "bin")
            run = measured(RUN[language], Path(scratch, f"my-{language}"), place / "bin")
            cpu_s, wall_s = (sum(times) for times in zip(install, new, run, strict=True))
            print(
                f"{language}: new {new[0]:.1f}, run {run[0]:.1f} s of CPU time; "
                f"with the install {cpu_s:.1f} s of CPU time, {wall_s:.1f} s"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
