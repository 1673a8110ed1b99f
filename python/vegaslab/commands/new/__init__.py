"""`vegaslab new`: makes a folder with an algorithm of the user's, a scenario that runs it and a test that passes."""

import argparse
import keyword
import re
import shutil
from pathlib import Path

from vegaslab.commands.new import python, rust, wasm
from vegaslab.commands.parsing import OK, Parser, UsageError

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_NAME_MAX = 40

_SCENARIO = """\
# {{name}} alone on 10 Mb/s and a round trip of 20 ms.
name = "{{name}}"
duration = "20s"
seed = 1

[topology]
kind = "dumbbell"
access = { rate = "100mbit", delay = "1ms" }
bottleneck = { rate = "10mbit", delay = "8ms", queue = "20p" }

[[flow]]
algorithm = {{algorithm}}
"""

_README = """\
# {{name}}

A congestion control for vegaslab: the rule is in `{{file}}`, the network in `scenario.toml`.

{{commands}}"""

_LANGUAGES = {"python": python, "rust": rust, "wasm": wasm}


def add(commands: "argparse._SubParsersAction[Parser]") -> None:
    """Adds the command."""
    parser = commands.add_parser("new", help="a folder with a first version of your own algorithm")
    parser.add_argument("name", metavar="NAME", help="the folder, and the algorithm's name, such as my-algorithm")
    parser.add_argument(
        "--language",
        choices=list(_LANGUAGES),
        default="python",
        help="wasm: C, as a WebAssembly module; default: python",
    )
    parser.add_argument(
        "--from",
        dest="preset",
        choices=python.PRESETS,
        help="begin as this preset, in Python, with its results packet for packet; default: a small algorithm",
    )
    parser.add_argument(
        "--vegaslab",
        type=Path,
        metavar="PATH",
        help="a checkout of vegaslab, for --language rust; default: the one that this command was built from",
    )
    parser.set_defaults(action=_new)


def _new(options: argparse.Namespace) -> int:
    class_name = _class_of(options.name)
    language = _LANGUAGES[options.language]
    words = {"type": class_name, "name": options.name}
    checkout = None
    if options.language == "rust":
        checkout = _checkout(options.vegaslab)
        words["checkout"] = str(checkout)
    algorithm, commands, written = language.ALGORITHM, language.COMMANDS, language.FILES
    if options.preset is not None:
        if language is not python:
            raise UsageError("--from goes with --language python; examples/own-algorithm has presets in C and Rust")
        algorithm, commands, written = python.from_preset(options.preset)
    folder = Path(options.name)
    try:
        folder.mkdir()
    except FileExistsError:
        raise UsageError(f"{folder}: exists already; give another name") from None
    own = {"algorithm": algorithm, "file": language.FILE, "commands": commands}
    files = {"scenario.toml": _filled(_SCENARIO, own), "README.md": _filled(_README, own), **written}
    for file, text in files.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(_filled(text, words))
    if checkout is not None:
        # the versions that were tested together; cargo drops those that are not needed
        shutil.copyfile(checkout / "Cargo.lock", folder / "Cargo.lock")
    first = commands.strip("\n").splitlines()[0]
    print(f"{folder}: {', '.join(sorted(files))}\n\n    cd {folder}\n{_filled(first, words)}")
    return OK


def _filled(text: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(f"{{{{{word}}}}}", value)
    return text


def _checkout(given: Path | None) -> Path:
    """Returns the folder of the crates."""
    path = (given or Path(__file__).parents[4]).absolute()
    if not (path / "crates" / "vegas-core" / "Cargo.toml").is_file():
        what = f"{path}: is no checkout of vegaslab" if given else "no checkout of vegaslab is known"
        raise UsageError(f"{what}; --vegaslab PATH names one")
    return path


def _class_of(name: str) -> str:
    """Returns the type's name: `MyAlgorithm` for `my-algorithm`."""
    class_name = "".join(word.capitalize() for word in name.split("-"))
    if not _NAME.fullmatch(name) or len(name) > _NAME_MAX or keyword.iskeyword(class_name):
        raise UsageError(
            f"{name!r} is no name for an algorithm; take small letters, digits and hyphens, {_NAME_MAX} at most, "
            "such as my-algorithm"
        )
    return class_name
