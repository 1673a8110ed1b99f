// "You are the congestion control": the reader sets the first flow's window, beside a run with the flow's preset.

import { byId, element } from "../elements";

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
    const label = element("label", { class: "wheel" }, element("b", {}, "Your window "), this.wheel, this.output);
    const hint =
      "You send as many segments as your window allows. Fill the path, and keep the queue short: " +
      "a window above rate × round-trip time only waits in the queue, and beyond the queue's end it is lost.";
    this.panel.append(label, element("p", { class: "hint" }, hint));
  }

  get window(): number {
    return Math.round(10 ** Number(this.wheel.value));
  }

  /** Shows whether the reader steers; the wheel then begins at a window of ten. */
  show(isOn: boolean): void {
    const isNew = isOn && this.panel.hidden;
    this.panel.hidden = !isOn;
    this.button.setAttribute("aria-pressed", String(isOn));
    this.button.textContent = isOn ? "Let the algorithm steer" : "You are the congestion control";
    if (!isNew) return;
    this.wheel.value = "1";
    this.turn();
    this.wheel.focus();
  }

  private turn(): void {
    this.output.value = `${this.window} segments`;
    this.wheel.setAttribute("aria-valuetext", this.output.value);
    this.events.steer(this.window);
  }
}
