"""`vegaslab export`: a run in the formats of other tools."""

import argparse
from pathlib import Path

from vegaslab.commands.parsing import OK, Commands


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("export", help="a run for other tools: qlog, which qvis draws, or flent's data")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder of a run")
    parser.add_argument("file", nargs="+", type=Path, metavar="FILE", help="what to write: a .qlog or a .flent.gz")
    parser.set_defaults(action=_export)


def _export(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.runs.exporting import export

    for file in options.file:
        print(f"written: {export(options.folder, file)}")
    return OK
