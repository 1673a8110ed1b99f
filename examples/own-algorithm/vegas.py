"""Vegas (Brakmo and Peterson 1995) as the preset has it: windows in units of 2**-28 segment, RTTs in ns."""

ONE = 1 << 28


class Vegas:
    def __init__(self, start):
        self.start = start
        self.ssthresh = start.ssthresh
        self.units = start.initial_window * ONE
        self.window = self.units / ONE
        self.growth = 0  # of each acknowledgement
        self.opening = True  # the growth is slow start's
        self.rested = False  # the round before did not grow
        self.last_cut_ns = -1
        self.base_rtt_ns = None
        self.diff = None
        self.begin_round(0, 0)

    def begin_round(self, end, now_ns):
        self.end, self.began_ns, self.rtt_sum_ns, self.samples = end, now_ns, 0, 0

    def set(self, units):
        self.units = units
        self.window = units / ONE

    def in_slow_start(self):
        return self.ssthresh is None or self.units < self.ssthresh * ONE

    def on_ack(self, ack):
        if self.opening and not self.in_slow_start():
            self.growth, self.opening = 0, False
        if ack.newest >= self.end:
            self.end_round(ack)
        keeps_up = self.units <= (ack.in_flight + 2) * ONE
        if self.growth and keeps_up and not ack.ce_marked:
            self.set(min(self.units + self.growth, self.start.max_window * ONE))
        if ack.rtt_ns:
            self.rtt_sum_ns += ack.rtt_ns
            self.samples += 1
            self.base_rtt_ns = min(ack.rtt_ns, self.base_rtt_ns or ack.rtt_ns)

    def end_round(self, ack):
        sent = max(ack.next - self.end, 0)
        base_ns = self.base_rtt_ns
        if base_ns is not None:
            rtt_ns = self.rtt_sum_ns // self.samples if self.samples else ack.now_ns - self.began_ns
            rtt_ns = max(rtt_ns, base_ns)
            # rounded half up
            self.diff = (2 * (ack.in_flight * rtt_ns - sent * base_ns) + rtt_ns) // (2 * rtt_ns)
        self.begin_round(max(ack.next, ack.newest + 1), ack.now_ns)
        self.steer(0 if base_ns is None else self.diff)

    def steer(self, diff):
        if not self.in_slow_start():
            self.ssthresh, self.opening, self.growth = 2, False, 0
            if diff > self.start.beta:
                self.shrink_to(self.units - ONE)
            elif diff < self.start.alpha:
                self.growth = min(-(-ONE * ONE // self.units), ONE)
            return
        grows, self.rested = self.rested, not self.rested
        self.opening, self.growth = True, ONE if grows else 0
        if grows and diff > self.start.gamma:
            self.ssthresh, self.opening, self.growth = 2, False, 0
            self.shrink_to(self.units - self.units // 8)

    def shrink_to(self, units):
        self.set(min(max(units, 2 * ONE), self.units))

    def on_loss(self, loss):
        if loss.kind == "timeout":
            self.ssthresh = max(self.units // 2 // ONE, 2)
            self.set(min(self.start.restart_window * ONE, self.units))
            self.growth, self.opening, self.rested = 0, True, False
            self.begin_round(loss.next, loss.now_ns)
        elif loss.sent_ns > self.last_cut_ns:
            whole = self.units // ONE
            cut = whole // 2 if loss.retransmission else whole - whole // 4
            self.set(min((cut if whole > 3 else 2) * ONE, self.units))
            self.ssthresh = 2
        else:
            return
        self.last_cut_ns = loss.now_ns
