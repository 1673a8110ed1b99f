"""`--world kernel`: what it refuses and what it is made of; and, where QEMU and a kernel are installed, whole runs."""

import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import vegaslab
from vegaslab.commands import cli
from vegaslab.commands.real_paths.kernel import worlds_of
from vegaslab.measuring.guest import kernels, machine, qemu, saved, world
from vegaslab.measuring.guest.carried import check
from vegaslab.measuring.guest.exchange import Exchange, Parcel
from vegaslab.measuring.guest.image import initial_files
from vegaslab.measuring.guest.kernels import Kernel
from vegaslab.measuring.linux import LinuxError, program
from vegaslab.scenario.source import load

AIMD = Path(__file__).parents[4] / "examples/own-algorithm/aimd.py"

TEN_S = 120
"""More than a run of a few seconds takes on a busy machine."""


def _missing() -> str | None:
    """Returns what whole runs lack on this machine."""
    try:
        qemu.find()
        kernels.find()
        program()
    except LinuxError as error:
        return str(error)
    return None


MISSING = _missing()
whole = pytest.mark.skipif(
    MISSING is not None and os.environ.get("CI") != "true", reason=f"the kernel in a guest is not tested; {MISSING}"
)
"""In CI nothing may be missing."""


def image(folder: Path, release: str) -> Path:
    """Writes the beginning of a kernel's image, which names its release."""
    head = bytearray(0x400)
    head[0x202:0x206] = b"HdrS"
    head[0x20E:0x210] = (0x100).to_bytes(2, "little")
    text = f"{release} (builder@host) #1 SMP\0".encode()
    head[0x300 : 0x300 + len(text)] = text
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"vmlinuz-{release}"
    path.write_bytes(head)
    return path


def package(folder: Path, release: str) -> Path:
    """Makes the folder of an unpacked package, with modules of which one needs another."""
    image(folder / "boot", release)
    modules = folder / "usr" / "lib" / "modules" / release / "kernel"
    modules.mkdir(parents=True)
    (modules / "tun.ko").write_bytes(b"\0license=GPL\0depends=a-needed\0")
    (modules / "a-needed.ko.gz").write_bytes(gzip.compress(b"\0depends=\0needed"))
    (modules / "unneeded.ko").write_bytes(b"\0depends=\0")
    return folder


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own, and no kernel installed; returns the folder for fetched kernels."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(kernels, "_BOOT", tmp_path / "boot")
    return tmp_path / "cache" / "vegaslab" / "kernels"


def test_a_kernel_is_found_by_version_release_folder_and_image(found: Path, tmp_path: Path) -> None:
    """Without a name it is the newest 6.12, or the newest of all."""
    old = package(found / "old", "6.1.9-1-amd64")
    assert kernels.find().release == "6.1.9-1-amd64"
    package(found / "a", "6.12.9-amd64")
    package(found / "b", "6.12.10-amd64")
    package(found / "c", "6.13.1-amd64")
    names = {None: "6.12.10", "6.12": "6.12.10", "6.1": "6.1.9-1", "6.12.9-amd64": "6.12.9", str(old): "6.1.9-1"}
    for name, release in names.items():
        assert kernels.find(name).release == f"{release}-amd64", name
    elsewhere = package(tmp_path / "elsewhere", "7.0.0")
    assert kernels.find(str(elsewhere / "boot" / "vmlinuz-7.0.0")) == Kernel(
        "7.0.0", elsewhere / "boot" / "vmlinuz-7.0.0", elsewhere / "usr" / "lib" / "modules" / "7.0.0"
    )
    assert kernels.build_of(elsewhere / "boot" / "vmlinuz-7.0.0") == "7.0.0 (builder@host) #1 SMP"


def test_what_is_missing_is_one_line(
    found: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kernel, modules, image and QEMU; exit code 2, and no folder."""
    text = tmp_path / "notes.txt"
    text.write_text("no kernel")
    alone = image(tmp_path / "alone" / "boot", "6.12.1")
    package(found / "a", "6.12.1")
    monkeypatch.setattr(qemu, "_PROGRAM", "qemu-that-is-not-here")
    for kernel, line in (
        (["--kernel", "9.9"], "no kernel 9.9 was found; vegaslab kernel fetch downloads Debian's"),
        (["--kernel", str(text)], f"{text}: is no kernel's image for x86-64"),
        (["--kernel", str(alone)], f"{alone}: no modules of 6.12.1 in {tmp_path / 'alone' / 'lib' / 'modules'}"),
        ([], "qemu-that-is-not-here is missing: apt-get install qemu-system-x86" if not MISSING else ""),
    ):
        arguments = ["run", "gallop-50mbit", "--world", "kernel", *kernel, "-o", str(tmp_path / "out")]
        assert cli.main(arguments) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"vegaslab: {line}"), said
        assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_several_kernels_are_worlds_with_names_of_their_own(found: Path) -> None:
    package(found / "a", "6.1.9-1-amd64")
    package(found / "b", "6.12.1")
    kernels_twice = ["--kernel", "6.12", "--kernel", "6.1", "--kernel", "6.12"]
    asked = cli._parser().parse_args(["compare", "x", "--world", "simulator", "--world", "kernel", *kernels_twice])
    names = [world and world.name for world in worlds_of(asked)]
    assert names == [None, "kernel-6.12.1", "kernel-6.1.9-1-amd64"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["run", "x", "--kernel", "6.12"], "--kernel goes with --world kernel"),
        (["run", "x", "--world", "kernel", "--engine", "fast"], "--engine goes with --world simulator"),
        (["compare", "x", "--world", "kernel", "--seeds", "3"], "--seeds goes with --world simulator"),
    ],
)
def test_options_that_do_not_go_together(
    arguments: list[str], line: str, found: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package(found / "a", "6.12.1")
    assert cli.main([{"x": "gallop-50mbit"}.get(argument, argument) for argument in arguments]) == 2
    assert line in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flow", "key"),
    [
        ({"transport": "quic"}, "transport"),
        ({"algorithm": {"python": f"{AIMD}:Aimd"}}, "algorithm.python"),
        ({"delayed_ack": "200ms"}, "delayed_ack"),
        ({"host": {"kind": "linux", "delayed_ack": "40ms"}}, "host.delayed_ack"),
        ({"host": {"kind": "linux", "rto_min": "1s"}}, "host.rto_min"),
        ({"host": {"handshake": "none"}}, "host.handshake"),
        ({"host": {"kind": "linux", "receive_window": 400}}, "host.receive_window"),
        ({"ack": "60b"}, "ack"),
        ({"algorithm": "cubic-linux", "header": "40b"}, "header"),
        ({"host": "linux", "header": "40b"}, "header"),
        ({"host": {"kind": "linux", "timestamps": False}, "header": "52b"}, "header"),
    ],
)
def test_a_key_that_the_kernel_does_not_follow_is_refused_by_name(flow: dict[str, object], key: str) -> None:
    host = {"kind": "linux", "delayed_ack": "linux", "handshake": "full", "sack": False, "receive_window": "linux"}
    followed = {"algorithm": "reno", "host": host, "header": "52b"}
    link = {"rate": "10mbit", "delay": "5ms", "queue": "20p"}
    path = {"kind": "dumbbell", "access": link, "bottleneck": link}
    document = {"name": "two", "duration": "1s", "topology": path, "flow": [followed, {"algorithm": "reno"} | flow]}
    with pytest.raises(LinuxError, match=rf"^flow\.1\.{key}: the kernel does not carry it; [^\n]*$"):
        check(load(document))


def test_the_file_system_has_program_and_modules_in_order(tmp_path: Path) -> None:
    """The kernel reads cpio: here another reader does. The bytes depend on the files alone."""
    folder = package(tmp_path / "package", "6.12.1")
    kernel = kernels.find(str(folder))
    shell = tmp_path / "program"
    shell.write_bytes(Path(sys.executable).resolve().read_bytes())
    content = initial_files(kernel, shell)
    assert content == initial_files(kernel, shell)
    files = dict(unpacked(content))
    assert files["init"] == shell.read_bytes()
    assert files["modules/order"] == b"a_needed.ko\ntun.ko\n"
    assert files["modules/a_needed.ko"].endswith(b"needed")
    assert "modules/unneeded.ko" not in files
    assert any(name.rpartition("/")[2].startswith("ld-linux") for name in files), "libraries are missing"


def unpacked(content: bytes) -> list[tuple[str, bytes]]:
    """Reads the files of a cpio archive in the format newc."""
    at = 0
    files: list[tuple[str, bytes]] = []
    while True:
        assert content[at : at + 6] == b"070701"
        fields = [int(content[at + 6 + 8 * field : at + 14 + 8 * field], 16) for field in range(13)]
        size, name_size = fields[6], fields[11]
        name = content[at + 110 : at + 110 + name_size - 1].decode()
        at = (at + 110 + name_size + 3) // 4 * 4
        if name == "TRAILER!!!":
            return files
        files.append((name, content[at : at + size]))
        at = (at + size + 3) // 4 * 4


def test_requests_come_back_from_their_bytes_and_long_ones_are_refused() -> None:
    sent = Parcel({"arguments": ["run"]}, {"a/b": b"1\0", "empty": b""})
    assert Parcel.from_bytes(sent.to_bytes()) == sent
    exchange = Exchange()
    assert exchange.answer() is None
    with pytest.raises(LinuxError, match="a guest takes 67104768"):
        exchange.ask(Parcel({}, {"long": bytes(64 << 20)}))
    exchange.close()


def hashes(folder: Path) -> dict[str, str]:
    """Returns a hash of each file of a results folder but the page, which has the time of its making."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix in (".parquet", ".json"))
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


RUN_S = "2s"


@whole
@pytest.mark.parametrize("algorithm", ["cubic-linux", "gallop"])
def test_two_runs_give_the_same_bytes(algorithm: str, tmp_path: Path) -> None:
    """One of the kernel's own, and one by BPF; once by the command, and once from Python."""
    folders = [tmp_path / "first", tmp_path / "second"]
    command = [sys.executable, "-m", "vegaslab", "run", "gallop-50mbit", "--world", "kernel", "-o", str(folders[0])]
    command += ["--set", f"flow.0.algorithm={algorithm}", "--set", f"duration={RUN_S}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "Linux 6.12" in ran.stdout
    changed = {"flow.0.algorithm": algorithm, "duration": RUN_S}
    vegaslab.run("gallop-50mbit", set=changed, world=vegaslab.KernelWorld()).write(folders[1])
    assert hashes(folders[0]) == hashes(folders[1])
    manifest = json.loads((folders[0] / "manifest.json").read_text())
    assert manifest["world"]["qemu"] == qemu.find().version
    assert manifest["world"]["kernel_build"].startswith(manifest["world"]["kernel"])
    (flow,) = manifest["summary"]["flows"]
    assert (flow["algorithm"], flow["timeouts"]) == (algorithm, 0)
    assert flow["segments_sent"] > 500
    assert manifest["world"]["packets_refused"] == 0


@whole
def test_runs_of_one_boot_are_those_of_a_boot_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ran before; a run that hangs ends by its limit, in a line, and the others keep their results."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    together = vegaslab.KernelWorld()

    def made(algorithm: str, where: vegaslab.KernelWorld, name: str) -> dict[str, str]:
        changed = {"flow.0.algorithm": algorithm, "duration": "1s"}
        vegaslab.run("gallop-50mbit", set=changed, world=where).write(tmp_path / name)
        return hashes(tmp_path / name)

    first = {algorithm: made(algorithm, together, algorithm) for algorithm in ("cubic-linux", "gallop")}
    with monkeypatch.context() as hurried:
        hurried.setattr(world, "_START_LIMIT_S", 0.5)
        hurried.setattr(world, "_LIMIT_PER_S", 0.0)
        with pytest.raises(LinuxError, match=r"^the guest did not end in 0\.5 s"):
            made("cubic-linux", together, "hangs")
    later = {algorithm: made(algorithm, together, f"{algorithm}-again") for algorithm in ("gallop", "cubic-linux")}
    assert later == first
    assert made("cubic-linux", vegaslab.KernelWorld(), "alone") == first["cubic-linux"]
    assert not list(tmp_path.glob("vegaslab-*"))


@whole
@pytest.mark.parametrize(
    ("limit_s", "files", "line"),
    [
        (0.5, None, r"^the guest did not end in 0\.5 s"),
        (300.0, b"", r"^the guest ended without being saved; its last line: .+"),
    ],
)
def test_a_boot_that_fails_is_one_line(
    limit_s: float, files: bytes | None, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that hangs, and one without a program."""
    monkeypatch.setattr(saved, "_BOOT_LIMIT_S", limit_s)
    if files is not None:
        monkeypatch.setattr(machine, "initial_files", lambda *_: files)
    with pytest.raises(LinuxError, match=line):
        vegaslab.run("gallop-50mbit", world=vegaslab.KernelWorld())


@whole
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("carrying_out", [False, True])
def test_what_ends_the_command_ends_its_guest(ending: signal.Signals, carrying_out: bool, tmp_path: Path) -> None:
    """While it boots, and while a copy carries the scenario out."""
    command = [sys.executable, "-m", "vegaslab", "run", "gallop-50mbit", "--world", "kernel", "-o", "out"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as running:
        deadline = time.monotonic() + TEN_S
        while not (guests := guests_of(running.pid, "-incoming" if carrying_out else "-kernel")):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        running.send_signal(ending)
        _, said = running.communicate(timeout=TEN_S)
    while any(Path(f"/proc/{guest}").exists() for guest in guests):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    if ending != signal.SIGKILL:
        assert said.splitlines()[-1] == "vegaslab: interrupted; nothing was written"
        assert list(tmp_path.iterdir()) == []


def guests_of(parent: int, argument: str) -> list[int]:
    """Returns the processes of QEMU with this argument that a process has started."""
    children = Path(f"/proc/{parent}/task/{parent}/children")
    listed = children.read_text().split() if children.exists() else []
    has = argument.encode()
    return [int(child) for child in listed if has in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")]
