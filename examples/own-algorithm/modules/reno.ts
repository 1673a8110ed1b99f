// Reno (RFC 5681) as the preset has it: windows in units of 2^-28 segment. AssemblyScript:
//
//   npx --package assemblyscript asc reno.ts -O --runtime stub --use abort= -o reno-ts.wasm

const ONE: i64 = 1 << 28;

// what the host reads after each event comes first
@unmanaged
class Reno {
  window: i64;
  paceNs: i64;
  ssthresh: i64;
  baseRttNs: i64;
  diff: i64;
  maxWindow: i64;
  restartWindow: i64;
}

// in the module's memory, of which the host makes copies
const reno = changetype<Reno>(memory.data(56, 8));

export function start(
  initialWindow: i32, restartWindow: i32, maxWindow: i32, ssthresh: i32, alpha: i32, beta: i32, gamma: i32, seed: i64,
): usize {
  reno.window = <i64>initialWindow * ONE;
  reno.ssthresh = <i64>ssthresh;
  reno.baseRttNs = -1;
  reno.diff = i64.MIN_VALUE;
  reno.maxWindow = <i64>maxWindow * ONE;
  reno.restartWindow = <i64>restartWindow * ONE;
  return changetype<usize>(reno);
}

export function on_ack(
  nowNs: i64, rttNs: i64, acked: i32, inFlight: i32, newest: i64, next: i64, ceMarked: i32, flags: i32,
): void {
  if (rttNs >= 0) reno.baseRttNs = reno.baseRttNs < 0 ? rttNs : min(rttNs, reno.baseRttNs);
  if (ceMarked) return;
  const opens = reno.ssthresh < 0 || reno.window < reno.ssthresh * ONE;
  // one segment for each acknowledgement, or one spread over the window, rounded up
  const more = opens ? ONE : (ONE * ONE + reno.window - 1) / reno.window;
  reno.window = min(reno.window + more, reno.maxWindow);
}

export function on_loss(
  nowNs: i64, kind: i32, sentNs: i64, retransmission: i32, inFlight: i32, next: i64, lost: i32,
): void {
  const half = max(reno.window / 2, 2 * ONE);
  if (kind == 1) { // a timeout
    reno.ssthresh = half / ONE;
    reno.window = min(reno.restartWindow, reno.window);
  } else {
    reno.window = min(half, reno.window);
    reno.ssthresh = max(reno.window / ONE, 2);
  }
}
