"""`vegaslab packetdrill`: lines, tables and exit codes."""

from pathlib import Path

import pytest

from documentation import ROOT
from vegaslab.commands.cli import main

_SCRIPTS = ROOT / "crates" / "vegas-packetdrill" / "scripts"
_OPEN = """`./common.sh`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 1000
+0 accept(3, ..., ...) = 4
"""


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """A folder with a script that holds, one that does not, and one that needs what no simulated host has."""
    (tmp_path / "common.sh").write_text("sysctl -q net.ipv4.tcp_timestamps=0\n")
    (tmp_path / "holds.pkt").write_text(_OPEN + "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 1\n")
    (tmp_path / "fails.pkt").write_text(_OPEN + "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:501(500) ack 1\n")
    (tmp_path / "needs.pkt").write_text(_OPEN + "+0 setsockopt(4, SOL_TCP, TCP_FASTOPEN, [1], 4) = 0\n")
    return tmp_path


def test_a_line_for_each_script(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["packetdrill", str(scripts)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"fail: {scripts}/fails.pkt: line 9, at 0.100000 s: the segment differs: length",
        "    expected  0.100000  > P. 1:501(500) ack 1",
        "    actual    0.100000  > . 1:1001(1000) ack 1",
        f"pass: {scripts}/holds.pkt",
        f"not applicable: {scripts}/needs.pkt: line 8: fast open",
        "1 of 2 pass, 1 fail; 1 do not apply",
    ]


def test_nothing_fails_where_all_holds_or_does_not_apply(scripts: Path) -> None:
    assert main(["packetdrill", str(scripts / "holds.pkt"), str(scripts / "needs.pkt")]) == 0


def test_the_walk_is_shown(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["packetdrill", "--verbose", str(scripts / "holds.pkt")])
    lines = capsys.readouterr().out.splitlines()
    assert "0.100000 line 8: write(4, ..., 1000)" in lines
    assert "0.100000 host: > . 1:1001(1000) ack 1" in lines


def test_tables_are_markdown(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["packetdrill", "--table", str(scripts)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "| fails | fail: line 9 |" in lines
    assert "| holds | pass |" in lines
    assert "| fast open | 1: needs |" in lines


def test_hosts_differ(capsys: pytest.CaptureFixture[str]) -> None:
    scripts = [str(_SCRIPTS / "bsd" / "every-second-segment.pkt")]
    assert main(["packetdrill", "--host", "bsd", *scripts]) == 0
    assert main(["packetdrill", *scripts]) == 1
    capsys.readouterr()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"0 > . 1:2(5) ack 1", "script.pkt: line 1: 1:2 are not 5 bytes; write 6"),
        (b"\xff", "script.pkt: is no text; write a packetdrill script"),
        (None, "script.pkt: No such file or directory"),
    ],
)
def test_what_is_no_script_is_refused(
    text: bytes | None, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.pkt"
    if text is not None:
        script.write_bytes(text)
    assert main(["packetdrill", str(script)]) == 2
    complaint = capsys.readouterr().err
    assert line in complaint
    assert complaint.count("\n") == 1


def test_a_folder_without_scripts_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["packetdrill", str(tmp_path)]) == 2
    assert "no script in this folder; scripts end with .pkt" in capsys.readouterr().err
