"""AIMD: one segment more a round trip, half the window after a loss (Chiu and Jain 1989)."""


class Aimd:
    """Has no slow start, and answers one loss a window."""

    def __init__(self, start):
        self.window = start.initial_window
        self.last_cut_ns = -1

    def on_ack(self, ack):
        if ack.may_grow:
            self.window += ack.acked / self.window

    def on_loss(self, loss):
        if loss.sent_ns > self.last_cut_ns:
            self.window = max(self.window / 2, 1)
            self.last_cut_ns = loss.now_ns
