// The events for one of the reader's algorithms, from the numbers that the engine gives
// (`crates/vegas-web/src/own.rs`).

/** The count of an event's numbers, which the outputs then replace. */
export type Slots = Float64Array;

/** The engine's events, by number. */
export const events = {
  ack: 0,
  loss: 1,
  sent: 2,
  recovered: 3,
  spurious: 4,
  restart: 5,
  pathChange: 6,
  handshake: 7,
  segmentLost: 8,
} as const;

/** The methods and exports of these events, in their order. */
export const methods = [
  "on_ack",
  "on_loss",
  "on_sent",
  "on_recovered",
  "on_spurious",
  "on_restart",
  "on_path_change",
  "on_handshake",
  "on_segment_lost",
] as const;

/** Events that begin with their time; the others happen at the time of the event before. */
export function hasTime(event: number): boolean {
  return event !== events.spurious && event !== events.segmentLost;
}

/** The slots of an acknowledgement's optional values; a value below 0 is missing. */
export const ofAck = { forward: 12, backward: 13, oneWayDelay: 14, rate: 15 } as const;

/** 28 bits of a window are the fraction of a segment. */
export const ONE = 2 ** 28;
/** The greatest window, segments. */
export const WINDOW_MAX = 2 ** 24;

/** The outputs that an event leaves in the slots. */
export interface Outputs {
  /** In units of 2^-28 segment. */
  window: number;
  /** The interval from one segment to the next, ns; 0: none. */
  pace_ns: number;
  /** Segments; -1: none yet; NaN: the algorithm has no threshold. */
  ssthresh: number;
  /** -1: none. */
  base_rtt_ns: number;
  /** Segments; NaN: none. */
  diff: number;
  /** The bytes that the connection holds in the worker. */
  held_bytes: number;
}

export function put(slots: Slots, outputs: Outputs): void {
  slots[0] = outputs.window;
  slots[1] = outputs.pace_ns;
  slots[2] = outputs.ssthresh;
  slots[3] = outputs.base_rtt_ns;
  slots[4] = outputs.diff;
  slots[5] = outputs.held_bytes;
}

/** The number in a slot; every event has all slots that are read here. */
export function slot(slots: Slots, place: number): number {
  return slots[place] as number;
}

function orNull(slots: Slots, place: number): number | null {
  const value = slot(slots, place);
  return value < 0 ? null : value;
}

function isOn(slots: Slots, place: number): boolean {
  return slot(slots, place) !== 0;
}

/** The values with which a connection begins. Numbers are whole up to 2^53, so the seed keeps its lower 53 bits. */
export function startOf(slots: Slots): object {
  const [initial_window, restart_window, max_window] = slots;
  const [alpha, beta, gamma, high, low] = slots.subarray(4);
  const seed = ((high as number) % 2 ** 21) * 2 ** 32 + (low as number);
  return Object.freeze({ initial_window, restart_window, max_window, ssthresh: orNull(slots, 3), alpha, beta, gamma, seed });
}

const kinds = ["duplicate-acks", "timeout", "ecn"] as const;

/** The argument of an event's method. */
export function argumentsOf(event: number, slots: Slots): unknown[] {
  const now_ns = slot(slots, 0);
  switch (event) {
    case events.ack:
      return [ackOf(slots)];
    case events.loss:
      return [lossOf(slots)];
    case events.sent:
      return [{ now_ns, index: slot(slots, 1), in_flight: slot(slots, 2), retransmission: isOn(slots, 3) }];
    case events.restart:
      return [{ now_ns, next: slot(slots, 1), idle_ns: slot(slots, 2) }];
    case events.pathChange:
      return [slot(slots, 1), now_ns];
    case events.handshake:
      return [now_ns, slot(slots, 1)];
    case events.segmentLost:
      return [{ in_flight: slot(slots, 0), lost: slot(slots, 1), app_limited: isOn(slots, 2) }];
    default:
      return [now_ns];
  }
}

function ackOf(slots: Slots): object {
  return {
    now_ns: slot(slots, 0),
    rtt_ns: orNull(slots, 1),
    acked: slot(slots, 2),
    in_flight: slot(slots, 3),
    newest: slot(slots, 4),
    next: slot(slots, 5),
    ce_marked: slot(slots, 6),
    may_grow: isOn(slots, 7),
    window_limited: isOn(slots, 8),
    in_recovery: isOn(slots, 9),
    delivered: slot(slots, 10),
    lost: slot(slots, 11),
    forward_queueing_ns: orNull(slots, ofAck.forward),
    backward_queueing_ns: orNull(slots, ofAck.backward),
    one_way_delay_ns: orNull(slots, ofAck.oneWayDelay),
    rate: slot(slots, ofAck.rate) < 0 ? null : rateOf(slots),
  };
}

function rateOf(slots: Slots): object {
  const [interval_ns, delivered, lost, in_flight, prior_delivered, total] = slots.subarray(ofAck.rate);
  return { delivered, interval_ns, lost, in_flight, prior_delivered, total, app_limited: isOn(slots, 21) };
}

function lossOf(slots: Slots): object {
  return {
    now_ns: slot(slots, 0),
    kind: kinds[slot(slots, 1)],
    sent_ns: slot(slots, 2),
    retransmission: isOn(slots, 3),
    in_flight: slot(slots, 4),
    next: slot(slots, 5),
    lost: slot(slots, 6),
  };
}
