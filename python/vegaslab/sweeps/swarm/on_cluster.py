"""Swarms on a cluster: batches of networks on the workers of a Dask scheduler, each with the program installed."""

from collections.abc import Iterable, Iterator
from itertools import islice

from vegaslab.sweeps.cluster import Cluster
from vegaslab.sweeps.swarm.batches import Made, lost, make_on_worker, program, united

_BATCHES_A_THREAD = 2


class OnCluster:
    """Makes batches on a cluster. Raises `ClusterError` if that cannot be used."""

    def __init__(self, address: str) -> None:
        """Takes the scheduler's `address`, such as `tcp://10.0.0.1:8786`."""
        self._address = address

    def __call__(self, seed: int, batches: Iterable[range]) -> Iterator[Made]:
        """See `vegaslab.sweeps.swarm.batches.Runner`. Raises `ClusterError`, too, if the scheduler goes away."""
        with Cluster(self._address) as cluster, cluster.scheduler_is_there():
            yield from _Batches(cluster, seed).made(batches)


class _Batches:
    """The batches under way. One that ended all workers to which it was given is made again, each network by itself."""

    def __init__(self, cluster: Cluster, seed: int) -> None:
        self._cluster = cluster
        self._seed = seed
        self._done = cluster.completed()
        self._networks: dict[object, range] = {}
        # the finished parts of a batch that was split, by the batch's networks
        self._parts: dict[range, list[Made]] = {}

    def made(self, batches: Iterable[range]) -> Iterator[Made]:
        """Yields all batches, each when it is finished."""
        left = iter(batches)
        room = self._cluster.jobs * _BATCHES_A_THREAD
        while True:
            for batch in islice(left, max(0, room - self._done.count())):
                self._submit(batch)
            if self._done.is_empty():
                return
            yield from self._next()

    def _submit(self, networks: range) -> None:
        future = self._cluster.submit(make_on_worker, self._seed, networks.start, networks.stop)
        self._networks[future.key] = networks
        self._done.add(future)

    def _next(self) -> list[Made]:
        """Waits for the next future; returns its batch, or none if it was a part of one or has to be split."""
        # an optional dependency: `vegaslab[cluster]`
        from distributed import KilledWorker

        future = next(self._done)
        networks = self._networks.pop(future.key)
        try:
            made = future.result()
        except KilledWorker as error:
            if len(networks) > 1:
                # one of its networks ended the workers: each is made by itself to find out which
                self._parts[networks] = []
                for network in networks:
                    self._submit(range(network, network + 1))
                return []
            made = lost(program(), self._seed, networks.start, f"every worker that made it died: {error}")
        return self._whole(networks, made)

    def _whole(self, networks: range, made: Made) -> list[Made]:
        whole = next((batch for batch in self._parts if networks.start in batch), None)
        if whole is None:
            return [made]
        self._parts[whole].append(made)
        return [united(self._parts.pop(whole))] if len(self._parts[whole]) == len(whole) else []
