// The messages between page and worker, and the engine's answers.

/** A change of a scenario's text (`crates/vegas-web/src/edit.rs`). */
export type Edit =
  | { set: { key: string; value: string | number | boolean | Record<string, string> } }
  | { copy: { key: string } }
  | { remove: { key: string } };

/** Why an operation cannot be done; `line` counts from 1. */
export interface Failure {
  message: string;
  line: number | null;
  key: string;
  /** The line belongs to this file of the reader, not to the scenario. */
  file?: string;
}

/** A file with algorithms of the reader: JavaScript, or a WebAssembly module. */
export interface OwnFile {
  /** Ends in `.js` or `.wasm`. */
  name: string;
  content: string | Uint8Array<ArrayBuffer>;
  /** The preset with the host and the numbers of this algorithm. */
  preset: string;
}

/** The result for a file: the names of its algorithms in scenarios, or why it has none. */
export interface OwnAnswer {
  file: string;
  names: string[];
  failure: Failure | null;
}

export interface FlowDescription {
  algorithm: string;
  start_s: number;
  path: number[];
  wire_bytes: number;
}

export interface LinkDescription {
  id: string;
  rate_mbps: number;
  delay_ms: number;
  queue_packets: number | null;
}

/** A checked scenario (`crates/vegas-web/src/describe.rs`). */
export interface Description {
  name: string;
  description: string | null;
  duration_s: number;
  run_id: string;
  sample: "step" | "change" | "off";
  /** Warnings about keys that have no effect. */
  warnings: string[];
  document: Json;
  flows: FlowDescription[];
  links: LinkDescription[];
  watched: number;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Rows of the tables `flows` and `links` of a run's summary, by column. */
export interface Summary {
  scenario: string;
  duration_s: number;
  events: number;
  delivered_packets: number;
  wall_s: number;
  flows: Record<string, number | string | null>[];
  links: Record<string, number | string | null>[];
}

export interface Preset {
  name: string;
  summary: string;
}

/** Requests of the page; each has one reply with an equal `id`. */
export type Question =
  | { ask: "check"; text: string }
  | { ask: "edit"; text: string; edits: Edit[] }
  | { ask: "presets" }
  | { ask: "own"; files: OwnFile[] }
  | { ask: "table"; name: string };

/** Notices of the page, which have no reply. `hand`: the flow with a window that `steer` sets. */
export type Order =
  | { order: "begin"; run: number; text: string; hand: number | null; speed: number; paused: boolean }
  | { order: "pace"; speed: number; paused: boolean }
  | { order: "steer"; segments: number };

export type ToWorker = ({ id: number } & Question) | Order;

/** Rows since the last message, one after another: `flowColumns`, `linkColumns`. */
export interface Rows {
  flows: Float64Array;
  links: Float64Array;
}

export type FromWorker =
  | { reply: number; good: true; value: unknown }
  | { reply: number; good: false; failure: Failure }
  | { run: number; event: "begun"; description: Description }
  | ({ run: number; event: "rows"; now_s: number } & Rows)
  | ({ run: number; event: "ended"; now_s: number; summary: Summary } & Rows)
  | { run: number; event: "failed"; failure: Failure }
  | { fatal: Failure };

/** Columns of a row of a flow (`crates/vegas-web/src/rows.rs`). */
export const flowColumns = {
  time_s: 0,
  flow: 1,
  cwnd_segments: 2,
  in_flight_segments: 3,
  rtt_ms: 4,
  base_rtt_ms: 5,
  diff_segments: 6,
  phase: 7,
  throughput_mbps: 8,
  retransmits: 9,
} as const;
export const flowColumnCount = 10;

/** Columns of a row of a link. */
export const linkColumns = {
  time_s: 0,
  link: 1,
  queue_packets: 2,
  max_queue_packets: 3,
  drops: 4,
  throughput_mbps: 5,
  utilisation: 6,
} as const;
export const linkColumnCount = 7;

export const phases = ["idle", "slow start", "congestion avoidance", "recovery"] as const;
