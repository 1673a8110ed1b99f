"""What an event of an algorithm in Python costs beyond the interpreter's own call, in CPU time."""

import time
from types import SimpleNamespace

import vegaslab

SCENARIO = "gallop-50mbit"
# a window that holds the path full: as many events with every algorithm
SET = {"sample": "off", "topology.bottleneck.queue": "3000p", "flow.0.max_window": 2000}


class Empty:
    """Holds its window."""

    def __init__(self, start):
        self.window = start.max_window

    def on_ack(self, ack):
        pass

    def on_loss(self, loss):
        pass


def cpu_s(work):
    """CPU time of a call, and what it gives."""
    began = time.process_time()
    given = work()
    return time.process_time() - began, given


def calls(count):
    """The time of this number of calls of an empty method."""
    method = Empty(SimpleNamespace(max_window=1)).on_ack
    for _ in range(count):
        method(None)


def main():
    """Prints the least of five measurements."""
    vegaslab.cache(use=False)
    found = []
    for _ in range(5):
        native_s, _ = cpu_s(lambda: vegaslab.run(SCENARIO, algorithm="reno", set=SET))
        python_s, result = cpu_s(lambda: vegaslab.run(SCENARIO, algorithm=Empty, set=SET))
        events = result.flows["segments_sent"][0].as_py()
        calls_s, _ = cpu_s(lambda: calls(events))
        found.append((python_s - native_s - calls_s) / events * 1e6)
    print(
        f"{events} events: {min(found):.2f} us each beyond Python's own call, from {min(found):.2f} to {max(found):.2f}"
    )


if __name__ == "__main__":
    main()
