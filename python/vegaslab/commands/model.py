"""`vegaslab model`: the quantities that a paper's closed forms derive from a path."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from vegaslab.commands.parsing import OK, Commands, UsageError
from vegaslab.papers.models.derived import Derived, of_factorial, of_gallop, of_rovegas, of_slow_start
from vegaslab.papers.models.quantities import packet_rate, seconds
from vegaslab.reports.summary import aligned
from vegaslab.reports.tables import Listed

_Value = TypeVar("_Value")
_DERIVE: dict[str, Callable[[float, float, float], list[Derived]]] = {
    "gallop": lambda pps, rtt_s, _: of_gallop(pps, rtt_s),
    "slow-start": lambda pps, rtt_s, _: of_slow_start(pps, rtt_s),
    "rovegas": of_rovegas,
}
_STARRED = "* corrected; docs/models.md says what is wrong as printed"


def add(commands: Commands) -> None:
    """Adds the command."""
    model = commands.add_parser("model", help="a paper's closed forms on a path, with equation numbers")
    papers = model.add_subparsers(required=True, metavar="PAPER")
    _add_path_model(papers, "gallop", "windows and rounds of Vegas and Gallop-Vegas")
    _add_path_model(papers, "slow-start", "slow start of Vegas and Streak Doubling")
    rovegas = _add_path_model(papers, "rovegas", "steady states of Vegas and RoVegas")
    rovegas.add_argument(
        "--k", type=_typed(_positive), default=1.0, help="data packets over acknowledgements a second (default: 1)"
    )
    design = papers.add_parser("factorial", help="mean of a configuration from the effects of a factorial design")
    design.add_argument(
        "--effect",
        action="append",
        required=True,
        type=_typed(_effect),
        metavar="NAME=VALUE",
        help="an effect, such as mean=86.64, ss=7.14 or ss_ca=0.17; give all",
    )
    design.add_argument(
        "--on", action="append", default=[], metavar="FACTOR", help="a factor that is on; the rest is off"
    )
    _finish(design, lambda options: _of_design(dict(options.effect), options.on))


def model(
    paper: str,
    *,
    rate: str | float = "50mbit",
    rtt: str = "100ms",
    packet: int = 1000,
    k: float = 1.0,
    effects: Mapping[str, float] | None = None,
    on: Sequence[str] = (),
) -> Listed:
    """Returns the quantities that a paper's closed forms derive from a path: a row each, with the equation's number.

    `paper` is "gallop", "slow-start" or "rovegas" (with `k` data packets over acknowledgements a second), of a path
    with this bottleneck (a rate, or packets of `packet` bytes a second) and round-trip time; or "factorial", the mean
    of a configuration from the `effects` of a design, with the factors `on`. Raises `VegaslabError`.

    >>> import vegaslab
    >>> rows = vegaslab.model("gallop", rate="50mbit", rtt="100ms")
    >>> rows[0]["what"], rows[0]["value"]
    ('window that fills the path', 625.0)
    >>> vegaslab.model("factorial", effects={"mean": 80, "ss": 7}, on=["ss"])[0]["value"]
    87.0
    """
    if paper == "factorial":
        return Listed(one.as_dict() for one in _of_design(effects or {}, on))
    if paper not in _DERIVE:
        raise UsageError(f"model: {paper!r} was given; one of {', '.join([*_DERIVE, 'factorial'])}")
    try:
        return Listed(one.as_dict() for one in _DERIVE[paper](packet_rate(str(rate), packet), seconds(rtt), k))
    except ValueError as error:
        raise UsageError(f"model: {error}") from None


def _add_path_model(papers: Commands, name: str, what: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = papers.add_parser(name, help=what)
    parser.add_argument("--rate", required=True, help="the bottleneck's: packets a second (6250) or a rate (50mbit)")
    parser.add_argument("--rtt", required=True, type=_typed(seconds), help="round trip without queues, such as 100ms")
    parser.add_argument(
        "--packet", type=_typed(_bytes), default=1000, help="size of a packet in bytes (default: 1000b)"
    )

    def with_rate(options: argparse.Namespace) -> list[Derived]:
        try:
            options.pps = packet_rate(options.rate, options.packet)
        except ValueError as error:
            parser.error(f"argument --rate: {error}")
        return _DERIVE[name](options.pps, options.rtt, getattr(options, "k", 1.0))

    _finish(parser, with_rate)
    return parser


def _finish(parser: argparse.ArgumentParser, derive: Callable[[argparse.Namespace], list[Derived]]) -> None:
    parser.add_argument("--json", action="store_true", help="print the quantities as JSON")

    def act(options: argparse.Namespace) -> int:
        quantities = derive(options)
        print(json.dumps([one.as_dict() for one in quantities]) if options.json else _table(quantities))
        return OK

    parser.set_defaults(action=act)


def _table(quantities: list[Derived]) -> str:
    rows = [(one.what, f"{one.value:.6g}", one.unit, one.equation) for one in quantities]
    starred = ["", _STARRED] if any("*" in one.equation for one in quantities) else []
    return "\n".join([*aligned(("quantity", "value", "unit", "equation"), rows), *starred])


def _of_design(effects: Mapping[str, float], on: Sequence[str]) -> list[Derived]:
    factors = {factor for name in effects if name != "mean" for factor in name.split("_")}
    unknown = sorted(set(on) - factors)
    if unknown:
        raise UsageError(f"on: {unknown[0]!r} was given; a factor of the effects: {', '.join(sorted(factors))}")
    return of_factorial(effects, {factor: 1 if factor in on else -1 for factor in factors})


def _typed(parse: Callable[[str], _Value]) -> Callable[[str], _Value]:
    """Returns a parser with errors in the form that argparse shows."""

    def typed(text: str) -> _Value:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return typed


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise ValueError(f"{text!r} was given; a number above 0")
    return value


def _bytes(text: str) -> int:
    digits = text.removesuffix("b")
    if not digits.isdigit() or int(digits) == 0:
        raise ValueError(f"{text!r} was given; a size in bytes above 0, such as 1000b")
    return int(digits)


def _effect(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise ValueError(f"{text!r} was given; NAME=VALUE, such as ss=7.14") from None
