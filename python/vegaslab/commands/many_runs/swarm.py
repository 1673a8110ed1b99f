"""`vegaslab swarm`: random networks, each checked against the rules that hold in all of them."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from vegaslab.commands.parsing import FAILED, OK, Commands, UsageError, add_where
from vegaslab.runs.pool import usable_cores
from vegaslab.sweeps.where import LOCAL
from vegaslab.util.ending import interrupted
from vegaslab.util.progress import SweepProgress
from vegaslab.util.terminal import complain

if TYPE_CHECKING:
    from vegaslab.sweeps.swarm.batches import Swarm


def add(commands: Commands) -> None:
    """Adds the command."""
    parser = commands.add_parser("swarm", help="check the simulator on random networks, or on scenario files")
    argument = parser.add_argument
    argument("files", nargs="*", type=Path, metavar="FILE", help="check these scenarios instead of random ones")
    argument("--networks", type=int, default=1000, metavar="N", help="how many in all (default: 1000)")
    argument("--seed", type=int, default=1, metavar="N", help="of the swarm (default: 1)")
    argument("--relation", metavar="NAME", help="compare by this relation alone, in every network, such as reference")
    argument(
        "--judge",
        choices=("kernel",),
        help="compare the simulator with the real kernel instead, on networks that both carry (docs/kernel-world.md)",
    )
    argument("--kernel", metavar="KERNEL", help="the kernel of --judge: a version, or the file of an image")
    argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        help="the swarm's folder (default: results/swarm-SEED, and the relation's name)",
    )
    add_where(parser)
    argument("--json", action="store_true", help="print what was found as JSON")
    parser.set_defaults(action=_swarm)


def _swarm(options: argparse.Namespace) -> int:
    # imported here: other commands need not wait for it
    from vegaslab.sweeps.swarm.batches import Local, swarm
    from vegaslab.sweeps.swarm.on_cluster import on_cluster
    from vegaslab.sweeps.where import cluster_of

    _refuse_bad_numbers(options)
    if options.files:
        return _check(options)
    by = {key: value for key in ("relation", "judge") if (value := getattr(options, key))}
    folder = options.output or Path("results") / "-".join(["swarm", str(options.seed), *by.values()])
    try:
        with cluster_of(options.on, options.jobs) as cluster, SweepProgress(what="networks") as progress:
            jobs = options.jobs or usable_cores()
            if options.judge:
                done = _judged(options, folder, jobs, progress)
            else:
                run = on_cluster(cluster) if cluster else Local(jobs, options.relation)
                done = swarm(folder, options.seed, options.networks, run, progress, by=by)
    except KeyboardInterrupt as interrupt:
        complain(f"interrupted; {folder} keeps the networks so far, the same command goes on")
        return interrupted(interrupt)
    print(json.dumps(done.summary) if options.json else _report(done, " --judge kernel" if options.judge else ""))
    return FAILED if done.findings else OK


def _refuse_bad_numbers(options: argparse.Namespace) -> None:
    if options.networks < 1:
        raise UsageError(f"--networks: {options.networks} was given; at least 1")
    if not 0 <= options.seed < 1 << 64:
        raise UsageError(f"--seed: {options.seed} was given; 64 bits, 0 or more")
    for key in ("relation", "judge"):
        if options.on != LOCAL and getattr(options, key) is not None:
            raise UsageError(f"--{key}: goes with --on {LOCAL}")
    if options.judge is not None and options.relation is not None:
        raise UsageError("--relation: goes without --judge")
    if options.judge is None and options.kernel is not None:
        raise UsageError("--kernel: goes with --judge kernel")


def _judged(options: argparse.Namespace, folder: Path, jobs: int, progress: SweepProgress) -> "Swarm":
    from vegaslab.measuring.guest.world import KernelWorld
    from vegaslab.measuring.judging.judge import BATCH_NETWORKS, InBothWorlds
    from vegaslab.sweeps.swarm.batches import swarm

    world = KernelWorld(options.kernel)
    about = {key: world.about[key] for key in ("kernel_build", "qemu", "files_sha256")}
    by = {"judge": options.judge, **about}
    run = InBothWorlds(jobs, world)
    return swarm(folder, options.seed, options.networks, run, progress, by=by, batch_networks=BATCH_NETWORKS)


def _check(options: argparse.Namespace) -> int:
    from vegaslab.measuring.judging.judge import check_files
    from vegaslab.sweeps.swarm.batches import check

    rows = check_files(options.files, options.kernel) if options.judge else check(options.files)
    for row in rows:
        shown = row["file"] + ": " + row["verdict"]
        shown += f": {row['check']}: {row['message']}" if row["verdict"] == "failed" else ""
        shown += f": {row['message']}" if row["verdict"] == "refused" else ""
        print(json.dumps(row) if options.json else shown)
    return OK if all(row["verdict"] == "held" for row in rows) else FAILED


def _report(done: "Swarm", judge: str) -> str:
    totals = done.summary
    compared = ", ".join(f"{name} {count}" for name, count in totals["compared"].items())
    lines = [
        f"{totals['networks']} networks of seed {done.seed}: {totals['held']} hold, {totals['failed']} fail, "
        f"{totals['refused']} refused, {totals['too_long']} too long",
        f"{totals['events']} events, {totals['cpu_s'] / 3600:.3g} CPU hours",
        f"runs compared: {compared}",
    ]
    if done.findings:
        lines.append(f"\nfindings: {done.folder / 'findings'}; check one again: vegaslab swarm{judge} FILE")
    return "\n".join(lines)
