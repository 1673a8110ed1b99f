// One panel: its layout, grid and curves.

const INCH = 82;
const NARROW = 600;
const LETTER = 7;
const MARGIN = { right: 14, top: 10, bottom: 22, name: 18 };
const SLANT = Math.cos((35 * Math.PI) / 180);

class Plot {
  constructor(box, panel, axis, last) {
    Object.assign(this, { box, panel, axis, last });
    const section = html(box, "div", { class: "panel" });
    const name = html(section, "p", { class: "name" }, html(null, "b", {}, panel.y));
    if (panel.note) name.append(` ${panel.note}`);
    this.frame = html(section, "div", { class: "plot", role: "group", tabindex: "0", "aria-label": aboutOf(panel) });
    this.drawing = svg(this.frame, "svg", { "aria-hidden": "true" });
    this.reading = new Reading(this);
    this.clip = `clip-${document.querySelectorAll(".plot").length}`;
  }

  // The curves that the legend does not hide. A curve without a label goes with the first labelled one of its colour.
  shown() {
    const { curves } = this.panel;
    const leader = (curve) => curve.label || curves.find((other) => other.label && other.colour === curve.colour)?.label;
    return curves.filter((curve) => !this.axis.off.has(leader(curve)));
  }

  // Sets the y axis and returns the room that its numbers need.
  fit() {
    const { box, panel } = this;
    this.yRange = this.rangeInView();
    const height = panel.height * (box.clientWidth < NARROW ? 0.85 : 1) * INCH;
    this.yTicks = ticks(this.yRange, height / 42, panel.logY, panel.whole);
    this.area = { top: MARGIN.top, bottom: MARGIN.top + height, right: box.clientWidth - MARGIN.right };
    return Math.max(...this.yTicks.map(([, text]) => text.length * LETTER), this.roomForFirstName()) + 12;
  }

  // A slanted name ends below its tick and begins to the left of it.
  roomForFirstName() {
    const { view } = this.axis;
    const place = Math.max(0, Math.ceil(view[0]));
    const slot = this.area.right / (view[1] - view[0]);
    const name = this.panel.xNames[place] ?? "";
    return Math.max(0, name.length * LETTER * SLANT - (place - view[0]) * slot * 0.85);
  }

  rangeInView() {
    const { panel } = this;
    const values = panel.level ? [panel.level[0]] : [];
    for (const curve of this.shown()) {
      if (!curve.inRange || curve.style === "drops") continue;
      const [from, to] = this.inView(curve);
      for (let i = from; i < to; i++) values.push(curve.y[i]);
    }
    const [low, high] = extent(values, panel.logY);
    if (panel.logY) return [low / 1.3, high * 1.3];
    const bottom = panel.fromZero ? Math.min(0, low) : low;
    const spread = high - bottom || (panel.fromZero ? 1 : Math.abs(high) * 0.1) || 1;
    const rows = panel.curves.filter((curve) => curve.style === "drops").length;
    const below = panel.fromZero ? 0 : 0.08 * spread;
    return [low < 0 ? bottom - below : Math.max(0, bottom - below), high + (0.08 + 0.07 * rows) * spread];
  }

  // Rows in view with one more at each side, so that lines leave through the sides; unsorted curves whole.
  inView(curve) {
    curve.sorted ??= curve.x.every((value, i) => i === 0 || curve.x[i - 1] <= value);
    if (!curve.sorted) return [0, curve.x.length];
    const { view } = this.axis;
    const beside = isMark(curve) ? 0 : 1;
    const to = lowerBound(curve.x, view[1] * (1 + 1e-12)) + beside;
    return [Math.max(0, lowerBound(curve.x, view[0]) - beside), Math.min(curve.x.length, to)];
  }

  draw(left) {
    const { area, drawing, panel } = this;
    area.left = left;
    this.x = scale(this.axis.view, area.left, area.right, panel.logX);
    this.y = scale(this.yRange, area.bottom, area.top, panel.logY);
    drawing.replaceChildren();
    const height = area.bottom + this.drawGrid() + (this.last ? MARGIN.name : 0);
    drawing.setAttribute("viewBox", `0 0 ${this.box.clientWidth} ${height}`);
    drawing.setAttribute("height", height);
    if (this.last) this.drawXName(height);
    const curves = this.shown();
    const lines = this.clipped();
    for (const curve of curves.filter((one) => !isMark(one))) drawLine(this, lines, curve);
    if (panel.level) this.drawLevel();
    for (const curve of curves.filter(isMark)) drawMarks(this, curve);
  }

  drawXName(height) {
    const { left, right } = this.area;
    svg(this.drawing, "text", { class: "x-name", x: (left + right) / 2, y: height - 5, "text-anchor": "middle" }, this.panel.x);
  }

  // A group that shows nothing outside of the area.
  clipped() {
    const { left, right, top, bottom } = this.area;
    const clipping = svg(svg(this.drawing, "defs"), "clipPath", { id: this.clip });
    svg(clipping, "rect", { x: left, y: top - 1, width: Math.max(0, right - left), height: bottom - top + 2 });
    return svg(this.drawing, "g", { "clip-path": `url(#${this.clip})` });
  }

  // Returns the room that what is written below the axis needs.
  drawGrid() {
    const { area, y } = this;
    const grid = svg(this.drawing, "g", { class: "grid" });
    for (const [value, text] of this.yTicks) {
      svg(grid, "line", { x1: area.left, x2: area.right, y1: y(value), y2: y(value) });
      svg(grid, "text", { x: area.left - 6, y: y(value) + 4, "text-anchor": "end" }, text);
    }
    return this.panel.xNames.length ? this.drawNames(grid) : this.drawXTicks(grid);
  }

  drawXTicks(grid) {
    const { area, x } = this;
    let free = -Infinity;
    for (const [value, text] of ticks(this.axis.view, (area.right - area.left) / 80, this.panel.logX)) {
      svg(grid, "line", { x1: x(value), x2: x(value), y1: area.top, y2: area.bottom });
      const half = (text.length * LETTER) / 2;
      if (x(value) - half < free) continue;
      svg(grid, "text", { x: x(value), y: area.bottom + 16, "text-anchor": "middle" }, text);
      free = x(value) + half + 6;
    }
    return MARGIN.bottom;
  }

  drawNames(grid) {
    const { area, panel, x } = this;
    const { view } = this.axis;
    const longest = Math.max(...panel.xNames.map((one) => one.length)) * LETTER;
    const slanted = longest > (area.right - area.left) / (view[1] - view[0]) - 6;
    panel.xNames.forEach((text, value) => {
      if (value < view[0] || value > view[1]) return;
      const at = x(value);
      svg(grid, "line", { x1: at, x2: at, y1: area.top, y2: area.bottom });
      const turned = { x: at + 4, y: area.bottom + 14, "text-anchor": "end", transform: `rotate(-35 ${at + 4} ${area.bottom + 14})` };
      svg(grid, "text", slanted ? turned : { x: at, y: area.bottom + 16, "text-anchor": "middle" }, text);
    });
    return slanted ? 16 + longest * 0.6 : MARGIN.bottom;
  }

  drawLevel() {
    const { area, drawing, y } = this;
    const [value, text] = this.panel.level;
    svg(drawing, "line", { class: "level", x1: area.left, x2: area.right, y1: y(value), y2: y(value) });
    svg(drawing, "text", { class: "level", x: area.right - 4, y: y(value) - 4, "text-anchor": "end" }, text);
  }
}

// What a screen reader says of a panel.
function aboutOf(panel) {
  const labels = [...new Set(panel.curves.map((curve) => curve.label).filter(Boolean))].join(", ");
  return `${panel.y} over ${panel.x}${labels ? `: ${labels}` : ""}. Arrow keys read values, plus and minus zoom.`;
}
