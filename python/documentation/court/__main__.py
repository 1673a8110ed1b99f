"""Writes docs/agreement.md from a folder with measurements of others: `make court STRANGERS=folder`."""

import argparse
import sys
from pathlib import Path

from documentation import ROOT
from documentation.court.causes import CAUSES
from documentation.court.page import page
from documentation.court.rows import FILES, of_captures, of_series

PAGE = ROOT / "docs" / "agreement.md"


def main(arguments: list[str]) -> int:
    """Writes the page; returns the exit code."""
    parser = argparse.ArgumentParser(prog="court", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder with the measurements")
    parser.add_argument("--kernel", help="also carry the captures' runs out in this kernel, such as 6.12")
    parser.add_argument("-o", "--output", type=Path, default=PAGE, help="the page (default: docs/agreement.md)")
    options = parser.parse_args(arguments)
    missing = [name for name in FILES if not (options.folder / name).is_file()]
    if missing:
        print(
            f"court: {options.folder}: has no {missing[0]}; give the folder with {' and '.join(FILES)}", file=sys.stderr
        )
        return 2
    captures = list(of_captures(options.folder, options.kernel))
    series = list(of_series(options.folder))
    options.output.write_text(page(captures, series, CAUSES), encoding="utf-8")
    print(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
