// The six lessons: a scenario, a guess that its run answers, and a task with goals that a run reaches or misses.

import type { Description, Json, Summary } from "../protocol";
import { at } from "../scenario/keys";

/** What lessons read from a run's summary. */
const FIGURES = {
  goodput_mbps: ({ summary }: Run) => total(summary, "goodput_mbps"),
  mean_rtt_ms: ({ summary }: Run) => total(summary, "mean_rtt_ms") / summary.flows.length,
  mean_queue_packets: ({ summary, description }: Run) => Number(summary.links[description.watched]?.["mean_queue_packets"]),
  least_share_percent: ({ summary }: Run) =>
    (100 * Math.min(...summary.flows.map((flow) => Number(flow["goodput_mbps"])))) / total(summary, "goodput_mbps"),
  retransmitted_segments: ({ summary }: Run) => total(summary, "segments_retransmitted"),
  own_flows: ({ description }: Run) => description.flows.filter((_, flow) => isOwn(description.document, flow)).length,
};

export type Figure = keyof typeof FIGURES;

export interface Run {
  description: Description;
  summary: Summary;
}

/** A limit of a figure; the run is as good as its worst figure. */
export interface Goal {
  figure: Figure;
  least?: number;
  most?: number;
}

export interface Lesson {
  id: LessonId;
  scenario: string;
  /** The algorithm of the run beside it; empty without one. */
  beside: string;
  /** The figure to guess before the run; without choices, as a number. */
  guess: { figure: Figure; choices: number[] };
  goals: Goal[];
}

export type LessonId = "window" | "bufferbloat" | "vegas" | "starvation" | "start" | "own";

/** A path with a round-trip time of twice `delay_ms` and 4 ms. */
function path(name: LessonId, rate_mbps: number, delay_ms: number, queue: number, duration_s: number, flows: string[]): string {
  const tables = flows.map((flow) => `\n[[flow]]\n${flow}\npacket = "1000b"\n`);
  return `name = "lesson-${name}"
duration = "${duration_s}s"

[topology]
kind = "dumbbell"
access = { rate = "1gbit", delay = "1ms" }
bottleneck = { rate = "${rate_mbps}mbit", delay = "${delay_ms}ms", queue = "${queue}p" }
${tables.join("")}`;
}

export const LESSONS: Lesson[] = [
  {
    id: "window",
    scenario: path("window", 10, 48, 100, 20, ['algorithm = "reno"\ninitial_window = 60\nmax_window = 60']),
    beside: "",
    guess: { figure: "goodput_mbps", choices: [] },
    goals: [{ figure: "goodput_mbps", least: 8 }, { figure: "mean_rtt_ms", most: 115 }],
  },
  {
    id: "bufferbloat",
    scenario: path("bufferbloat", 10, 18, 1000, 30, ['algorithm = "cubic"']),
    beside: "",
    guess: { figure: "mean_rtt_ms", choices: [40, 100, 600, 2000] },
    goals: [{ figure: "goodput_mbps", least: 9 }, { figure: "mean_rtt_ms", most: 60 }],
  },
  {
    id: "vegas",
    scenario: path("vegas", 10, 18, 200, 30, ['algorithm = "vegas"']),
    beside: "reno",
    guess: { figure: "mean_queue_packets", choices: [0, 3, 50, 150] },
    goals: [{ figure: "mean_queue_packets", least: 10 }, { figure: "mean_rtt_ms", most: 55 }],
  },
  {
    id: "starvation",
    scenario: path("starvation", 10, 18, 100, 60, ['algorithm = "vegas"', 'algorithm = "reno"']),
    beside: "",
    guess: { figure: "least_share_percent", choices: [50, 25, 5] },
    goals: [{ figure: "least_share_percent", least: 40 }, { figure: "goodput_mbps", least: 9 }],
  },
  {
    id: "start",
    scenario: path("start", 50, 48, 100, 20, ['algorithm = "vegas"\ninitial_window = 2']),
    beside: "",
    guess: { figure: "goodput_mbps", choices: [10, 25, 40, 48] },
    goals: [{ figure: "goodput_mbps", least: 35 }, { figure: "retransmitted_segments", most: 20 }],
  },
  {
    id: "own",
    scenario: path("own", 20, 28, 150, 30, ['algorithm = "reno"']),
    beside: "vegas",
    guess: { figure: "mean_queue_packets", choices: [5, 75, 145] },
    goals: [{ figure: "own_flows", least: 1 }, { figure: "goodput_mbps", least: 17.5 }, { figure: "mean_rtt_ms", most: 70 }],
  },
];

export function valueOf(run: Run, figure: Figure): number {
  return FIGURES[figure](run);
}

/** Whether a guess is the choice nearest to the value, or within a tenth of it. */
export function isRight({ guess: { choices } }: Lesson, guess: number, value: number): boolean {
  if (choices.length === 0) return Math.abs(guess - value) <= value / 10;
  return choices.every((choice) => Math.abs(guess - value) <= Math.abs(choice - value));
}

/** How far a run reaches a goal, from 0 to 1. */
export function reached(run: Run, { figure, least, most }: Goal): number {
  const value = valueOf(run, figure);
  const parts = [least === undefined ? 1 : value / least, most === undefined || value === 0 ? 1 : most / value];
  return Math.max(0, Math.min(1, ...parts)) || 0;
}

/** Points for a run: 100 where it reaches all goals. */
export function score(run: Run, goals: Goal[]): number {
  return Math.floor(100 * Math.min(...goals.map((goal) => reached(run, goal))));
}

function total(summary: Summary, column: string): number {
  return summary.flows.reduce((sum, flow) => sum + Number(flow[column]), 0);
}

function isOwn(document: Json, flow: number): boolean {
  const algorithm = at(document, `flow.${flow}.algorithm`) ?? null;
  return at(algorithm, "javascript") !== undefined || at(algorithm, "wasm") !== undefined;
}
