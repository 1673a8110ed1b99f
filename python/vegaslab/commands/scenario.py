"""The arguments of commands that run one scenario: its file, and changes to it."""

import argparse


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


def overrides(options: argparse.Namespace) -> list[tuple[str, str]]:
    """Returns the replacements by --set and --seed, in the form that `vegaslab.scenario.source.load` takes."""
    return [*options.set, *([("seed", options.seed)] if options.seed is not None else [])]


def _override(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} was given; KEY=VALUE, such as flow.0.algorithm=reno")
    return key, value
