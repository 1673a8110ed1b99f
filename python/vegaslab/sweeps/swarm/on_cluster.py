"""Swarms on a cluster: batches of networks on the workers of a Dask scheduler, each with the program installed."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from vegaslab.sweeps.cluster import Cluster, Killed
from vegaslab.sweeps.swarm.batches import Made, Runner, lost, make_on_worker, program, united


def on_cluster(cluster: Cluster) -> Runner:
    """Makes batches on the workers of a cluster. Raises `ClusterError` if it cannot be used, or goes away."""

    def make(seed: int, batches: Iterable[range]) -> Iterator[Made]:
        wholes = dict.fromkeys(batches)
        parts: dict[range, list[Made]] = defaultdict(list)
        for networks, made in cluster.carry_out(make_on_worker, iter(wholes), seed):
            if networks in wholes and not isinstance(made, Killed):
                yield made
                continue
            # a part of a batch that was split
            whole = next(batch for batch in wholes if networks.start in batch)
            parts[whole].append(lost(program(), seed, networks.start, made) if isinstance(made, Killed) else made)
            if len(parts[whole]) == len(whole):
                yield united(parts.pop(whole))

    return make
