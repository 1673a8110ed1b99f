// A run's rows as columns, one track for each flow or link, up to the computed time.

import { flowColumnCount, flowColumns, linkColumnCount, linkColumns, type Rows } from "../protocol";

/** The columns of one flow or link; `time_s` ascends. */
export type Track<Name extends string> = Record<Name, number[]>;
export type FlowTrack = Track<keyof typeof flowColumns>;
export type LinkTrack = Track<keyof typeof linkColumns>;

export class Series {
  readonly flows: FlowTrack[];
  readonly links: LinkTrack[];

  constructor(flows: number, links: number) {
    this.flows = Array.from({ length: flows }, () => empty(flowColumns));
    this.links = Array.from({ length: links }, () => empty(linkColumns));
  }

  add(rows: Rows): void {
    append(this.flows, rows.flows, flowColumns, flowColumnCount, flowColumns.flow);
    append(this.links, rows.links, linkColumns, linkColumnCount, linkColumns.link);
  }
}

function empty<Name extends string>(columns: Record<Name, number>): Track<Name> {
  return Object.fromEntries(Object.keys(columns).map((name) => [name, []])) as unknown as Track<Name>;
}

function append<Name extends string>(
  tracks: Track<Name>[],
  rows: Float64Array,
  columns: Record<Name, number>,
  width: number,
  id: number,
): void {
  const entries = Object.entries(columns) as [Name, number][];
  for (let at = 0; at < rows.length; at += width) {
    const track = tracks[rows[at + id] as number];
    if (!track) continue;
    for (const [name, column] of entries) track[name].push(rows[at + column] as number);
  }
}

/** The index of the newest row at or before a time; -1 before the first. */
export function rowAt(time_s: readonly number[], at_s: number): number {
  let low = 0;
  let high = time_s.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((time_s[middle] as number) <= at_s) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Tracks on one time axis, in uPlot's form; null where a track has no row, or no value in it. */
export function aligned(tracks: { time_s: number[]; values: number[] }[]): (number | null)[][] {
  const [first] = tracks;
  if (!first) return [[]];
  if (tracks.every((track) => haveSameTimes(track.time_s, first.time_s))) {
    return [first.time_s, ...tracks.map((track) => track.values.map(present))];
  }
  const times = [...new Set(tracks.flatMap((track) => track.time_s))].sort((a, b) => a - b);
  const rowOf = new Map(times.map((time, row) => [time, row]));
  const columns = tracks.map((track) => {
    const column: (number | null)[] = new Array(times.length).fill(null);
    // of several rows at one instant the last counts
    track.time_s.forEach((time, row) => (column[rowOf.get(time) as number] = present(track.values[row] as number)));
    return column;
  });
  return [times, ...columns];
}

function haveSameTimes(one: number[], other: number[]): boolean {
  return one === other || (one.length === other.length && one.every((time, row) => time === other[row]));
}

function present(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
