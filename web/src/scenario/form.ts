// The scenario as a form: a link's rate, delay and queue, the flows and their algorithms. Every change is an edit of
// the text.

import { flowProperty } from "../page/colours";
import { element, term } from "../page/elements";
import { at, quantity, tableOfLink } from "./keys";
import type { Description, Edit, Json, Preset } from "../protocol";
import { texts } from "../page/language";

const words = texts.form;
type Term = typeof words.rate;

/** Stands in place of a preset's name for an algorithm that the reader is about to write. */
export const WRITE_OWN = "own…";

/** The greatest number of flows that the form shows one by one; it adds no more. */
const FLOWS_MAX = 20;

export interface FormEvents {
  edit(edits: Edit[]): void;
  link(id: string): void;
  /** Gives a flow a preset, one of the reader's algorithms, or [`WRITE_OWN`]. */
  algorithm(flow: number, name: string): void;
  beside(algorithm: string): void;
}

interface Slider {
  row: HTMLElement;
  input: HTMLInputElement;
  output: HTMLOutputElement;
}

export class Form {
  private readonly link = element("select", { id: "link" });
  private readonly beside = element("select", { id: "beside" });
  private readonly rate: Slider;
  private readonly delay: Slider;
  private readonly queue: Slider;
  private readonly count: Slider;
  private readonly flows = element("ul", { class: "flows", "aria-label": words.flows.name });
  private description: Description | undefined;
  private watched = 0;
  /** The reader's algorithms. */
  private own: string[] = [];

  constructor(
    container: HTMLElement,
    private readonly presets: Preset[],
    private readonly events: FormEvents,
  ) {
    this.rate = this.logarithmic(words.rate, -1, 4, (value) => this.setOfLink("rate", `${round(value)}mbit`));
    this.delay = this.logarithmic(words.delay, -1, 3, (value) => this.setOfLink("delay", `${round(value)}ms`));
    this.queue = this.logarithmic(words.queue, 0, 4, (value) => this.setOfLink("queue", `${Math.round(value)}p`));
    this.count = slider(words.flows, { min: "1", max: String(FLOWS_MAX), step: "1" }, (input) => this.setCount(Number(input.value)));
    this.link.addEventListener("change", () => this.events.link(this.link.value));
    this.beside.addEventListener("change", () => this.events.beside(this.beside.value));
    container.append(
      element("label", {}, `${words.link} `, this.link),
      this.rate.row,
      this.delay.row,
      this.queue.row,
      this.count.row,
      this.flows,
      element("label", {}, `${words.beside} `, this.beside),
    );
  }

  /** Shows a checked scenario; `watched` is the link that the page shows, `own` are the reader's algorithms. */
  show(description: Description, watched: number, beside: string, own: string[]): void {
    this.description = description;
    this.watched = watched;
    this.own = own;
    this.beside.replaceChildren(element("option", { value: "" }, words.nothing), ...this.options());
    this.beside.value = beside;
    this.link.replaceChildren(
      ...description.links.map(({ id }, link) => {
        const option = element("option", { value: id }, id.replace("->", " → "));
        option.selected = link === watched;
        return option;
      }),
    );
    this.showLink(description);
    this.showFlows(description);
  }

  private showLink(description: Description): void {
    const table = tableOfLink(description, this.watched);
    const value = (key: string) => (table === null ? undefined : at(description.document, `${table}.${key}`));
    show(this.rate, quantity(value("rate"), "mbit"), (rate) => `${round(rate)} Mb/s`);
    show(this.delay, quantity(value("delay"), "ms"), (delay) => `${round(delay)} ms`);
    show(this.queue, quantity(value("queue.limit") ?? value("queue"), "p"), words.packets);
  }

  private showFlows(description: Description): void {
    const count = description.flows.length;
    this.count.input.value = String(count);
    this.count.output.value = String(count);
    this.count.input.disabled = count > FLOWS_MAX;
    const focused = document.activeElement?.id;
    this.flows.replaceChildren(...description.flows.slice(0, FLOWS_MAX).map((_, flow) => this.flowRow(description, flow)));
    // a change rebuilds the rows, and one of them has the reader's focus
    if (focused?.startsWith("flow-")) document.getElementById(focused)?.focus();
  }

  private flowRow(description: Description, flow: number): HTMLElement {
    const given = at(description.document, `flow.${flow}.algorithm`);
    const select = element("select", { id: `flow-${flow}`, "aria-label": words.algorithm(flow) }, ...this.options());
    const name = nameOf(given);
    if (name === null) select.prepend(element("option", { selected: "" }, words.parts));
    else select.value = name;
    select.addEventListener("change", () => this.events.algorithm(flow, select.value));
    const remove = element("button", { type: "button", "aria-label": words.remove(flow), title: words.remove(flow) }, "×");
    remove.disabled = description.flows.length === 1;
    remove.addEventListener("click", () => this.events.edit([{ remove: { key: `flow.${flow}` } }]));
    const add = element("button", { type: "button", "aria-label": words.add(flow), title: words.add(flow) }, "+");
    add.disabled = description.flows.length >= FLOWS_MAX;
    add.addEventListener("click", () => this.events.edit([{ copy: { key: `flow.${flow}` } }]));
    const chip = element("span", { class: "chip", style: `--line: ${flowProperty(flow)}` }, `${words.flow} ${flow}`);
    const start = description.flows[flow]?.start_s ?? 0;
    return element("li", {}, chip, select, element("small", {}, start > 0 ? words.from(round(start)) : ""), add, remove);
  }

  private setCount(count: number): void {
    const now = this.description?.flows.length ?? 1;
    const last = (offset: number) => `flow.${now - 1 - offset}`;
    const edits: Edit[] =
      count > now
        ? Array.from({ length: count - now }, () => ({ copy: { key: last(0) } }))
        : Array.from({ length: now - count }, (_, offset) => ({ remove: { key: last(offset) } }));
    if (edits.length > 0) this.events.edit(edits);
  }

  private setOfLink(key: "rate" | "delay" | "queue", value: string): void {
    if (!this.description) return;
    const table = tableOfLink(this.description, this.watched);
    if (table === null) return;
    const isManaged = key === "queue" && typeof at(this.description.document, `${table}.queue`) === "object";
    this.events.edit([{ set: { key: `${table}.${key}${isManaged ? ".limit" : ""}`, value } }]);
  }

  /** A slider from 10^from to 10^to. */
  private logarithmic(name: Term, from: number, to: number, changed: (value: number) => void): Slider {
    const range = { min: String(from), max: String(to), step: "0.01" };
    return slider(name, range, (input) => changed(twoDigits(10 ** Number(input.value))));
  }

  private options(): HTMLElement[] {
    const own = [...this.own, WRITE_OWN].map((name) => element("option", { value: name }, name));
    return [
      ...this.presets.map(({ name, summary }) => element("option", { value: name, title: summary }, name)),
      element("optgroup", { label: words.own }, ...own),
    ];
  }
}

/** The scenario's name for a flow's algorithm: a preset, or one of the reader's; null for a table of parts. */
export function nameOf(algorithm: Json | undefined): string | null {
  if (typeof algorithm === "string") return algorithm;
  const own = algorithm !== undefined ? (at(algorithm, "javascript") ?? at(algorithm, "wasm")) : undefined;
  return typeof own === "string" ? own : null;
}

function slider(name: Term, range: Record<string, string>, changed: (input: HTMLInputElement) => void): Slider {
  const input = element("input", { type: "range", "aria-label": name.name, ...range });
  // the slider announces its value itself
  const output = element("output", { "aria-live": "off" });
  input.addEventListener("input", () => changed(input));
  return { row: element("div", { class: "slider" }, term(name), input, output), input, output };
}

/** Shows a value on a logarithmic slider, unless the reader is dragging it; null means that it is no plain quantity.
 * */
function show({ input, output }: Slider, value: number | null, text: (value: number) => string): void {
  input.disabled = value === null;
  output.value = value === null ? words.inFile : text(value);
  input.setAttribute("aria-valuetext", output.value);
  const isAtIt = value !== null && twoDigits(10 ** Number(input.value)) === twoDigits(value);
  if (value !== null && !isAtIt) input.value = String(Math.log10(value));
}

/** Rounds values to two digits, as people would write them. */
function twoDigits(value: number): number {
  return Number(value.toPrecision(2));
}

function round(value: number): string {
  return String(Number(value.toPrecision(4)));
}
