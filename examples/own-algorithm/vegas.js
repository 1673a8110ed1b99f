// Vegas (Brakmo and Peterson 1995) as the preset has it: windows in units of 2^-28 segment, RTTs in ns.

const ONE = 2 ** 28;

class Vegas {
  constructor(start) {
    this.start = start;
    this.ssthresh = start.ssthresh;
    this.set(start.initial_window * ONE);
    this.growth = 0; // of each acknowledgement
    this.opening = true; // the growth is slow start's
    this.rested = false; // the round before did not grow
    this.last_cut_ns = -1;
    this.base_rtt_ns = null;
    this.diff = null;
    this.begin_round(0, 0);
  }

  begin_round(end, now_ns) {
    Object.assign(this, { end, began_ns: now_ns, rtt_sum_ns: 0, samples: 0 });
  }

  set(units) {
    this.units = units;
    this.window = units / ONE;
  }

  in_slow_start() {
    return this.ssthresh === null || this.window < this.ssthresh;
  }

  on_ack(ack) {
    if (this.opening && !this.in_slow_start()) {
      this.growth = 0;
      this.opening = false;
    }
    if (ack.newest >= this.end) this.end_round(ack);
    const keeps_up = this.units <= (ack.in_flight + 2) * ONE;
    if (this.growth && keeps_up && !ack.ce_marked) {
      this.set(Math.min(this.units + this.growth, this.start.max_window * ONE));
    }
    if (ack.rtt_ns !== null) {
      this.rtt_sum_ns += ack.rtt_ns;
      this.samples += 1;
      this.base_rtt_ns = Math.min(ack.rtt_ns, this.base_rtt_ns ?? ack.rtt_ns);
    }
  }

  end_round(ack) {
    const sent = Math.max(ack.next - this.end, 0);
    const base_ns = this.base_rtt_ns;
    if (base_ns !== null) {
      const mean_ns = this.samples ? Math.floor(this.rtt_sum_ns / this.samples) : ack.now_ns - this.began_ns;
      const rtt_ns = Math.max(mean_ns, base_ns);
      // rounded half up
      this.diff = Math.floor((2 * (ack.in_flight * rtt_ns - sent * base_ns) + rtt_ns) / (2 * rtt_ns));
    }
    this.begin_round(Math.max(ack.next, ack.newest + 1), ack.now_ns);
    this.steer(base_ns === null ? 0 : this.diff);
  }

  steer(diff) {
    if (!this.in_slow_start()) {
      this.leave_slow_start();
      if (diff > this.start.beta) this.shrink_to(this.units - ONE);
      else if (diff < this.start.alpha) this.growth = Math.min(shareOfOne(this.units), ONE);
      return;
    }
    const grows = this.rested;
    this.rested = !grows;
    this.opening = true;
    this.growth = grows ? ONE : 0;
    if (grows && diff > this.start.gamma) {
      this.leave_slow_start();
      this.shrink_to(this.units - Math.floor(this.units / 8));
    }
  }

  leave_slow_start() {
    this.ssthresh = 2;
    this.opening = false;
    this.growth = 0;
  }

  shrink_to(units) {
    this.set(Math.min(Math.max(units, 2 * ONE), this.units));
  }

  on_loss(loss) {
    if (loss.kind === "timeout") {
      this.ssthresh = Math.max(Math.floor(this.units / 2 / ONE), 2);
      this.set(Math.min(this.start.restart_window * ONE, this.units));
      this.growth = 0;
      this.opening = true;
      this.rested = false;
      this.begin_round(loss.next, loss.now_ns);
    } else if (loss.sent_ns > this.last_cut_ns) {
      const whole = Math.floor(this.units / ONE);
      const cut = loss.retransmission ? Math.floor(whole / 2) : whole - Math.floor(whole / 4);
      this.set(Math.min((whole > 3 ? cut : 2) * ONE, this.units));
      this.ssthresh = 2;
    } else {
      return;
    }
    this.last_cut_ns = loss.now_ns;
  }
}

// a segment over the window, rounded up; products beyond 2^53 are whole as BigInt alone
function shareOfOne(units) {
  const window = BigInt(units);
  return Number((BigInt(ONE) * BigInt(ONE) + window - 1n) / window);
}
