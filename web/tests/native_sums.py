"""SHA-256 of the CSV files of shipped scenarios' runs, as JSON by scenario and table: native_sums.py [NAME ...]"""

import hashlib
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import vegaslab


def main(names: list[str]) -> None:
    with TemporaryDirectory() as scratch:
        json.dump({name: sums(name, Path(scratch) / "run") for name in names or vegaslab.shipped_scenarios()}, sys.stdout)


def sums(name: str, folder: Path) -> dict[str, str]:
    vegaslab.run(name).write(folder, csv=True)
    return {table.stem: hashlib.sha256(table.read_bytes()).hexdigest() for table in folder.glob("*.csv")}


main(sys.argv[1:])
