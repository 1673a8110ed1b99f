// AIMD: one segment more a round trip, half the window after a loss (Chiu and Jain 1989).

class Aimd {
  // it has no slow start, and answers one loss a window
  constructor(start) {
    this.window = start.initial_window;
    this.last_cut_ns = -1;
  }

  on_ack(ack) {
    if (ack.may_grow) this.window += ack.acked / this.window;
  }

  on_loss(loss) {
    if (loss.sent_ns > this.last_cut_ns) {
      this.window = Math.max(this.window / 2, 1);
      this.last_cut_ns = loss.now_ns;
    }
  }
}
