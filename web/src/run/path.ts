// The path as a picture: packets in flight and in the queue of one link, at the marked time.

import { flowColour, themeColour } from "../page/colours";
import type { Description } from "../protocol";
import { rowAt, type Series } from "./series";
import { texts } from "../page/language";

/** The values that the picture shows. */
export interface Moment {
  /** Data packets in flight before and after the queue, of all flows. */
  underWay: number;
  waiting: number;
  limit: number | null;
  /** The share of the throughput of each flow that sends. */
  shares: { flow: number; share: number }[];
  throughput_mbps: number;
  rate_mbps: number;
  link: string;
  drops: number;
}

export function momentAt(description: Description, series: Series, link: number, at_s: number): Moment | null {
  const described = description.links[link];
  const track = series.links[link];
  const row = track ? rowAt(track.time_s, at_s) : -1;
  if (!described || !track || row < 0) return null;
  const flows = description.flows.flatMap(({ path }, flow) => {
    const own = series.flows[flow];
    const at = own && path.includes(link) ? rowAt(own.time_s, at_s) : -1;
    return own && at >= 0 ? [{ flow, rate: own.throughput_mbps[at] as number, inFlight: own.in_flight_segments[at] as number }] : [];
  });
  const total = flows.reduce((sum, { rate }) => sum + rate, 0);
  const inFlight = flows.reduce((sum, flow) => sum + flow.inFlight, 0);
  const waiting = track.queue_packets[row] as number;
  return {
    underWay: Math.max(0, inFlight - waiting),
    waiting,
    limit: described.queue_packets,
    shares: total > 0 ? flows.map(({ flow, rate }) => ({ flow, share: rate / total })) : [],
    throughput_mbps: track.throughput_mbps[row] as number,
    rate_mbps: described.rate_mbps,
    link: described.id,
    drops: (track.drops[row] as number) - (row > 0 ? (track.drops[row - 1] as number) : 0),
  };
}

/** The greatest number of dots on the whole path; beyond it, a dot stands for several packets. */
const DOTS_MAX = 56;
const QUEUE_DOTS_MAX = 60;
const HEIGHT = 132;

export class PathPicture {
  /** The progress of the dots, as a fraction of the path. */
  private phase = 0;
  private readonly still = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(private readonly canvas: HTMLCanvasElement) {}

  /** Draws a moment; `passed_s` of the reader's time moves the dots. */
  draw(moment: Moment, passed_s: number): void {
    if (!this.still.matches) this.phase = (this.phase + passed_s * 0.12 * Math.min(1, moment.throughput_mbps / moment.rate_mbps + 0.02)) % 1;
    const width = this.canvas.clientWidth;
    const scale = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * scale)) this.canvas.width = Math.round(width * scale);
    if (this.canvas.height !== Math.round(HEIGHT * scale)) this.canvas.height = Math.round(HEIGHT * scale);
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, HEIGHT);
    new Drawing(context, width, this.phase).all(moment);
  }

  /** The number of packets that one dot stands for. */
  static packetsADot(moment: Moment): number {
    return Math.max(1, Math.ceil(moment.underWay / DOTS_MAX), Math.ceil(moment.waiting / QUEUE_DOTS_MAX));
  }
}

/** Draws one frame: hosts at both ends, the router with its queue between them, data above, acknowledgements below.
 * */
class Drawing {
  private readonly data = 50;
  private readonly back = 104;
  private readonly left = 48;
  private readonly right: number;
  private readonly router: number;
  private readonly soft = themeColour("--text-soft");

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly width: number,
    private readonly phase: number,
  ) {
    this.right = width - 48;
    this.router = this.left + (this.right - this.left) * 0.42;
  }

  all(moment: Moment): void {
    this.pipe(this.left, this.right, this.data);
    this.pipe(this.left, this.right, this.back);
    this.dots(moment);
    this.queue(moment);
    this.host(this.left - 24, texts.picture.sender);
    this.host(this.right + 24, texts.picture.receiver);
    this.text(texts.picture.data, (this.router + this.right) / 2 + 20, this.data - 16);
    this.text(texts.picture.acknowledgements, this.right - 64, this.back + 20);
  }

  private pipe(from: number, to: number, y: number): void {
    this.context.strokeStyle = themeColour("--pipe");
    this.context.lineWidth = y === this.data ? 14 : 6;
    this.context.lineCap = "round";
    this.context.beginPath();
    this.context.moveTo(from, y);
    this.context.lineTo(to, y);
    this.context.stroke();
  }

  private host(x: number, name: string): void {
    this.context.fillStyle = themeColour("--node");
    this.context.beginPath();
    this.context.roundRect(x - 20, this.data - 16, 40, this.back - this.data + 32, 8);
    this.context.fill();
    this.context.save();
    this.context.translate(x, (this.data + this.back) / 2);
    this.context.rotate(-Math.PI / 2);
    this.words(name, 0, 4, themeColour("--on-node"));
    this.context.restore();
  }

  /** Draws data and acknowledgements evenly spaced: each has half of the packets in flight. */
  private dots(moment: Moment): void {
    const packets = PathPicture.packetsADot(moment);
    const count = Math.round(moment.underWay / packets);
    for (let dot = 0; dot < count; dot += 1) {
      const part = (dot / count + this.phase) % 1;
      this.context.fillStyle = flowColour(ofShare(moment, (dot * 0.618) % 1));
      const isData = part < 0.5;
      const x = isData
        ? this.left + (this.right - this.left) * part * 2
        : this.right - (this.right - this.left) * (part - 0.5) * 2;
      this.circle(x, isData ? this.data : this.back, isData ? 4 : 2.2);
    }
  }

  /** Draws the waiting packets in rows before the router's exit, the newest on top. */
  private queue(moment: Moment): void {
    const packets = PathPicture.packetsADot(moment);
    const count = Math.ceil(moment.waiting / packets);
    const size = 8;
    const edge = this.router + 8;
    const columns = Math.max(4, Math.min(12, Math.floor((edge - this.left) / size) - 2));
    this.context.fillStyle = themeColour("--node");
    this.context.beginPath();
    this.context.roundRect(edge - 2, this.data - 20, 34, 40, 6);
    this.context.fill();
    for (let dot = 0; dot < count; dot += 1) {
      this.context.fillStyle = flowColour(ofShare(moment, (dot * 0.618) % 1));
      const x = edge - 10 - (dot % columns) * size;
      const y = this.data - 10 - Math.floor(dot / columns) * size;
      this.context.fillRect(x, y, size - 2, size - 2);
    }
    this.text(texts.picture.waiting(moment.link.replace("->", " → "), moment.waiting, moment.limit), edge + 15, this.data + 34);
  }

  private circle(x: number, y: number, radius: number): void {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.context.fill();
  }

  /** Writes text into the picture. */
  private text(words: string, x: number, y: number): void {
    this.words(words, Math.min(Math.max(x, 30), this.width - 30), y, this.soft);
  }

  private words(words: string, x: number, y: number, colour: string): void {
    this.context.fillStyle = colour;
    this.context.font = "12px system-ui, sans-serif";
    this.context.textAlign = "center";
    this.context.fillText(words, x, y);
  }
}

/** The flow to which a number from 0 to 1 belongs, by the flows' shares. */
function ofShare(moment: Moment, part: number): number {
  let sum = 0;
  for (const { flow, share } of moment.shares) {
    sum += share;
    if (part < sum) return flow;
  }
  return moment.shares[0]?.flow ?? 0;
}
