import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Command
from vegaslab import _vegaslab
from vegaslab.commands import cli
from vegaslab.runs.result import Result

TOP_KEYS = [
    "scenario",
    "seed",
    "version",
    "duration_s",
    "events",
    "delivered_packets",
    "wall_s",
    "flows",
    "links",
    "traffic",
]
FLOW_KEYS = [
    "id",
    "algorithm",
    "group",
    "application",
    "start_s",
    "throughput_mbps",
    "goodput_mbps",
    "delivered_bytes",
    "completion_s",
    "segments_sent",
    "segments_retransmitted",
    "timeouts",
    "ecn_reductions",
    "mean_rtt_ms",
    "base_rtt_ms",
    "slow_start_end_s",
    "cwnd_at_slow_start_end",
    "final_cwnd_segments",
    "mean_cwnd_segments",
]
LINK_KEYS = [
    "id",
    "max_queue_packets",
    "mean_queue_packets",
    "drops",
    "marks",
    "utilisation",
    "mean_queueing_ms",
    "p50_queueing_ms",
    "p95_queueing_ms",
    "p99_queueing_ms",
    "max_queueing_ms",
]
TABLES = {f"{name}.parquet" for name in ("flows", "links", "traffic", "flow_series", "link_series", "incidents")}
PAGE = "picture.html"
PICTURES = {PAGE, "picture.png", "picture.svg", "picture.pdf"}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("vegaslab: ")
    for word in words:
        assert word in done.stderr


def test_of_many_flows_a_thousand_have_a_row(vegaslab: Command, short: Path, here: Path) -> None:
    """The folder has them all. The file's second flow comes to those that are set."""
    few = vegaslab("run", short, "--set", "flow.0.count=999", "--set", "sample=off", "-o", "few")
    many = vegaslab("run", short, "--set", "flow.0.count=1200", "--set", "sample=off", "-o", "many")
    more = "and 201 flows more, in flows.parquet"
    assert "flows more" not in few.stdout
    assert many.stdout.splitlines().count(more) == 1
    pages = [(here / folder / PAGE).read_text() for folder in ("few", "many")]
    assert [page.count(f"<p>{more}</p>") for page in pages] == [0, 1]
    assert [page.count("<tr>") for page in pages] == [1001, 1001]
    assert len(Result.open(here / "many").flows) == 1201


def test_run_prints_tables_and_leaves_a_whole_folder(vegaslab: Command, short: Path, here: Path) -> None:
    done = vegaslab("run", short)
    assert done.returncode == 0, done.stderr
    assert "r1->r2" in done.stdout
    assert "results/short/picture.html" in done.stdout
    assert names(here / "results") == {"short"}
    assert names(here / "results" / "short") == {"manifest.json", *TABLES, PAGE}


def test_a_second_run_replaces_the_first(vegaslab: Command, short: Path, here: Path) -> None:
    folder = here / "results" / "short"
    assert vegaslab("run", short, "--no-plot", "--csv").returncode == 0
    assert (folder / "flows.csv").exists()
    assert vegaslab("run", short, "--no-plot").returncode == 0
    assert names(folder) == {"manifest.json", *TABLES}


def test_pictures_for_papers_are_drawn_when_asked_for(vegaslab: Command, short: Path, here: Path) -> None:
    done = vegaslab("run", short, "--plot", "-o", "out")
    assert "out/picture.png" in done.stdout
    assert names(here / "out") == {"manifest.json", *TABLES, *PICTURES}
    assert vegaslab("run", short, "-o", "out").returncode == 0
    assert names(here / "out") == {"manifest.json", *TABLES, PAGE}
    refused(vegaslab("run", short, "--plot", "--no-plot"), "--no-plot", "--plot")


def test_a_run_loads_no_slow_library(short: Path, here: Path) -> None:
    """Each takes longer to load than a short run and its page take together."""
    slow = {"matplotlib", "pandas", "pyarrow.compute", "scipy"}
    code = "import sys; from vegaslab.commands.cli import main; main(sys.argv[1:]);"
    code += f"sys.exit({slow} & set(sys.modules) or 0)"
    done = subprocess.run([sys.executable, "-c", code, "run", str(short)], cwd=here, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (here / "results" / "short" / PAGE).exists()


def test_json_is_the_summary_alone_under_its_stable_names(vegaslab: Command, short: Path, here: Path) -> None:
    summary = json.loads(vegaslab("run", short, "--json").stdout)
    assert list(summary) == TOP_KEYS
    assert [list(flow) for flow in summary["flows"]] == [FLOW_KEYS, FLOW_KEYS]
    assert all(list(link) == LINK_KEYS for link in summary["links"])
    assert (summary["scenario"], summary["seed"], summary["duration_s"]) == ("short", 1, 3.0)
    assert names(here) == set()


def test_json_with_a_folder_writes_it_too(vegaslab: Command, short: Path, here: Path) -> None:
    done = vegaslab("run", short, "--json", "--no-plot", "-o", "out")
    assert json.loads(done.stdout)["scenario"] == "short"
    assert names(here / "out") == {"manifest.json", *TABLES}


def test_set_and_seed_change_the_run(vegaslab: Command, short: Path) -> None:
    done = vegaslab("run", short, "--json", "--set", "flow.0.algorithm=newreno", "--set", "duration=2s", "--seed", "7")
    summary = json.loads(done.stdout)
    assert summary["flows"][0]["algorithm"] == "newreno"
    assert (summary["duration_s"], summary["seed"]) == (2.0, 7)


def test_runs_repeat_to_the_byte(vegaslab: Command, short: Path, here: Path) -> None:
    for folder in ("a", "b"):
        assert vegaslab("run", short, "--plot", "-o", folder).returncode == 0
    for file in TABLES | PICTURES:
        first, second = ((here / folder / file).read_bytes() for folder in ("a", "b"))
        assert first == second, file


def test_a_capture_is_kept_when_it_is_asked_for(vegaslab: Command, short: Path, here: Path) -> None:
    assert vegaslab("run", short, "--no-plot", "--pcapng", "-o", "out").returncode == 0
    capture = (here / "out" / "capture.pcapng").read_bytes()
    assert capture[:4] == b"\x0a\x0d\x0d\x0a"  # pcapng's section header block


def test_compare_runs_each_algorithm_on_all_flows(vegaslab: Command, short: Path) -> None:
    comparison = json.loads(vegaslab("compare", short, "-a", "vegas", "-a", "reno", "--json").stdout)
    assert list(comparison) == ["scenario", "runs"]
    assert list(comparison["runs"]) == ["vegas", "reno"]
    for algorithm, summary in comparison["runs"].items():
        assert [flow["algorithm"] for flow in summary["flows"]] == [algorithm] * 2


def test_compare_leaves_one_picture_and_a_folder_each(vegaslab: Command, short: Path, here: Path) -> None:
    done = vegaslab("compare", short, "-a", "vegas", "-a", "reno", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert names(here / "out") == {"comparison.json", PAGE, "vegas", "reno"}
    assert names(here / "out" / "reno") == {"manifest.json", *TABLES}
    assert vegaslab("compare", short, "-a", "vegas", "-o", "out", "--no-plot").returncode == 0
    assert names(here / "out") == {"comparison.json", "vegas"}


def test_the_command_alone_shows_first_steps_which_work(vegaslab: Command) -> None:
    result = vegaslab()
    assert result.returncode == 0
    lines = [line.strip() for line in result.stdout.splitlines() if line.startswith("    vegaslab")]
    steps = [line.split("   ")[0].split()[1:] for line in lines]
    assert len(steps) == 5
    known = cli._parser()
    for step in steps:
        known.parse_args(step)


def test_help_has_every_command_once_and_the_main_job_first(vegaslab: Command) -> None:
    shown = [line.split()[0] for line in vegaslab("--help").stdout.splitlines() if line.startswith("    ")]
    assert shown[0] == "run"
    assert len(shown) == len(set(shown)) == sum(map(len, cli._GROUPS.values()))


def test_the_version_names_the_commit(vegaslab: Command) -> None:
    said = vegaslab("--version").stdout
    commit = _vegaslab.commit
    assert said.startswith("vegaslab 0.1.0")
    assert commit is None or f"({commit[:12]})" in said


def test_list_and_schema(vegaslab: Command) -> None:
    algorithms = vegaslab("list", "algorithms").stdout
    every = json.loads(vegaslab("list", "algorithms", "--json").stdout)
    composed, standalone = (group.splitlines()[2:] for group in algorithms.split("\n\n"))
    assert [one["name"] for one in every] == [line.split()[0] for line in composed + standalone]
    assert {"reno", "newreno", "sack", "vegas", "vegas-ns2"} <= {line.split()[0] for line in composed}
    assert {"copa", "bbr3"} <= {line.split()[0] for line in standalone}
    by_name = {one["name"]: one["hosts"] for one in every}
    assert not any(by_name["newreno"].values())
    without_routers = [host for host, reason in by_name["rovegas"].items() if reason and "routers" in reason]
    assert without_routers == ["quinn", "s2n-quic"]
    assert "one-way" in by_name["ledbat"]["kernel"]
    hosts = vegaslab("list", "algorithms", "--hosts").stdout
    table, why = hosts.split("\n\n")
    rows = [line.split() for line in table.splitlines()]
    assert ["newreno", "default", *4 * ["yes"]] in rows
    assert ["bbr3", "yes", "default", *3 * ["yes"]] in rows
    assert any(line.startswith("kernel: cubic, ") for line in why.splitlines())
    refused(vegaslab("list", "parts", "--hosts"), "vegaslab list algorithms")
    parts = [line.split()[:2] for line in vegaslab("list", "parts").stdout.splitlines()]
    expected = [["slow_start", "gallop"], ["avoidance", "dynamic"], ["cut", "half"]]
    assert [row for row in parts if row in expected] == expected
    assert "2020-12" in json.loads(vegaslab("schema").stdout)["$schema"]


def test_every_shipped_scenario_is_listed_and_good(vegaslab: Command) -> None:
    listed = [line.split()[0] for line in vegaslab("list", "scenarios").stdout.splitlines()[1:]]
    assert "gallop-50mbit" in listed
    for name in listed:
        # in this process: a hundred and more starts of Python would take most of the test's time
        assert cli.main(["check", name]) == 0, name


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("seed = 1", "sede = 1", "sede"),
        ('"10mbit"', '"10mbot"', "10mbot"),
        ('"8ms"', '"-8ms"', "-8ms"),
        ('"10p"', '"0p"', "queue"),
        ('"reno"', '"renno"', "renno"),
        ("[topology]", "[topology", "short.toml"),
        ('"500ms"', '"50s"', "start"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(
    vegaslab: Command, short: Path, here: Path, old: str, new: str, word: str
) -> None:
    text = short.read_text()
    assert old in text
    short.write_text(text.replace(old, new))
    refused(vegaslab("check", short), "short.toml", word)
    refused(vegaslab("run", short), "short.toml", word)
    assert names(here) == set()


def test_bad_command_lines_are_refused_in_one_line(vegaslab: Command, short: Path) -> None:
    refused(vegaslab("run", "nowhere.toml"), "nowhere.toml")
    refused(vegaslab("run", short, "--set", "flow.0.algorithm"), "KEY=VALUE")
    refused(vegaslab("run", short, "--set", "flow.9.algorithm=reno"), "flow.9")
    refused(vegaslab("run", short, "--seed", "x"), "seed")
    refused(vegaslab("compare", short, "-a", "nothing"), "nothing")
    refused(vegaslab("compare", short), "-a")
    refused(vegaslab("fly"), "fly")
    refused(vegaslab("run", short.parent), str(short.parent))
    binary = short.with_name("binary.toml")
    binary.write_bytes(b"\xff\xfe\x00")
    refused(vegaslab("run", binary), "UTF-8")


def test_a_missing_argument_and_the_help_name_the_command(vegaslab: Command) -> None:
    for arguments, said in (
        (("compare",), "FILE is missing (see vegaslab compare --help)"),
        (("trace",), "FILE is missing (see vegaslab trace --help)"),
        (
            ("quic", "fetch", "192.0.2.1:4433"),
            "SIZE, -a/--algorithm, --fingerprint are missing (see vegaslab quic fetch --help)",
        ),
        (
            ("quic", "fetch", "5mb", "192.0.2.1:4433"),
            "argument ADDRESS:PORT: '5mb' was given; first ADDRESS:PORT, such as 192.0.2.1:4433, then SIZE "
            "(see vegaslab quic fetch --help)",
        ),
    ):
        done = vegaslab(*arguments)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"vegaslab: {said}\n")
    assert vegaslab("compare", "--help").stdout.startswith("usage: vegaslab compare [-h]")
    assert vegaslab("quic", "fetch", "--help").stdout.startswith("usage: vegaslab quic fetch [-h]")


def test_a_folder_with_other_files_is_left_alone(vegaslab: Command, short: Path, here: Path) -> None:
    out = here / "out"
    out.mkdir()
    (out / "thesis.tex").write_text("years of work")
    refused(vegaslab("run", short, "-o", "out"), "out")
    assert names(out) == {"thesis.tex"}
    (out / "thesis.tex").unlink()
    assert vegaslab("run", short, "-o", "out", "--no-plot").returncode == 0
    (out / "thesis.tex").write_text("years of work")
    refused(vegaslab("run", short, "-o", "out"), "thesis.tex")
    assert names(out) == {"manifest.json", "thesis.tex", *TABLES}


def test_explain_says_rule_parts_numbers_and_source_of_every_preset(
    vegaslab: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = [preset["name"] for preset in json.loads(vegaslab("list", "algorithms", "--json").stdout)]
    assert len(listed) >= 5
    for name in listed:
        # in this process, as above
        assert cli.main(["explain", name]) == 0, name
        said = capsys.readouterr().out
        for heading in ("Parts", "Parameters", "The rule", "Sources", "Deviations"):
            assert f"\n{heading}\n" in said, name
        assert "initial_window" in said
        for mark in ("](", "**", "None"):
            assert mark not in said, name


def test_explain_refuses_a_name_that_is_no_algorithm(vegaslab: Command) -> None:
    refused(vegaslab("explain", "bicycle"), "bicycle", "vegas")
