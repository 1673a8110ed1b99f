"""Reno (RFC 5681) as the preset has it: windows in units of 2**-28 segment."""

ONE = 1 << 28


class Reno:
    def __init__(self, start):
        self.start = start
        self.ssthresh = start.ssthresh
        self.base_rtt_ns = None
        self.set(start.initial_window * ONE)

    def set(self, units):
        self.units = min(units, self.start.max_window * ONE)
        self.window = self.units / ONE

    def on_ack(self, ack):
        if ack.rtt_ns is not None:
            self.base_rtt_ns = min(ack.rtt_ns, self.base_rtt_ns or ack.rtt_ns)
        if ack.ce_marked:
            return
        opens = self.ssthresh is None or self.window < self.ssthresh
        # one segment for each acknowledgement, or one spread over the window, rounded up
        self.set(self.units + (ONE if opens else -(-ONE * ONE // self.units)))

    def on_loss(self, loss):
        half = max(self.units // 2, 2 * ONE)
        if loss.kind == "timeout":
            self.ssthresh = half // ONE
            self.set(min(self.start.restart_window * ONE, self.units))
        else:
            self.set(min(half, self.units))
            self.ssthresh = max(self.units // ONE, 2)
