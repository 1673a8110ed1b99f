// Reno (RFC 5681) as the preset has it: windows in units of 2^-28 segment.

const ONE = 2 ** 28;

class Reno {
  constructor(start) {
    this.start = start;
    this.ssthresh = start.ssthresh;
    this.base_rtt_ns = null;
    this.set(start.initial_window * ONE);
  }

  set(units) {
    this.units = Math.min(units, this.start.max_window * ONE);
    this.window = this.units / ONE;
  }

  on_ack(ack) {
    if (ack.rtt_ns !== null) this.base_rtt_ns = Math.min(ack.rtt_ns, this.base_rtt_ns ?? ack.rtt_ns);
    if (ack.ce_marked) return;
    const opens = this.ssthresh === null || this.window < this.ssthresh;
    // one segment for each acknowledgement, or one spread over the window
    this.set(this.units + (opens ? ONE : shareOfOne(this.units)));
  }

  on_loss(loss) {
    const half = Math.max(Math.floor(this.units / 2), 2 * ONE);
    if (loss.kind === "timeout") {
      this.ssthresh = Math.floor(half / ONE);
      this.set(Math.min(this.start.restart_window * ONE, this.units));
    } else {
      this.set(Math.min(half, this.units));
      this.ssthresh = Math.max(Math.floor(this.units / ONE), 2);
    }
  }
}

// a segment over the window, rounded up; products beyond 2^53 are whole as BigInt alone
function shareOfOne(units) {
  const window = BigInt(units);
  return Number((BigInt(ONE) * BigInt(ONE) + window - 1n) / window);
}
