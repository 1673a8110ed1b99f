"""`vegaslab packetdrill`: the scripts of packetdrill, on a simulated host."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from vegaslab import _vegaslab
from vegaslab.commands.parsing import BAD_INPUT, FAILED, OK, Commands, UsageError
from vegaslab.util.terminal import complain

_ENDING = ".pkt"


class _Judged(NamedTuple):
    script: Path
    verdict: str
    failure: Sequence[str]
    """The lines that say where the script fails."""
    needs: Sequence[tuple[int, str]]
    """What the script needs and the host lacks, each with the first line that needs it."""
    walk: Sequence[str]


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "packetdrill",
        help="run packetdrill scripts on a simulated host, and say which of them hold",
        epilog="Exit code 0 if no script fails, 1 if one does, 2 if one is no script.",
    )
    argument = parser.add_argument
    argument("scripts", type=Path, nargs="+", metavar="FILE", help=f"a script, or a folder with scripts (*{_ENDING})")
    argument("--host", choices=["linux", "bsd"], default="linux", help="the host under test (default: linux)")
    argument("-v", "--verbose", action="store_true", help="print each event, and each segment that the host sends")
    argument("--table", action="store_true", help="print the outcomes as tables in Markdown")
    parser.set_defaults(action=_run)


def _run(options: argparse.Namespace) -> int:
    judged = []
    is_bad = False
    for script in _scripts(options.scripts):
        try:
            verdict = _vegaslab.packetdrill(_read(script), script.parent, options.host)
        except ValueError as error:
            complain(f"{script}: {error}")
            is_bad = True
            continue
        judged.append(_Judged(script, *verdict))
        if not options.table:
            _print(judged[-1], verbose=options.verbose)
    if options.table:
        print("\n".join(_tables(judged)))
    else:
        print(_counts(judged))
    if is_bad:
        return BAD_INPUT
    return FAILED if any(one.verdict == "fail" for one in judged) else OK


def _read(script: Path) -> str:
    try:
        return script.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{script}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{script}: is no text; write a packetdrill script") from None


def _scripts(given: Sequence[Path]) -> Iterator[Path]:
    for path in given:
        if not path.is_dir():
            yield path
            continue
        found = sorted(path.rglob(f"*{_ENDING}"))
        if not found:
            raise UsageError(f"{path}: no script in this folder; scripts end with {_ENDING}")
        yield from found


def _print(one: _Judged, *, verbose: bool) -> None:
    if verbose:
        print(*one.walk, sep="\n")
    match one.verdict:
        case "pass":
            print(f"pass: {one.script}")
        case "fail":
            print(f"fail: {one.script}: {one.failure[0]}", *one.failure[1:], sep="\n")
        case _:
            needs = "; ".join(f"line {line}: {what}" for line, what in one.needs)
            print(f"not applicable: {one.script}: {needs}")


def _counts(judged: Sequence[_Judged]) -> str:
    number = {verdict: sum(one.verdict == verdict for one in judged) for verdict in ("pass", "fail", "not applicable")}
    applicable = number["pass"] + number["fail"]
    return f"{number['pass']} of {applicable} pass, {number['fail']} fail; {number['not applicable']} do not apply"


def _tables(judged: Sequence[_Judged]) -> Iterator[str]:
    """A row a script that applies, and a row a reason why others do not."""
    names = _names(judged)
    yield from (_counts(judged) + ".", "", "| script | outcome |", "|---|---|")
    for one, name in zip(judged, names, strict=True):
        if one.verdict != "not applicable":
            # what differs there has words of the script
            places = (line.partition(",")[0] for line in one.failure[:1])
            yield f"| {name} | {': '.join([one.verdict, *places])} |"
    reasons: dict[str, list[str]] = {}
    for one, name in zip(judged, names, strict=True):
        if one.verdict == "not applicable":
            reasons.setdefault(one.needs[0][1], []).append(name)
    yield from ("", "| not applicable because of | scripts |", "|---|---|")
    for reason, scripts in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        yield f"| {reason} | {len(scripts)}: {', '.join(scripts)} |"


def _names(judged: Sequence[_Judged]) -> list[str]:
    """The scripts' paths below what they have in common."""
    parts = [one.script.with_suffix("").parts for one in judged]
    common = 0
    while len({part[: common + 1] for part in parts}) == 1 and all(len(part) > common + 1 for part in parts):
        common += 1
    return ["/".join(part[common:]) for part in parts]
