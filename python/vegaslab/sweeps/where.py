"""Where runs are made: on cores of this machine, or on a cluster."""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vegaslab.sweeps.cluster import Cluster

LOCAL = "local"


def cluster_of(on: str = LOCAL, jobs: int | None = None) -> "AbstractContextManager[Cluster | None]":
    """Returns the cluster, which has to be entered; none if runs are made here, on `jobs` cores. Raises
    `ClusterError`.
    """
    # imported here: commands need LOCAL for their options, and no cluster
    from vegaslab.sweeps.cluster import Cluster, ClusterError

    if jobs is not None and jobs < 1:
        raise ClusterError(f"jobs: {jobs} was given; at least 1")
    if on == LOCAL:
        return nullcontext()
    if jobs is not None:
        raise ClusterError(f'jobs: goes with on "{LOCAL}"; how many runs {on} makes at once is its workers\'')
    if not on.startswith(("tcp://", "tls://")):
        raise ClusterError(f"on: {on!r} was given; {LOCAL}, or an address such as tcp://10.0.0.1:8786")
    return Cluster(on)
