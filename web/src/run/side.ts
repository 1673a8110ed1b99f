// One run on the page: an engine, its charts and its totals. A comparison of algorithms has two.

import { Charts, figure, flowName, FLOWS_DRAWN_MAX, type Scales } from "./charts";
import { flowProperty } from "../page/colours";
import { type Child, element, term } from "../page/elements";
import type { Engine, Pace } from "../engine/engine";
import type { Description, Failure, Summary } from "../protocol";
import { Series } from "./series";
import { texts } from "../page/language";

/** Columns of the table of flows, with their titles. */
const words = texts.totals;
const TOTALS: [string, Parameters<typeof term>[0]][] = [
  ["goodput_mbps", words.goodput],
  ["mean_rtt_ms", words.rtt],
  ["mean_cwnd_segments", words.window],
  ["segments_retransmitted", words.retransmitted],
  ["timeouts", words.timeouts],
];

export class Side {
  readonly frame: HTMLElement;
  readonly charts: Charts;
  description: Description | undefined;
  series: Series | undefined;
  summary: Summary | undefined;
  /** The simulated time that the run has reached, s. */
  now_s = 0;
  isDirty = false;

  private readonly title = element("h2");
  private readonly totals = element("div", { class: "totals" });
  /** The link that the page shows. */
  watched = 0;

  constructor(
    readonly engine: Engine,
    scales: Scales,
    /** Receives the end of each run, and the failure if there is one. */
    private readonly ended: (failure: Failure | null) => void,
  ) {
    const charts = element("div", { class: "charts" });
    this.frame = element("section", { class: "side" }, this.title, charts, this.totals);
    this.charts = new Charts(charts, scales);
  }

  /** Runs a scenario; `describes` returns the link to show. */
  run(text: string, hand: number | null, pace: Pace, title: string, linkOf: (description: Description) => number): void {
    this.title.textContent = title;
    this.title.hidden = title === "";
    this.engine.begin(text, hand, pace, {
      begun: (description) => {
        this.description = description;
        this.series = new Series(description.flows.length, description.links.length);
        this.summary = undefined;
        this.now_s = 0;
        this.watched = linkOf(description);
        this.showTotals();
        this.charts.show(description, this.series, this.watched);
        this.isDirty = true;
      },
      rows: (rows, now_s) => {
        this.series?.add(rows);
        this.now_s = now_s;
        this.isDirty = true;
      },
      ended: (summary, now_s) => {
        this.summary = summary;
        this.now_s = now_s;
        this.isDirty = true;
        this.showTotals();
        this.ended(null);
      },
      failed: (failure) => this.ended(failure),
    });
  }

  /** Shows another link. */
  watch(link: number): void {
    this.watched = link;
    if (this.description && this.series) this.charts.show(this.description, this.series, link);
    this.showTotals();
    this.isDirty = true;
  }

  /** Draws the newest rows; while the run is in progress, those of its last `shown_s` seconds. */
  draw(shown_s: number): void {
    this.isDirty = false;
    this.charts.slide(this.summary ? Infinity : shown_s, this.now_s);
    this.charts.draw();
  }

  private showTotals(): void {
    const { description, summary } = this;
    // rows of an earlier run do not belong to this one
    if (!description || !summary) return this.totals.replaceChildren();
    const flows = summary.flows.slice(0, FLOWS_DRAWN_MAX).map((flow, id) => {
      const name = element("span", { class: "chip", style: `--line: ${flowProperty(id)}` }, flowName(description, id));
      return row(element("th", { scope: "row" }, name), TOTALS.map(([column]) => cell(flow[column])));
    });
    const head = row(element("th", { scope: "col" }, words.flow), TOTALS.map(([, named]) => term(named)), "th");
    const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...flows));
    const more = summary.flows.length - FLOWS_DRAWN_MAX;
    const rest = more > 0 ? words.more(FLOWS_DRAWN_MAX, summary.flows.length) : "";
    this.totals.replaceChildren(table, element("p", {}, this.ofLink(description, summary) + rest));
  }

  private ofLink(description: Description, summary: Summary): string {
    const link = summary.links[this.watched];
    if (!link) return "";
    const name = (description.links[this.watched]?.id ?? "").replace("->", " → ");
    const busy = Math.round(Number(link["utilisation"]) * 100);
    const speed = summary.wall_s > 0 ? summary.duration_s / summary.wall_s : 0;
    return (
      words.link(name, busy, cell(link["mean_queue_packets"]), cell(link["drops"])) +
      words.speed(summary.duration_s, figure(summary.wall_s), figure(speed))
    );
  }
}

function row(head: HTMLElement, cells: Child[], kind: "td" | "th" = "td"): HTMLElement {
  const scope: Record<string, string> = kind === "th" ? { scope: "col" } : {};
  return element("tr", {}, head, ...cells.map((content) => element(kind, scope, content)));
}

function cell(value: number | string | null | undefined): string {
  return typeof value === "number" ? figure(value) : (value ?? "–");
}
