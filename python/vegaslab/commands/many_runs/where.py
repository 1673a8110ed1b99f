"""The options that say where runs are made: on cores of this machine, or on a cluster."""

import argparse
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from vegaslab.commands.parsing import UsageError

if TYPE_CHECKING:
    from vegaslab.sweeps.cluster import Cluster

LOCAL = "local"


def add_where(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
    parser.add_argument(
        "--on",
        default=LOCAL,
        metavar="WHERE",
        help="local (default), or the address of a Dask scheduler, such as tcp://10.0.0.1:8786",
    )
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="local: cores to use (default: all)")


def cluster_of(options: argparse.Namespace) -> "AbstractContextManager[Cluster | None]":
    """Returns the cluster, which has to be entered; none if runs are made here. Raises `UsageError`, `ClusterError`."""
    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"--jobs: {options.jobs} was given; at least 1")
    if options.on == LOCAL:
        return nullcontext()
    if options.jobs is not None:
        raise UsageError(f"--jobs: goes with --on {LOCAL}; how many runs {options.on} makes at once is its workers'")
    if not options.on.startswith(("tcp://", "tls://")):
        raise UsageError(f"--on: {options.on!r} was given; {LOCAL}, or an address such as tcp://10.0.0.1:8786")
    # an optional dependency, and most runs are made here
    from vegaslab.sweeps.cluster import Cluster

    return Cluster(options.on)
