// Values read out at the pointer, and the view chosen by pointer and keys.

const READ_WITHIN = 40;
const READ_OUT_MOST = 8;
const KEY_STEPS = 50;

const short = (value) => String(Number(value.toPrecision(4)));
const unitOf = (axisName) => (axisName.endsWith(")") ? ` ${axisName.slice(axisName.lastIndexOf("(") + 1, -1)}` : "");

class Reading {
  constructor(plot) {
    this.plot = plot;
    const { frame } = plot;
    this.pointer = html(frame, "div", { class: "pointer", hidden: "" });
    this.selection = html(frame, "div", { class: "selection", hidden: "" });
    this.readOut = html(frame, "output", { class: "readout", hidden: "" });
    this.listenToPointer(frame);
    frame.addEventListener("keydown", (event) => this.onKey(event));
  }

  // Shows what is at the pointer, or nothing.
  point() {
    const { area, axis, x } = this.plot;
    const at = axis.hover === null ? null : x(axis.hover);
    this.pointer.hidden = this.readOut.hidden = at === null || at < area.left - 1 || at > area.right + 1;
    this.selection.hidden = axis.drag === null || at === null;
    if (this.pointer.hidden) return;
    const tall = { top: `${area.top}px`, height: `${area.bottom - area.top}px` };
    Object.assign(this.pointer.style, tall, { left: `${at}px` });
    if (!this.selection.hidden) {
      const [from, to] = [x(axis.drag), at].sort((a, b) => a - b);
      Object.assign(this.selection.style, tall, { left: `${from}px`, width: `${to - from}px` });
    }
    this.read(at);
  }

  read(at) {
    const { area, axis, panel } = this.plot;
    const { readOut } = this;
    const place = panel.xNames.length ? panel.xNames[Math.round(axis.hover)] : short(axis.hover);
    readOut.replaceChildren(html(null, "b", {}, `${place ?? ""}${panel.xNames.length ? "" : unitOf(panel.x)}`));
    const lines = this.linesAt(at);
    for (const { of, texts } of lines.slice(0, READ_OUT_MOST)) {
      html(readOut, "span", {}, signOf(of), [of.label, texts.join(", ")].filter(Boolean).join(" "));
    }
    if (lines.length > READ_OUT_MOST) html(readOut, "span", {}, `and ${lines.length - READ_OUT_MOST} more`);
    // at the side where the pointer is not
    const right = at < (area.left + area.right) / 2;
    Object.assign(readOut.style, right ? { right: `${MARGIN.right}px`, left: "auto" } : { left: `${area.left}px`, right: "auto" });
  }

  // A line for each curve with a value there; named curves join the one of their label and colour.
  linesAt(at) {
    const readings = this.plot.shown().map((curve) => [curve, this.valueAt(curve, at)]).filter(([, value]) => value !== null);
    const lines = [];
    for (const [curve, value] of readings.sort(([one], [other]) => (one.name ? 1 : 0) - (other.name ? 1 : 0))) {
      const beside = curve.name && lines.find((line) => line.of.label === curve.label && line.of.colour === curve.colour);
      const text = [curve.name, short(value)].filter(Boolean).join(" ");
      if (beside) beside.texts.push(text);
      else lines.push({ of: curve, texts: [text] });
    }
    return lines;
  }

  // Of lines over time, the value of the last row not after the pointer; of others, that of the nearest row if it is
  // near.
  valueAt(curve, at) {
    const { axis, panel, x } = this.plot;
    if (isMark(curve) && panel.xRange) return null;
    if (panel.xRange) return curve.y[lowerBound(curve.x, axis.hover + 1e-9) - 1] ?? null;
    let best = 0;
    curve.x.forEach((value, i) => {
      if (Math.abs(x(value) - at) < Math.abs(x(curve.x[best]) - at)) best = i;
    });
    return curve.x.length && Math.abs(x(curve.x[best]) - at) < READ_WITHIN ? curve.y[best] : null;
  }

  listenToPointer(frame) {
    const { axis } = this.plot;
    frame.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      frame.setPointerCapture(event.pointerId);
      axis.drag = this.valueUnder(event);
    });
    frame.addEventListener("pointermove", (event) => {
      axis.hover = this.valueUnder(event);
      axis.point();
    });
    frame.addEventListener("pointerup", (event) => this.endDrag(event));
    for (const kind of ["pointercancel", "pointerleave", "blur"]) {
      frame.addEventListener(kind, () => {
        axis.hover = axis.drag = null;
        axis.point();
      });
    }
    frame.addEventListener("dblclick", () => axis.look(...axis.full));
  }

  valueUnder(event) {
    const { area, frame, x } = this.plot;
    const pixel = event.clientX - frame.getBoundingClientRect().left;
    return x.back(Math.min(area.right, Math.max(area.left, pixel)));
  }

  endDrag(event) {
    const { axis, x } = this.plot;
    if (axis.drag === null) return;
    const [from, to] = [axis.drag, this.valueUnder(event)].sort((a, b) => a - b);
    axis.drag = null;
    if (x(to) - x(from) > 8) axis.look(from, to);
    else axis.point();
  }

  onKey(event) {
    const { area, axis, panel, x } = this.plot;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = axis.hover === null ? (area.left + area.right) / 2 : x(axis.hover);
    const step = (area.right - area.left) / (panel.xNames.length || KEY_STEPS);
    const zoom = (factor) => axis.look(x.back(at - (at - area.left) * factor), x.back(at + (area.right - at) * factor));
    const actions = {
      ArrowLeft: () => (axis.hover = x.back(Math.max(area.left, at - step))),
      ArrowRight: () => (axis.hover = x.back(Math.min(area.right, at + step))),
      Home: () => (axis.hover = axis.view[0]),
      End: () => (axis.hover = axis.view[1]),
      "+": () => zoom(0.5),
      "-": () => axis.look(...axis.full),
      Escape: () => (axis.hover = null),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
    axis.point();
  }
}
