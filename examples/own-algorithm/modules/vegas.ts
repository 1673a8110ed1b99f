// Vegas (Brakmo and Peterson 1995) as the preset has it: windows in units of 2^-28 segment, RTTs in ns. AssemblyScript:
//
//   npx --package assemblyscript asc vegas.ts -O --runtime stub --use abort= -o vegas-ts.wasm

const ONE: i64 = 1 << 28;

// what the host reads after each event comes first
@unmanaged
class Vegas {
  window: i64;
  paceNs: i64;
  ssthresh: i64;
  baseRttNs: i64;
  diff: i64;
  restartWindow: i64;
  maxWindow: i64;
  alpha: i64;
  beta: i64;
  gamma: i64;
  growth: i64; // of each acknowledgement
  lastCutNs: i64;
  // the round's last segment, its beginning, and its RTT samples
  end: i64;
  beganNs: i64;
  rttSumNs: i64;
  samples: i64;
  opening: bool; // the growth is slow start's
  rested: bool; // the round before did not grow
}

// in the module's memory, of which the host makes copies
const vegas = changetype<Vegas>(memory.data(136, 8));

function floorOf(a: i64, b: i64): i64 {
  return a / b - i64(a % b < 0);
}

function inSlowStart(): bool {
  return vegas.ssthresh < 0 || vegas.window < vegas.ssthresh * ONE;
}

function growBy(growth: i64, opening: bool): void {
  vegas.growth = growth;
  vegas.opening = opening;
}

function shrinkTo(window: i64): void {
  vegas.window = min(max(window, 2 * ONE), vegas.window);
}

function beginRound(end: i64, nowNs: i64): void {
  vegas.end = end;
  vegas.beganNs = nowNs;
  vegas.rttSumNs = 0;
  vegas.samples = 0;
}

function leaveSlowStart(): void {
  vegas.ssthresh = 2;
  growBy(0, false);
}

function steer(diff: i64): void {
  if (!inSlowStart()) {
    leaveSlowStart();
    if (diff > vegas.beta) {
      shrinkTo(vegas.window - ONE);
    } else if (diff < vegas.alpha) {
      // one segment spread over the window, rounded up
      vegas.growth = min((ONE * ONE + vegas.window - 1) / vegas.window, ONE);
    }
    return;
  }
  const grows = vegas.rested;
  vegas.rested = !grows;
  growBy(grows ? ONE : 0, true);
  if (grows && diff > vegas.gamma) {
    leaveSlowStart();
    shrinkTo(vegas.window - vegas.window / 8);
  }
}

function endRound(nowNs: i64, inFlight: i64, newest: i64, next: i64): void {
  const sent = max(next - vegas.end, 0);
  const baseNs = vegas.baseRttNs;
  if (baseNs >= 0) {
    const meanNs = vegas.samples > 0 ? vegas.rttSumNs / vegas.samples : nowNs - vegas.beganNs;
    const rttNs = max(meanNs, baseNs);
    // rounded half up
    vegas.diff = floorOf(2 * (inFlight * rttNs - sent * baseNs) + rttNs, 2 * rttNs);
  }
  beginRound(max(next, newest + 1), nowNs);
  steer(baseNs < 0 ? 0 : vegas.diff);
}

export function start(
  initialWindow: i32, restartWindow: i32, maxWindow: i32, ssthresh: i32, alpha: i32, beta: i32, gamma: i32, seed: i64,
): usize {
  vegas.window = <i64>initialWindow * ONE;
  vegas.ssthresh = <i64>ssthresh;
  vegas.baseRttNs = -1;
  vegas.diff = i64.MIN_VALUE;
  vegas.restartWindow = <i64>restartWindow * ONE;
  vegas.maxWindow = <i64>maxWindow * ONE;
  vegas.alpha = <i64>alpha;
  vegas.beta = <i64>beta;
  vegas.gamma = <i64>gamma;
  vegas.lastCutNs = -1;
  growBy(0, true);
  return changetype<usize>(vegas);
}

export function on_ack(
  nowNs: i64, rttNs: i64, acked: i32, inFlight: i32, newest: i64, next: i64, ceMarked: i32, flags: i32,
): void {
  if (vegas.opening && !inSlowStart()) growBy(0, false);
  if (newest >= vegas.end) endRound(nowNs, <i64>inFlight, newest, next);
  if (vegas.window <= (<i64>inFlight + 2) * ONE && !ceMarked) {
    vegas.window = min(vegas.window + vegas.growth, vegas.maxWindow);
  }
  if (rttNs < 0) return;
  vegas.rttSumNs += rttNs;
  vegas.samples += 1;
  vegas.baseRttNs = vegas.baseRttNs < 0 ? rttNs : min(rttNs, vegas.baseRttNs);
}

export function on_loss(
  nowNs: i64, kind: i32, sentNs: i64, retransmission: i32, inFlight: i32, next: i64, lost: i32,
): void {
  const whole = vegas.window / ONE;
  if (kind == 1) { // a timeout
    vegas.ssthresh = max(whole / 2, 2);
    vegas.window = min(vegas.restartWindow, vegas.window);
    growBy(0, true);
    vegas.rested = false;
    beginRound(next, nowNs);
  } else if (sentNs > vegas.lastCutNs) {
    const cut = retransmission ? whole / 2 : whole - whole / 4;
    vegas.window = min((whole > 3 ? cut : 2) * ONE, vegas.window);
    vegas.ssthresh = 2;
  } else {
    return;
  }
  vegas.lastCutNs = nowNs;
}
