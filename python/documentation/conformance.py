"""The table of the cases that our own presets fail, in the page on conformance: `make conformance`."""

from documentation import ROOT
from documentation.dossiers import between
from vegaslab import _vegaslab
from vegaslab.commands.many_runs.conform import conform

PAGE = ROOT / "docs" / "conformance.md"


def with_table(page: str) -> str:
    """Returns the page with an up-to-date table: a row a case, with the presets that fail it on a path of the quick
    ones, each by the suite that `vegaslab conform` takes for it.
    """
    failing: dict[tuple[str, str], list[str]] = {}
    for preset in _vegaslab.algorithms():
        done = conform(preset["name"], quick=True)
        for case in dict.fromkeys(row["case"] for row in done.rows if row["verdict"] == "fail"):
            failing.setdefault((done.suite, case), []).append(f"`{preset['name']}`")
    # most presets are judged by the generic suite
    cases = sorted(_vegaslab.conformance_cases(), key=lambda case: case[0] == "bbr")
    rows = "".join(
        f"| {suite} | `{case}` | {', '.join(failing[suite, case])} |\n"
        for suite, case, *_ in cases
        if (suite, case) in failing
    )
    return between(page, "failures", f"| suite | case | presets that fail it |\n|---|---|---|\n{rows}")


def main() -> None:
    """Writes the page again."""
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
