"""SHA-256 of the Parquet files of scenario files' runs, as JSON by file and table: native_sums.py FILE..."""

import hashlib
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import vegaslab


def main(files: list[str]) -> None:
    with TemporaryDirectory() as scratch:
        json.dump({file: sums(file, Path(scratch) / "run") for file in files}, sys.stdout)


def sums(file: str, folder: Path) -> dict[str, str]:
    vegaslab.run(file).write(folder)
    return {table.stem: hashlib.sha256(table.read_bytes()).hexdigest() for table in folder.glob("*.parquet")}


main(sys.argv[1:])
