// Explains in a sentence or two, for a student, what happens at the marked time.

import { figure, flowName } from "./charts";
import type { Moment } from "./path";
import { PathPicture } from "./path";
import { type Description, phases } from "../protocol";
import { rowAt, type Series } from "./series";
import { texts } from "../page/language";

const words = texts.explain;

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
  if (!track || row < 0) return words.nothing;
  const name = (description.flows.length > 1 ? words.several : words.one)(flowName(description, flow));
  const window = figure(track.cwnd_segments[row] as number);
  if (description.flows[flow]?.algorithm === "you") return words.you(window);
  const doing = words.doing[phases[track.phase[row] as number] ?? "idle"];
  return words.window(name, doing, window);
}

/** The waiting data, in packets of that many bytes. */
function ofQueue(moment: Moment, bytes: number): string {
  const part = moment.throughput_mbps / moment.rate_mbps;
  const link = moment.link.replace("->", " → ");
  if (moment.drops > 0) return words.overflow(link, moment.drops);
  if (moment.waiting === 0 && part < 0.95) return words.idle(link, Math.round(part * 100));
  if (moment.waiting === 0) return words.full(link);
  const wait_ms = (moment.waiting * bytes * 8) / (moment.rate_mbps * 1000);
  return words.waiting(link, moment.waiting, figure(wait_ms));
}

function ofDots(moment: Moment): string {
  const packets = PathPicture.packetsADot(moment);
  return packets > 1 ? words.dot(packets) : "";
}
