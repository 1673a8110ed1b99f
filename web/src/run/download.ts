// The files that the reader can save: the scenario, the tables, the picture.

import { themeColour } from "../page/colours";
import { button, byId, save } from "../page/elements";
import type { Side } from "./side";

const TABLES = ["flows", "links", "traffic", "flow_series", "link_series", "incidents"];

/** Fills the menu; `scenario` returns the current text. */
export function offerDownloads(side: Side, sides: () => Side[], scenario: () => string): void {
  const menu = byId<HTMLDetailsElement>("downloads");
  const name = () => side.description?.name ?? "scenario";
  const entry = (label: string, taken: () => void | Promise<void>) => {
    const take = button(label, () => {
      menu.open = false;
      void taken();
    });
    byId("download-list").append(take);
  };
  entry("Scenario (TOML)", () => save(`${name()}.toml`, scenario(), "application/toml"));
  entry("Picture (PNG)", async () => save(`${name()}.png`, await picture(sides()), "image/png"));
  for (const file of TABLES.map((table) => `${table}.csv`)) {
    entry(file, async () => save(`${name()}-${file}`, await side.engine.table(file), "text/csv"));
  }
}

const GAP = 12;
const TITLE = 22;

/** The charts of all sides, one column each. */
async function picture(sides: Side[]): Promise<Blob> {
  const columns = sides.map((side) => ({ side, charts: side.charts.pictures() }));
  const scale = devicePixelRatio || 1;
  const widths = columns.map(({ charts }) => Math.max(...charts.map(({ canvas }) => canvas.width)));
  const heights = columns.map(({ charts }) => charts.reduce((sum, { canvas }) => sum + canvas.height + TITLE * scale, 0));
  const whole = document.createElement("canvas");
  whole.width = widths.reduce((sum, width) => sum + width, 0) + GAP * scale * (widths.length + 1);
  whole.height = Math.max(...heights) + (TITLE + GAP) * scale;
  const context = whole.getContext("2d");
  if (!context) throw new Error("no picture can be drawn here");
  context.fillStyle = themeColour("--page");
  context.fillRect(0, 0, whole.width, whole.height);
  let x = GAP * scale;
  for (const [number, { side, charts }] of columns.entries()) {
    context.fillStyle = themeColour("--text");
    context.font = `600 ${14 * scale}px system-ui, sans-serif`;
    const algorithms = [...new Set(side.description?.flows.map(({ algorithm }) => algorithm))].join(", ");
    context.fillText(`${side.description?.name}: ${algorithms}`, x, TITLE * scale * 0.8);
    let y = TITLE * scale;
    for (const { title, canvas } of charts) {
      context.font = `${12 * scale}px system-ui, sans-serif`;
      context.fillText(title, x, y + TITLE * scale * 0.7);
      context.drawImage(canvas, x, y + TITLE * scale);
      y += canvas.height + TITLE * scale;
    }
    x += (widths[number] as number) + GAP * scale;
  }
  return new Promise((resolve, reject) => {
    whole.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
  });
}
