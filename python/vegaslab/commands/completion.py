"""`vegaslab completion`: a script with which a shell completes commands, options, algorithms and scenarios."""

import argparse
from collections.abc import Iterator, Sequence

from vegaslab import _vegaslab
from vegaslab.commands.explain import keys
from vegaslab.commands.parsing import OK, Commands
from vegaslab.scenario.source import shipped_plans, shipped_scenarios

Completed = dict[str, str | dict[str, str]]
"""The completion of a word, by shell, in shtab's form."""

_SHELLS = ("bash", "zsh", "fish")
_HOW = """\
to have it in every new shell:

  vegaslab completion bash > ~/.local/share/bash-completion/completions/vegaslab
  vegaslab completion zsh > "${fpath[1]}/_vegaslab"
  vegaslab completion fish > ~/.config/fish/completions/vegaslab.fish
"""


def add(commands: Commands, parser: argparse.ArgumentParser) -> None:
    """Adds the command, which describes `parser` and all commands that are added to it."""
    completion = commands.add_parser(
        "completion",
        help="completion for bash, zsh and fish",
        epilog=_HOW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    completion.add_argument("shell", choices=_SHELLS)
    completion.set_defaults(action=lambda options: _completion(parser, options.shell))


def _completion(parser: argparse.ArgumentParser, shell: str) -> int:
    # imported here: other commands need not wait for it
    import shtab

    from vegaslab.papers.judging.claims import claims
    from vegaslab.sweeps.analysis.analyse import FIGURES

    of_word = {
        "FILE": _words_or_files("scenario", list(shipped_scenarios())),
        "NAME": _words("algorithm", [preset["name"] for preset in _vegaslab.algorithms()]),
        "KEY=VALUE": _words("key", [f"{key}=" for key in keys()]),
        "KEY": _words("varied", keys()),
        "FIGURE": _words("figure", FIGURES),
        "WHAT": _words("claim", ["all", *claims()]),
        "PLAN": _words_or_files("plan", list(shipped_plans())),
        "DIR": shtab.DIRECTORY,
        "FOLDER": shtab.DIRECTORY,
    }
    for action in _actions(parser):
        if action.metavar in of_word:
            action.complete = of_word[action.metavar]  # type: ignore[attr-defined]
        # `--help` lists the commands in groups itself; shtab leaves out what no help is said of
        if action.help == argparse.SUPPRESS:
            action.help = None
    print(shtab.complete(parser, shell))
    return OK


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yields the actions of the parser and all its commands. A word has one meaning in all of them: see its metavar."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)


def _words(what: str, words: Sequence[str]) -> Completed:
    listed, function = " ".join(words), f"_vegaslab_{what}"
    return {
        "bash": function,
        "zsh": f"({listed})",
        "fish": listed,
        "preamble": {"bash": f'{function}() {{ compgen -W "{listed}" -- "$1"; }}'},
    }


def _words_or_files(what: str, words: Sequence[str]) -> Completed:
    listed, function = " ".join(words), f"_vegaslab_{what}"
    return {
        "bash": function,
        "zsh": function,
        "fish": f"{listed} (__fish_complete_path (commandline -ct))",
        "preamble": {
            "bash": f'{function}() {{ compgen -W "{listed}" -- "$1"; compgen -f -- "$1"; }}',
            "zsh": f"{function}() {{ _alternative '{what}:{what}:({listed})' 'files:file:_files'; }}",
        },
    }
