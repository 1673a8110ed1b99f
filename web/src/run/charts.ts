// The four charts of a run: window, round-trip time, queue, throughput.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { flowColour, themeColour } from "../page/colours";
import { element, term } from "../page/elements";
import type { Description } from "../protocol";
import { aligned, rowAt, type Series } from "./series";
import { texts } from "../page/language";

const words = texts.charts;

/** The greatest number of lines that a reader can distinguish. */
export const FLOWS_DRAWN_MAX = 8;

interface Line {
  label: string;
  colour: string;
  dash?: number[];
  time_s: number[];
  values: number[];
}

interface Kind {
  words: typeof words.window;
  lines(series: Series, description: Description, link: number): Line[];
}

const KINDS: Kind[] = [
  { words: words.window, lines: (series, description) => ofFlows(series, description, "cwnd_segments") },
  { words: words.rtt, lines: (series, description) => ofFlows(series, description, "rtt_ms") },
  { words: words.queue, lines: ofQueue },
  { words: words.throughput, lines: (series, description) => ofFlows(series, description, "throughput_mbps") },
];

function ofFlows(
  series: Series,
  description: Description,
  column: "cwnd_segments" | "rtt_ms" | "throughput_mbps",
): Line[] {
  return series.flows.slice(0, FLOWS_DRAWN_MAX).map((track, flow) => ({
    label: flowName(description, flow),
    colour: flowColour(flow),
    time_s: track.time_s,
    values: track[column],
  }));
}

function ofQueue(series: Series, description: Description, link: number): Line[] {
  const track = series.links[link];
  const described = description.links[link];
  if (!track || !described) return [];
  const lines: Line[] = [
    { label: words.mostInStep, colour: themeColour("--faint"), time_s: track.time_s, values: track.max_queue_packets },
    { label: described.id, colour: themeColour("--queue"), time_s: track.time_s, values: track.queue_packets },
  ];
  return lines;
}

export function flowName(description: Description, flow: number): string {
  const algorithm = description.flows[flow]?.algorithm ?? "";
  return description.flows.length > 1 ? `${flow}: ${algorithm}` : algorithm;
}

/** The greatest value of each chart in each run: runs side by side have equal scales. */
export class Scales {
  private readonly most = new Map<Charts, number[]>();

  set(charts: Charts, chart: number, most: number): void {
    const own = this.most.get(charts) ?? [];
    own[chart] = most;
    this.most.set(charts, own);
  }

  forget(charts: Charts): void {
    this.most.delete(charts);
  }

  top(chart: number): number {
    return Math.max(0, ...[...this.most.values()].map((own) => own[chart] ?? 0));
  }
}

/** The charts of one run. */
export class Charts {
  private readonly drawn: { kind: Kind; plot: uPlot; legend: HTMLElement; frame: HTMLElement }[] = [];
  private description: Description | undefined;
  private series: Series | undefined;
  private link = 0;
  private cursor_s: number | null = null;
  /** The time under the pointer; null while the pointer is elsewhere. */
  private pointed_s: number | null = null;
  /** The last seconds of the run that are shown, up to this time; Infinity: all. */
  private shown = { span_s: Infinity, until_s: 0 };

  constructor(
    private readonly container: HTMLElement,
    private readonly scales: Scales,
  ) {
    new ResizeObserver(() => this.resize()).observe(container);
  }

  /** Shows another run. */
  show(description: Description, series: Series, link: number): void {
    const isSame =
      this.description?.flows.length === description.flows.length &&
      this.description.flows.every((flow, id) => flow.algorithm === description.flows[id]?.algorithm);
    this.description = description;
    this.series = series;
    this.link = link;
    if (!isSame || this.drawn.length === 0) this.make();
    this.draw();
  }

  /** Rebuilds the charts for another number of lines, or for other colours. */
  make(): void {
    if (!this.description || !this.series) return;
    for (const { plot } of this.drawn) plot.destroy();
    this.drawn.length = 0;
    this.container.replaceChildren();
    for (const kind of KINDS) this.drawn.push(this.chart(kind, this.description, this.series));
  }

  /** Shows only the last seconds of a run in progress. */
  slide(span_s: number, until_s: number): void {
    this.shown = { span_s, until_s };
  }

  /** Draws the rows that have arrived since the last call. */
  draw(): void {
    if (!this.description || !this.series) return;
    for (const [number, { kind, plot }] of this.drawn.entries()) {
      const lines = kind.lines(this.series, this.description, this.link);
      this.scales.set(this, number, greatest(lines));
      plot.setData(aligned(lines) as uPlot.AlignedData, true);
    }
    this.drawValues();
  }

  /** Marks a time; null removes the mark. */
  mark(at_s: number | null): void {
    if (this.cursor_s === at_s) return;
    const isAtHead = at_s === null;
    const wasAtHead = this.cursor_s === null;
    this.cursor_s = at_s;
    // looking back shows the whole run
    if (isAtHead !== wasAtHead) return this.draw();
    for (const { plot } of this.drawn) plot.redraw(false, false);
    this.drawValues();
  }

  /** The canvases with their titles, for a picture of all charts. */
  pictures(): { title: string; canvas: HTMLCanvasElement }[] {
    return this.drawn.map(({ kind, plot }) => ({ title: `${kind.words.name}, ${kind.words.unit}`, canvas: plot.ctx.canvas }));
  }

  private chart(kind: Kind, description: Description, series: Series) {
    const legend = element("span", { class: "values" });
    const plotted = element("div", { class: "plot", role: "img" });
    const title = element("figcaption", {}, element("b", {}, term(kind.words)), ` ${kind.words.unit} `, legend);
    const frame = element("figure", { class: "chart" }, title, plotted);
    this.container.append(frame);
    const lines = kind.lines(series, description, this.link);
    const plot = new uPlot(this.options(kind, lines, plotted), [[]], plotted);
    return { kind, plot, legend, frame: plotted };
  }

  private options(kind: Kind, lines: Line[], frame: HTMLElement): uPlot.Options {
    const axis = { stroke: themeColour("--text-soft"), grid: { stroke: themeColour("--grid"), width: 1 }, ticks: { show: false } };
    return {
      width: frame.clientWidth || 300,
      height: 170,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: "time" }, drag: { x: false, y: false }, points: { size: 6 } },
      scales: {
        x: { time: false, range: () => this.range_s() },
        y: { range: () => [0, Math.max(this.scales.top(KINDS.indexOf(kind)) * 1.08, 1)] },
      },
      axes: [
        { ...axis, size: 24, space: 70, values: (_, times) => times.map((time) => `${time} s`) },
        { ...axis, size: 52, space: 32 },
      ],
      series: [
        {},
        ...lines.map(({ label, colour }) => ({ label, stroke: colour, width: 1.6, spanGaps: true, points: { show: false } })),
      ],
      hooks: { draw: [(plot) => this.drawMark(plot)], setCursor: [(plot) => this.point(plot)] },
    };
  }

  private range_s(): [number, number] {
    const duration_s = this.description?.duration_s ?? 1;
    const { span_s, until_s } = this.shown;
    if (span_s >= duration_s || this.cursor_s !== null) return [0, duration_s];
    const end_s = Math.max(span_s, until_s);
    return [end_s - span_s, end_s];
  }

  private point(plot: uPlot): void {
    const { left } = plot.cursor;
    this.pointed_s = left === undefined || left < 0 ? null : plot.posToVal(left, "x");
    this.drawValues();
  }

  private drawMark(plot: uPlot): void {
    if (this.cursor_s === null) return;
    const x = Math.round(plot.valToPos(this.cursor_s, "x", true));
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = themeColour("--mark");
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  /** Shows the values under the pointer, or else at the mark, beside each chart's title, and sets them as its name
   * for screen readers. */
  private drawValues(): void {
    const { description, series } = this;
    if (!description || !series) return;
    const at_s = this.pointed_s ?? this.cursor_s;
    const [from, to] = this.range_s().map((time_s) => String(Number(time_s.toFixed(1)))) as [string, string];
    for (const { kind, legend, frame } of this.drawn) {
      const values = kind.lines(series, description, this.link).map((line) => {
        const row = at_s === null ? line.time_s.length - 1 : rowAt(line.time_s, at_s);
        const value = row < 0 ? Number.NaN : (line.values[row] as number);
        return { ...line, text: `${line.label} ${Number.isNaN(value) ? "–" : figure(value)}` };
      });
      legend.replaceChildren(...values.map(({ text, colour }) => element("span", { style: `--line: ${colour}` }, text)));
      frame.setAttribute("aria-label", `${words.label(kind.words.name, kind.words.unit, from, to)}; ${values.map(({ text }) => text).join(", ")}`);
    }
  }

  private resize(): void {
    for (const { plot, frame } of this.drawn) {
      if (frame.clientWidth > 0 && frame.clientWidth !== plot.width) plot.setSize({ width: frame.clientWidth, height: plot.height });
    }
  }
}

function greatest(lines: Line[]): number {
  let most = 0;
  for (const { values } of lines) for (const value of values) if (value > most) most = value;
  return most;
}

/** A value with three digits; a whole number stays whole. */
export function figure(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 3)).replace(".", texts.decimalSign);
}
