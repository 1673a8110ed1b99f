// "You are the congestion control": the reader sets the first flow's window, beside a run with the flow's preset.

import { byId, element } from "../page/elements";
import { texts } from "../page/language";

const words = texts.hand;

/** The widest window of the wheel, segments. */
const WINDOW_MAX = 4000;

export interface HandEvents {
  toggle(isOn: boolean): void;
  steer(segments: number): void;
}

export class Hand {
  private readonly button = byId<HTMLButtonElement>("hand");
  private readonly panel = byId("hand-panel");
  private readonly wheel = element("input", {
    type: "range",
    id: "wheel",
    min: "0",
    max: String(Math.log10(WINDOW_MAX)),
    step: "0.005",
  });
  private readonly output = element("output", { "for": "wheel", "aria-live": "off" });

  constructor(private readonly events: HandEvents) {
    this.button.addEventListener("click", () => this.events.toggle(this.panel.hidden !== false));
    this.wheel.addEventListener("input", () => this.turn());
    const label = element("label", { class: "wheel" }, element("b", {}, `${words.window} `), this.wheel, this.output);
    this.panel.append(label, element("p", { class: "hint" }, words.hint));
  }

  get window(): number {
    return Math.round(10 ** Number(this.wheel.value));
  }

  /** Shows whether the reader steers; the wheel then begins at a window of ten. */
  show(isOn: boolean): void {
    const isNew = isOn && this.panel.hidden;
    this.panel.hidden = !isOn;
    this.button.setAttribute("aria-pressed", String(isOn));
    this.button.textContent = isOn ? words.end : words.begin;
    if (!isNew) return;
    this.wheel.value = "1";
    this.turn();
    this.wheel.focus();
  }

  private turn(): void {
    this.output.value = words.segments(this.window);
    this.wheel.setAttribute("aria-valuetext", this.output.value);
    this.events.steer(this.window);
  }
}
