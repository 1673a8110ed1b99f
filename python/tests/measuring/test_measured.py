"""`vegaslab measured`: captures and logs of real hosts, as a user reads them; the parsers' own tests are in Rust."""

import json
from pathlib import Path

import pytest

import vegaslab
from tests.conftest import Command
from tests.measuring.sent import INPUTS
from vegaslab import measured
from vegaslab.measuring.guest.carried import check
from vegaslab.measuring.measured.against import scenarios_of

TABLES = {f"{name}.parquet" for name in ("flows", "flow_series", "incidents", "rtt_samples")}


def names(folder: Path) -> set[str]:
    """The names of the files of a folder."""
    return {path.name for path in folder.iterdir()}


def test_a_capture_becomes_tables_a_page_and_a_scenario(vegaslab: Command, here: Path) -> None:
    done = vegaslab("measured", INPUTS / "tcpdump.pcap")
    assert done.returncode == 0, done.stderr
    folder = here / "results" / "tcpdump-measured"
    assert names(folder) == TABLES | {"manifest.json", "path.toml", "picture.html"}
    for line in ("3.963 Mb/s, constant", "33000 bytes", f"scenario: {folder.relative_to(here) / 'path.toml'}"):
        assert line in done.stdout
    checked = vegaslab("check", folder / "path.toml")
    assert checked.returncode == 0, checked.stderr
    page = (folder / "picture.html").read_text(encoding="utf-8")
    assert "The path of flow" in page
    assert "3.963 Mb/s, constant" in page
    again = vegaslab("measured", INPUTS / "tcpdump.pcap", "--no-path", "--no-plot")
    assert again.returncode == 0, again.stderr
    assert names(folder) == TABLES | {"manifest.json"}


def test_an_edited_path_stays(vegaslab: Command, here: Path) -> None:
    """A user edits it, as it says itself; the same call again would lose that."""
    call = ("measured", INPUTS / "tcpdump.pcap", "-o", "out", "--no-plot")
    for _ in range(2):
        done = vegaslab(*call)
        assert done.returncode == 0, done.stderr
    path = here / "out" / "path.toml"
    path.write_text(path.read_text() + "# mine\n")
    done = vegaslab(*call)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        'vegaslab: out: holds "path.toml", which was edited since vegaslab wrote it; give a new folder, or move away '
        "what is there\n"
    )
    assert path.read_text().endswith("# mine\n")


@pytest.mark.parametrize(("name", "taken_for"), [("iperf3.json", "report of iperf3"), ("ss-tin.txt", "log of ss -ti")])
def test_a_log_becomes_tables_and_a_page(vegaslab: Command, here: Path, name: str, taken_for: str) -> None:
    done = vegaslab("measured", INPUTS / name, "-o", "out", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["taken_for"], report["path"]) == (taken_for, None)
    assert "picture.html" in names(here / "out")


SMALL_PACKETS = """\
name = "opportunities"
duration = "20s"

[topology]
kind = "dumbbell"
access = { rate = "1gbit", delay = "2ms" }

[topology.bottleneck]
rate = { trace = "each-60ms.trace" }
delay = "50ms"
queue = "5200b"

[[flow]]
algorithm = "cubic-linux"
packet = "300b"
header = "52b"

[flow.host]
kind = "linux"
"""


def test_opportunities_of_a_link_become_a_trace(vegaslab: Command, here: Path) -> None:
    (here / "each-60ms.trace").write_text("60\n")
    (here / "small.toml").write_text(SMALL_PACKETS)
    assert vegaslab("run", "small.toml", "-o", "run", "--no-plot", "--pcapng").returncode == 0
    done = vegaslab("measured", "run/capture.pcapng", "-o", "out", "--no-plot")
    assert done.returncode == 0, done.stderr
    assert "opportunities of" in done.stdout
    assert "bytes each 60.0" in done.stdout
    assert {"path.toml", "rate.trace"} <= names(here / "out")
    ran = vegaslab("run", "out/path.toml", "-o", "again", "--no-plot")
    assert ran.returncode == 0, ran.stderr


MERGING = """\
delayed_ack = "linux"
reads_after = "20us"
"""
STAYS = 'receive_window = { initial = "65535b", max = "65535b" }\n'
GROWS = 'receive_window = { initial = "20000b", max = "3145728b" }\n'


def test_a_receiver_that_merges_acknowledgements_is_one_in_the_path(vegaslab: Command, here: Path) -> None:
    """So the runs beside a capture have its receiver without a word of the user's."""
    (here / "each-60ms.trace").write_text("60\n")
    for name, host, of_path in (
        (
            "merging",
            MERGING + STAYS,
            [
                'delayed_ack = "linux"',
                'reads_after = "20us"',
                # it stays as it is in the capture, and never limits the sender
                'receive_window = "linux"',
            ],
        ),
        # it grows in the capture
        ("growing", MERGING + GROWS, ['receive_window = { initial = "19840b", max = ']),
        ("each", "delayed_ack = false\n", ["delayed_ack = false"]),
    ):
        (here / f"{name}.toml").write_text(SMALL_PACKETS + host)
        assert vegaslab("run", f"{name}.toml", "-o", "run", "--no-plot", "--pcapng").returncode == 0
        done = vegaslab("measured", "run/capture.pcapng", "-o", name, "--no-plot")
        assert done.returncode == 0, done.stderr
        path = (here / name / "path.toml").read_text()
        assert vegaslab("check", here / name / "path.toml").returncode == 0
        assert [line for line in of_path if line not in path] == []
        assert ("reads_after" in path) == (name != "each")
        # the kernel has such a receiver of its own, and carries this path
        measurement = measured(here / "run" / "capture.pcapng")
        for _, scenario in scenarios_of(measurement, here / name, ["cubic-linux"], in_kernel=True):
            check(scenario)


def test_a_file_of_no_known_kind_is_refused_in_one_line(vegaslab: Command, here: Path) -> None:
    (here / "notes.txt").write_text("windy\n")
    (here / "ss.txt").write_text("ESTAB 0 0 1.1.1.1:1 2.2.2.2:2\n\t cubic rtt:1/1 cwnd:10\n")
    for name, said in (("notes.txt", "notes.txt: is none of the files"), ("ss.txt", "ss.txt:2: a sample without a")):
        done = vegaslab("measured", name)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"vegaslab: {said}")
        assert len(done.stderr.splitlines()) == 1
    assert not (here / "results").exists()
    missing = vegaslab("measured", "none.pcap")
    assert missing.returncode == 2
    assert missing.stderr == "vegaslab: none.pcap: No such file or directory\n"


def test_a_measurement_in_python(tmp_path: Path) -> None:
    measurement = vegaslab.measured(INPUTS / "tcpdump.pcap", tmp_path / "out")
    assert measurement.flows.num_rows == 3
    assert measurement.scenario is not None
    assert measurement.scenario.count("[[flow]]") == 1
    assert len(measurement.rtt_samples) > 100
    measurement.plot(["in flight", "rtt"], tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").stat().st_size > 0
    for panels, refused in ((["queues"], "'queues' was given"), ([], "none was given")):
        with pytest.raises(ValueError, match=rf"panels: {refused}; write any of in flight, cwnd, rtt"):
            measurement.plot(panels)
    with pytest.raises(vegaslab.MeasuredError, match="has no flow 9 of TCP"):
        vegaslab.measured(INPUTS / "tcpdump.pcap", flow=9)


def test_a_simulated_capture_of_quic_shows_its_datagrams(here: Path) -> None:
    run = vegaslab.run("quic", set={"capture": True, "duration": "5s"})
    folder = run.write(here / "run", pcapng=True)
    found = vegaslab.measured(folder / "capture.pcapng")
    data, acks = found.flows.to_pylist()
    assert (data["transport"], data["connection"]) == ("quic", "10.0.0.1:40000 -> 10.1.0.2:5001")
    assert acks["connection"] == "10.1.0.2:5001 -> 10.0.0.1:40000"
    (flow,) = run.flows.to_pylist()
    # packets of the handshake share datagrams
    assert 0 <= flow["segments_sent"] - data["segments_sent"] <= 3
    assert (flow["segments_retransmitted"], found.report["odd"]) == (0, [])
    # by the spin bit
    assert data["mean_rtt_ms"] == pytest.approx(flow["mean_rtt_ms"], rel=0.01)
    at_receiver = vegaslab.measured(folder / "capture-receiver.pcapng").flows.to_pylist()[0]
    in_flight = data["segments_sent"] - at_receiver["segments_sent"]
    assert 0 < in_flight <= flow["final_cwnd_segments"]
