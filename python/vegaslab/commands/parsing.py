"""The shared parts of the commands. Each command has a module: its `add` makes the parser and sets the function that
runs it.

They are here so that a command's module needs nothing of `vegaslab.commands.cli`.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

from vegaslab.sweeps.where import LOCAL
from vegaslab.util.errors import InputError
from vegaslab.util.text import did_you_mean, nearest

_MISSING = "the following arguments are required: "
"""How argparse begins the message about arguments that are missing."""
OK, FAILED, BAD_INPUT = 0, 1, 2
"""The exit codes; those after a signal come from `vegaslab.util.ending.interrupted`."""


class UsageError(InputError):
    """The command line is wrong; the message is one line."""


class Parser(argparse.ArgumentParser):
    """A parser with errors of one line that name the nearest command or option."""

    def error(self, message: str) -> NoReturn:
        """Raises `UsageError`."""
        if (names := message.removeprefix(_MISSING)) != message:
            message = f"{names} {'are' if ', ' in names else 'is'} missing"
        raise UsageError(f"{message} (see {self.prog} --help)")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Raises `UsageError` for unknown arguments, too, because this parser knows the command's options."""
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(self._unknown(unknown))
        return known, unknown

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Ends the command. Raises `OSError` if its output, such as a help text, cannot be written."""
        sys.stdout.flush()
        super().exit(status, message)

    def _print_message(self, message: str, file: Any = None) -> None:
        # the original swallows errors, such as that of a full disk
        (file or sys.stderr).write(message)

    def _unknown(self, arguments: Sequence[str]) -> str:
        option = next((text.partition("=")[0] for text in arguments if text.startswith("-")), None)
        if option is None:
            return f"{arguments[0]!r} was given, and nothing more is expected"
        near = nearest(option, self._options())
        return f"{option}: no such option" + (f'; did you mean "{near[0]}"?' if near else "")

    def _options(self) -> Iterator[str]:
        for action in self._actions:
            yield from action.option_strings

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = str(action.metavar or action.dest).lower()
            raise argparse.ArgumentError(None, f"{value!r} is no {what}; {did_you_mean(value, action.choices)}")


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"
"""The group of parsers to which a command adds its own."""


def add_pictures(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say which pictures a results folder gets: `plot` and `no_plot`."""
    pictures = parser.add_mutually_exclusive_group()
    pictures.add_argument("--plot", action="store_true", help="draw picture.png, .svg and .pdf too, for a paper")
    pictures.add_argument("--no-plot", action="store_true", help="write no pictures, not even the page picture.html")


def in_groups(commands: Commands, groups: Mapping[str, Iterable[str]]) -> str:
    """The commands with their help, a paragraph for each group.

    Raises `KeyError` for a command that is in no group.
    """
    helped = {action.dest: action.help or "" for action in commands._choices_actions}
    wide = max(map(len, helped)) + 2

    def listed(name: str) -> str:
        return f"    {name:{wide}}{helped.pop(name)}"

    paragraphs = [f"{title}:\n" + "\n".join(map(listed, names)) for title, names in groups.items()]
    if helped:
        raise KeyError(f"commands without a group: {sorted(helped)}")
    return "\n\n".join(paragraphs)


def add_scenario(parser: argparse.ArgumentParser) -> None:
    """Adds FILE, --set and --seed."""
    add = parser.add_argument
    add(
        "file",
        metavar="FILE",
        help="a scenario file, a shipped scenario's name (vegaslab list scenarios), or a link of the playground",
    )
    add_set(parser)
    add("--seed", metavar="N", help="override the seed")


def add_set(parser: argparse.ArgumentParser) -> None:
    """Adds --set."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=_override,
        metavar="KEY=VALUE",
        help="override a value of the file, such as flow.0.algorithm=reno; may be repeated",
    )


def add_where(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
    parser.add_argument(
        "--on",
        default=LOCAL,
        metavar="WHERE",
        help="local (default), or the address of a Dask scheduler, such as tcp://10.0.0.1:8786",
    )
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="local: cores to use (default: all)")


def add_no_cache(parser: argparse.ArgumentParser) -> None:
    """Adds the option."""
    parser.add_argument("--no-cache", action="store_true", help="make every run, and keep none (docs/cache.md)")


def overrides(options: argparse.Namespace) -> list[tuple[str, str]]:
    """Returns the replacements by --set and --seed, in the form that `vegaslab.scenario.source.load` takes."""
    return [*options.set, *([("seed", options.seed)] if options.seed is not None else [])]


def _override(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} was given; KEY=VALUE, such as flow.0.algorithm=reno")
    return key, value
