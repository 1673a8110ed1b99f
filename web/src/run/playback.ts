// Time: pause, speed and scrub. Runs are computed at the chosen speed, and the reader can look again at the computed
// part.

import { byId, element } from "../page/elements";
import type { Pace } from "../engine/engine";
import { explanation } from "./explain";
import { momentAt, PathPicture } from "./path";
import type { Side } from "./side";
import { texts } from "../page/language";

const words = texts.playback;
const SPEEDS: [number, string][] = [
  [Infinity, words.fastest],
  [100, words.faster(100)],
  [10, words.faster(10)],
  [1, words.real],
  [0.1, words.slow],
];
/** The reader's time that the charts of a run at a chosen speed show, s. */
const SHOWN_S = 10;
/** The time in which a finished run is played again where no speed is chosen. */
const REPLAY_S = 12;

export interface PlaybackEvents {
  pace(speed: number): void;
  restart(): void;
}

export class Playback {
  private readonly play = byId<HTMLButtonElement>("play");
  private readonly speed = byId<HTMLSelectElement>("speed");
  private readonly scrub = byId<HTMLInputElement>("scrub");
  private readonly time = byId<HTMLOutputElement>("time");
  private readonly path = new PathPicture(byId<HTMLCanvasElement>("path"));
  private duration_s = 1;
  private isPlaying = true;
  /** The time that the page shows, s; null: the newest. */
  private cursor_s: number | null = null;
  private lastFrame_ms = 0;
  private rest_ms = 0;
  private explained_ms = 0;

  constructor(
    private readonly sides: () => Side[],
    private readonly events: PlaybackEvents,
  ) {
    this.speed.append(...SPEEDS.map(([speed, name]) => element("option", { value: String(speed) }, name)));
    this.speed.addEventListener("change", () => {
      this.tellPace();
      this.events.pace(Number(this.speed.value));
    });
    this.play.addEventListener("click", () => this.toggle());
    byId("restart").addEventListener("click", () => this.events.restart());
    this.scrub.addEventListener("input", () => this.look(Number(this.scrub.value)));
    addEventListener("keydown", (event) => this.onKey(event));
    requestAnimationFrame((now_ms) => this.frame(now_ms));
  }

  setSpeed(speed: number): void {
    if (!SPEEDS.some(([known]) => known === speed)) {
      this.speed.append(element("option", { value: String(speed) }, words.faster(speed)));
    }
    this.speed.value = String(speed);
  }

  /** The pace of a run of this many seconds. */
  begin(duration_s: number): Pace {
    this.duration_s = duration_s;
    this.cursor_s = null;
    this.isPlaying = true;
    this.scrub.max = String(duration_s);
    return this.pace();
  }

  private pace(): Pace {
    return { speed: Number(this.speed.value), paused: !this.isPlaying };
  }

  private tellPace(): void {
    for (const side of this.sides()) side.engine.setPace(this.pace());
  }

  /** The time up to which all sides are computed, s. */
  private head(): number {
    return Math.min(...this.sides().map(({ now_s }) => now_s));
  }

  private isOver(): boolean {
    return this.sides().every(({ summary }) => summary !== undefined);
  }

  private toggle(): void {
    const isAtEnd = this.isOver() && (this.cursor_s === null || this.cursor_s >= this.head());
    this.isPlaying = isAtEnd ? true : !this.isPlaying;
    if (isAtEnd) this.cursor_s = 0;
    this.tellPace();
  }

  private look(at_s: number): void {
    this.cursor_s = at_s >= this.head() ? null : at_s;
    if (this.isOver()) this.isPlaying = false;
  }

  private onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (target.closest("input, select, textarea, [contenteditable]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const step_s = this.duration_s / 100;
    const at_s = this.cursor_s ?? this.head();
    if (event.key === "k") this.toggle();
    else if (event.key === "j") this.look(Math.max(0, at_s - step_s));
    else if (event.key === "l") this.look(at_s + step_s);
  }

  private showButton(): void {
    const isAtEnd = this.isOver() && this.cursor_s === null;
    const label = isAtEnd ? words.again : this.isPlaying ? words.pause : words.play;
    if (this.play.textContent !== label) this.play.textContent = label;
  }

  private frame(now_ms: number): void {
    const passed_s = Math.min(0.1, (now_ms - this.lastFrame_ms) / 1000);
    this.lastFrame_ms = now_ms;
    this.proceed(passed_s);
    this.showButton();
    this.drawCharts(now_ms);
    this.drawMoment(now_ms, this.isPlaying ? passed_s : 0);
    requestAnimationFrame((next_ms) => this.frame(next_ms));
  }

  /** Moves the mark, where it does not follow the computed time. */
  private proceed(passed_s: number): void {
    if (this.cursor_s === null || !this.isPlaying) return;
    const chosen = Number(this.speed.value);
    const speed = chosen === Infinity ? this.duration_s / REPLAY_S : chosen;
    this.cursor_s += passed_s * speed;
    if (this.cursor_s >= this.head()) {
      this.cursor_s = null;
    }
  }

  /** Draws slow charts less often, so that the page stays responsive. */
  private drawCharts(now_ms: number): void {
    const sides = this.sides();
    const isDirty = sides.some((side) => side.isDirty);
    if (!isDirty || (now_ms < this.rest_ms && !this.isOver())) return;
    const begun = performance.now();
    for (const side of sides) side.draw(SHOWN_S * Number(this.speed.value));
    // for tests/measure.mjs, which measures how long the page takes to open
    performance.mark("drawn");
    this.rest_ms = now_ms + 3 * (performance.now() - begun);
  }

  private drawMoment(now_ms: number, passed_s: number): void {
    const at_s = this.cursor_s ?? this.head();
    for (const { charts } of this.sides()) charts.mark(this.cursor_s);
    if (document.activeElement !== this.scrub || this.isPlaying) this.scrub.value = String(at_s);
    this.time.value = words.of(at_s.toFixed(1), this.duration_s);
    this.scrub.setAttribute("aria-valuetext", this.time.value);
    const [side] = this.sides();
    if (!side?.description || !side.series) return;
    const moment = momentAt(side.description, side.series, side.watched, at_s);
    if (!moment) return;
    this.path.draw(moment, passed_s);
    if (now_ms - this.explained_ms < 400) return;
    this.explained_ms = now_ms;
    byId("explanation").textContent = explanation(side.description, side.series, moment, at_s);
  }
}
