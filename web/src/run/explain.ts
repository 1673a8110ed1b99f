// Explains in a sentence or two, for a student, what happens at the marked time.

import { figure, flowName } from "./charts";
import type { Moment } from "./path";
import { PathPicture } from "./path";
import { type Description, phases } from "../protocol";
import { rowAt, type Series } from "./series";

export function explanation(description: Description, series: Series, moment: Moment, at_s: number): string {
  const shares = [...moment.shares].sort((one, other) => other.share - one.share);
  const flow = shares[0]?.flow ?? 0;
  const bytes = description.flows[flow]?.wire_bytes ?? 0;
  const parts = [ofFlow(description, series, flow, at_s), ofQueue(moment, bytes), ofDots(moment)];
  return parts.filter(Boolean).join(" ");
}

/** Describes the behaviour of the flow with the largest share. */
function ofFlow(description: Description, series: Series, flow: number, at_s: number): string {
  const track = series.flows[flow];
  const row = track ? rowAt(track.time_s, at_s) : -1;
  if (!track || row < 0) return "Nothing has been sent yet.";
  const name = description.flows.length > 1 ? `Flow ${flowName(description, flow)}` : `The flow (${flowName(description, flow)})`;
  const window = figure(track.cwnd_segments[row] as number);
  if (description.flows[flow]?.algorithm === "you") return `Your window is ${window} segments.`;
  const doing = WHAT[phases[track.phase[row] as number] ?? "idle"];
  return `${name} ${doing}; its window is ${window} segments.`;
}

const WHAT: Record<(typeof phases)[number], string> = {
  "idle": "has nothing to send",
  "slow start": "is in slow start and looks for the path's rate by doubling its window",
  "congestion avoidance": "is in congestion avoidance and changes its window by a segment a round trip at most",
  "recovery": "has lost packets and repairs the loss",
};

/** The waiting data, in packets of that many bytes. */
function ofQueue(moment: Moment, bytes: number): string {
  const part = moment.throughput_mbps / moment.rate_mbps;
  const link = moment.link.replace("->", " → ");
  if (moment.drops > 0) return `The queue of ${link} overflowed: ${moment.drops === 1 ? "1 packet was" : `${moment.drops} packets were`} lost in this step.`;
  if (moment.waiting === 0 && part < 0.95) return `No packet waits at ${link}: it carries ${percent(part)} of what it could.`;
  if (moment.waiting === 0) return `${link} is full, and no packet waits: what one hopes for.`;
  const wait_ms = (moment.waiting * bytes * 8) / (moment.rate_mbps * 1000);
  const waiting = moment.waiting === 1 ? "1 packet waits" : `${moment.waiting} packets wait`;
  return `${waiting} at ${link}, which adds about ${figure(wait_ms)} ms to the round trip and nothing to the rate.`;
}

function ofDots(moment: Moment): string {
  const packets = PathPicture.packetsADot(moment);
  return packets > 1 ? `One dot is ${packets} packets.` : "";
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}
