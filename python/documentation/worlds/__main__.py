"""Writes the section "Both worlds side by side" of docs/kernel-world.md from two sweeps: `make worlds`."""

import argparse
import sys
from pathlib import Path

from documentation import ROOT
from documentation.dossiers import between
from documentation.worlds.causes import CAUSES
from documentation.worlds.page import section
from documentation.worlds.rows import rows, world_of

PAGE = ROOT / "docs" / "kernel-world.md"


def main(arguments: list[str]) -> None:
    """Writes the page again."""
    parser = argparse.ArgumentParser(prog="worlds", description=__doc__)
    parser.add_argument("simulated", type=Path, help="the folder of `vegaslab sweep both-worlds`")
    parser.add_argument("kernel", type=Path, help="the folder of the same with `--world kernel`")
    options = parser.parse_args(arguments)
    both = list(rows(options.simulated, options.kernel))
    page = between(PAGE.read_text(encoding="utf-8"), "both worlds", section(both, world_of(options.kernel), CAUSES))
    PAGE.write_text(page, encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main(sys.argv[1:])
