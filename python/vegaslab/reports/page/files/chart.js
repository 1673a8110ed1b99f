"use strict";
// Draws the figures of a page from the JSON in it: every element with data-figure takes the figure of that number.
// A figure has panels; those that share their x axis share view, pointer and legend too.
(() => {
  // the namespace of SVG as the parser gives it: a page names no address
  const NS = new DOMParser().parseFromString("<svg></svg>", "text/html").body.firstChild.namespaceURI;
  const INCH = 82;
  const NARROW = 600;
  const LETTER = 7;
  const MARGIN = { right: 14, top: 10, bottom: 22, name: 18 };
  const SLANT = Math.cos((35 * Math.PI) / 180);
  const READ_WITHIN = 40;
  const READ_OUT_MOST = 8;
  const KEY_STEPS = 50;
  const SIGNS = { points: "\u25cf", crosses: "\u2716", dashed: "\u2504", dotted: "\u2508", ends: "\u25bc", drops: "\u00d7" };
  const MARKS = ["points", "crosses", "ends", "drops"];

  const isMark = (curve) => MARKS.includes(curve.style);
  const short = (value) => String(Number(value.toPrecision(4)));

  function html(parent, name, attributes = {}, ...content) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content);
    parent?.append(made);
    return made;
  }

  function svg(parent, name, attributes = {}, text = "") {
    const made = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    parent.append(made);
    return made;
  }

  function colourOf(curve) {
    if (curve.colour !== null) return `var(--c${curve.colour})`;
    return curve.style === "drops" ? "var(--alarm)" : "var(--ink)";
  }

  function signOf(curve) {
    return html(null, "span", { "aria-hidden": "true", style: `color: ${colourOf(curve)}` }, `${SIGNS[curve.style] ?? "\u2501"} `);
  }

  // First index with a value not below the wanted one.
  function lowerBound(sorted, wanted) {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // --- scales and ticks ---

  // A scale from values to pixels, linear or logarithmic, with its way back.
  function scale([from, to], low, high, log) {
    const bend = log ? Math.log10 : (value) => value;
    const unbend = log ? (value) => 10 ** value : (value) => value;
    const [a, b] = [bend(from), bend(to)];
    const map = (value) => low + ((bend(value) - a) / (b - a || 1)) * (high - low);
    map.back = (pixel) => unbend(a + ((pixel - low) / (high - low)) * (b - a));
    return map;
  }

  // Pairs of a value and its text, about `count` of them.
  function ticks([from, to], count, log, whole) {
    const decades = log ? Math.log10(to / from) : 0;
    if (decades >= 1) return logTicks(from, to, decades <= count / 3 ? [1, 2, 5] : [1]);
    const rough = (to - from) / Math.max(1, count);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(whole ? 1 : 0, power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10));
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const found = [];
    for (let n = Math.ceil(from / step - 1e-9); n * step <= to + step * 1e-9; n++) found.push([n * step, tickText(n * step, decimals)]);
    return found;
  }

  function logTicks(from, to, factors) {
    const found = [];
    for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
      for (const factor of factors) {
        const value = Number((factor * 10 ** power).toPrecision(12));
        if (value >= from && value <= to) found.push([value, tickText(value, Math.max(0, -power))]);
      }
    }
    return found;
  }

  const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
  const tickText = (value, decimals) => (Math.abs(value) >= 1e5 ? compact.format(value) : value.toFixed(decimals));

  // Least and greatest, of positive values alone on a logarithmic axis.
  function extent(values, log) {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) {
      if (value === null || (log && value <= 0)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return low <= high ? [low, high] : [log ? 1 : 0, 1];
  }

  // --- panels that share their x axis ---

  function together(box, panels) {
    const first = panels[0];
    const full = first.xRange ?? wholeOf(panels);
    const axis = { full, view: [...full], hover: null, drag: null, off: new Set(), plots: [] };
    axis.redraw = () => {
      if (!box.clientWidth) return;
      reset.hidden = axis.view[0] === full[0] && axis.view[1] === full[1];
      const left = Math.max(...axis.plots.map((plot) => plot.fit()));
      for (const plot of axis.plots) plot.draw(left);
      axis.point();
    };
    axis.point = () => axis.plots.forEach((plot) => plot.point());
    axis.look = (from, to) => {
      axis.view = [from, to];
      axis.redraw();
    };
    const legend = html(box, "div", { class: "legend" });
    addLegend(legend, panels, axis);
    const reset = html(legend, "button", { type: "button", class: "reset screen" }, "show all");
    reset.addEventListener("click", () => axis.look(...full));
    axis.plots = panels.map((panel, place) => makePlot(box, panel, axis, place === panels.length - 1));
    new ResizeObserver(axis.redraw).observe(box);
    window.addEventListener("beforeprint", axis.redraw);
  }

  // The extent of all curves with some room.
  function wholeOf(panels) {
    const { logX, xNames } = panels[0];
    if (xNames.length) return [-0.5, xNames.length - 0.5];
    const [low, high] = extent(panels.flatMap((panel) => panel.curves.flatMap((curve) => curve.x)), logX);
    const room = (high - low || Math.abs(high) || 1) * 0.02;
    return logX ? [low / 1.3, high * 1.3] : [low === 0 ? 0 : low - room, high + room];
  }

  function addLegend(legend, panels, axis) {
    const entries = new Map();
    for (const curve of panels.flatMap((panel) => panel.curves)) {
      const known = entries.get(curve.label);
      if (curve.label && (!known || (known.style !== "line" && curve.style === "line"))) entries.set(curve.label, curve);
    }
    for (const [label, curve] of entries) {
      const button = html(legend, "button", { type: "button", "aria-pressed": "true" }, signOf(curve), label);
      button.addEventListener("click", () => {
        const hide = !axis.off.has(label);
        if (hide) axis.off.add(label);
        else axis.off.delete(label);
        button.setAttribute("aria-pressed", String(!hide));
        axis.redraw();
      });
    }
  }

  // --- one panel ---

  function makePlot(box, panel, axis, last) {
    const section = html(box, "div", { class: "panel" });
    const name = html(section, "p", { class: "name" }, html(null, "b", {}, panel.y));
    if (panel.note) name.append(` ${panel.note}`);
    const labels = [...new Set(panel.curves.map((curve) => curve.label).filter(Boolean))].join(", ");
    const about = `${panel.y} over ${panel.x}${labels ? `: ${labels}` : ""}. Arrow keys read values, plus and minus zoom.`;
    const frame = html(section, "div", { class: "plot", role: "group", tabindex: "0", "aria-label": about });
    const drawing = svg(frame, "svg", { "aria-hidden": "true" });
    const pointer = html(frame, "div", { class: "pointer", hidden: "" });
    const selection = html(frame, "div", { class: "selection", hidden: "" });
    const readOut = html(frame, "output", { class: "readout", hidden: "" });
    const clip = `clip-${document.querySelectorAll(".plot").length}`;
    // a curve without a label goes with the first labelled one of its colour
    const leader = (curve) => curve.label || panel.curves.find((other) => other.label && other.colour === curve.colour)?.label;
    const shown = () => panel.curves.filter((curve) => !axis.off.has(leader(curve)));
    let area, x, y, yTicks, yRange;

    // Sets the y axis and returns the room that its numbers need.
    function fit() {
      yRange = rangeInView();
      const height = panel.height * (box.clientWidth < NARROW ? 0.85 : 1) * INCH;
      yTicks = ticks(yRange, height / 42, panel.logY, panel.whole);
      area = { top: MARGIN.top, bottom: MARGIN.top + height, right: box.clientWidth - MARGIN.right };
      return Math.max(...yTicks.map(([, text]) => text.length * LETTER), roomForFirstName()) + 12;
    }

    // A slanted name ends below its tick and begins to the left of it.
    function roomForFirstName() {
      const place = Math.max(0, Math.ceil(axis.view[0]));
      const slot = area.right / (axis.view[1] - axis.view[0]);
      const name = panel.xNames[place] ?? "";
      return Math.max(0, name.length * LETTER * SLANT - (place - axis.view[0]) * slot * 0.85);
    }

    function rangeInView() {
      const values = panel.level ? [panel.level[0]] : [];
      for (const curve of shown()) {
        if (!curve.inRange || curve.style === "drops") continue;
        const [from, to] = inView(curve);
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
    function inView(curve) {
      curve.sorted ??= curve.x.every((value, i) => i === 0 || curve.x[i - 1] <= value);
      if (!curve.sorted) return [0, curve.x.length];
      const beside = isMark(curve) ? 0 : 1;
      const to = lowerBound(curve.x, axis.view[1] * (1 + 1e-12)) + beside;
      return [Math.max(0, lowerBound(curve.x, axis.view[0]) - beside), Math.min(curve.x.length, to)];
    }

    function draw(left) {
      area.left = left;
      x = scale(axis.view, area.left, area.right, panel.logX);
      y = scale(yRange, area.bottom, area.top, panel.logY);
      drawing.replaceChildren();
      const below = drawGrid();
      const height = area.bottom + below + (last ? MARGIN.name : 0);
      drawing.setAttribute("viewBox", `0 0 ${box.clientWidth} ${height}`);
      drawing.setAttribute("height", height);
      if (last) svg(drawing, "text", { class: "x-name", x: (area.left + area.right) / 2, y: height - 5, "text-anchor": "middle" }, panel.x);
      const clipping = svg(svg(drawing, "defs"), "clipPath", { id: clip });
      svg(clipping, "rect", { x: area.left, y: area.top - 1, width: Math.max(0, area.right - area.left), height: area.bottom - area.top + 2 });
      const lines = svg(drawing, "g", { "clip-path": `url(#${clip})` });
      const curves = shown();
      for (const curve of curves.filter((one) => !isMark(one))) drawLine(lines, curve);
      if (panel.level) drawLevel();
      for (const curve of curves.filter(isMark)) drawMarks(curve);
    }

    // Returns the room that what is written below the axis needs.
    function drawGrid() {
      const grid = svg(drawing, "g", { class: "grid" });
      for (const [value, text] of yTicks) {
        svg(grid, "line", { x1: area.left, x2: area.right, y1: y(value), y2: y(value) });
        svg(grid, "text", { x: area.left - 6, y: y(value) + 4, "text-anchor": "end" }, text);
      }
      if (panel.xNames.length) return drawNames(grid);
      let free = -Infinity;
      for (const [value, text] of ticks(axis.view, (area.right - area.left) / 80, panel.logX)) {
        svg(grid, "line", { x1: x(value), x2: x(value), y1: area.top, y2: area.bottom });
        const half = (text.length * LETTER) / 2;
        if (x(value) - half < free) continue;
        svg(grid, "text", { x: x(value), y: area.bottom + 16, "text-anchor": "middle" }, text);
        free = x(value) + half + 6;
      }
      return MARGIN.bottom;
    }

    function drawNames(grid) {
      const longest = Math.max(...panel.xNames.map((one) => one.length)) * LETTER;
      const slanted = longest > (area.right - area.left) / (axis.view[1] - axis.view[0]) - 6;
      panel.xNames.forEach((text, value) => {
        if (value < axis.view[0] || value > axis.view[1]) return;
        const at = x(value);
        svg(grid, "line", { x1: at, x2: at, y1: area.top, y2: area.bottom });
        const turned = { x: at + 4, y: area.bottom + 14, "text-anchor": "end", transform: `rotate(-35 ${at + 4} ${area.bottom + 14})` };
        svg(grid, "text", slanted ? turned : { x: at, y: area.bottom + 16, "text-anchor": "middle" }, text);
      });
      return slanted ? 16 + longest * 0.6 : MARGIN.bottom;
    }

    function drawLevel() {
      const [value, text] = panel.level;
      svg(drawing, "line", { class: "level", x1: area.left, x2: area.right, y1: y(value), y2: y(value) });
      svg(drawing, "text", { class: "level", x: area.right - 4, y: y(value) - 4, "text-anchor": "end" }, text);
    }

    function drawLine(parent, curve) {
      const attributes = { class: curve.style, "data-label": curve.label, opacity: curve.opacity };
      const colour = colourOf(curve);
      if (curve.style === "area") svg(parent, "path", { ...attributes, d: areaPath(curve), fill: colour });
      else svg(parent, "path", { ...attributes, d: linePath(curve), stroke: colour, "stroke-width": curve.thin ? 1 : 1.7 });
    }

    function linePath(curve) {
      const [from, to] = inView(curve);
      const steps = curve.style === "steps";
      let [path, before] = ["", null];
      for (let i = from; i < to; i++) {
        if (curve.y[i] === null || (panel.logY && curve.y[i] <= 0)) {
          before = null;
          continue;
        }
        const [px, py] = [x(curve.x[i]).toFixed(1), y(curve.y[i]).toFixed(1)];
        if (steps && before !== null) path += `L${px} ${before}`;
        path += `${before === null ? "M" : "L"}${px} ${py}`;
        before = py;
      }
      return path;
    }

    // Each value is that of the step that ends at its row.
    function areaPath(curve) {
      const [from, to] = inView(curve);
      if (from >= to) return "";
      let path = `M${x(curve.x[from]).toFixed(1)} ${y(0)}`;
      for (let i = from; i < to; i++) {
        const top = y(curve.y[i] ?? 0).toFixed(1);
        path += `L${x(curve.x[Math.max(from, i - 1)]).toFixed(1)} ${top}L${x(curve.x[i]).toFixed(1)} ${top}`;
      }
      return `${path}L${x(curve.x[to - 1]).toFixed(1)} ${y(0)}Z`;
    }

    function drawMarks(curve) {
      const colour = colourOf(curve);
      const marks = svg(drawing, "g", { class: `marks ${curve.style}`, "data-label": curve.label, opacity: curve.opacity });
      const seen = new Set();
      curve.x.forEach((value, i) => {
        if (curve.y[i] === null || value < axis.view[0] || value > axis.view[1]) return;
        const [px, py] = [x(value), curve.style === "drops" ? area.top + 6 + 10 * curve.y[i] : y(curve.y[i])];
        const place = `${Math.round(px)} ${Math.round(py)}`;
        if (seen.has(place)) return;
        seen.add(place);
        const size = curve.thin ? 3 : 5;
        if (curve.style === "points") svg(marks, "circle", { cx: px, cy: py, r: 4, fill: colour });
        else if (curve.style === "ends") svg(marks, "path", { d: `M${px} ${py}l${-size} ${-1.8 * size}h${2 * size}Z`, fill: colour });
        else {
          const arm = curve.style === "drops" ? 3 : 5;
          const d = `M${px - arm} ${py - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`;
          svg(marks, "path", { d, stroke: colour, "stroke-width": curve.style === "drops" ? 1.6 : 3 });
        }
      });
    }

    // --- reading values ---

    function point() {
      const at = axis.hover === null ? null : x(axis.hover);
      pointer.hidden = readOut.hidden = at === null || at < area.left - 1 || at > area.right + 1;
      selection.hidden = axis.drag === null || at === null;
      if (pointer.hidden) return;
      const box_ = { top: `${area.top}px`, height: `${area.bottom - area.top}px` };
      Object.assign(pointer.style, box_, { left: `${at}px` });
      if (!selection.hidden) {
        const [from, to] = [x(axis.drag), at].sort((a, b) => a - b);
        Object.assign(selection.style, box_, { left: `${from}px`, width: `${to - from}px` });
      }
      read(at);
    }

    function read(at) {
      const place = panel.xNames.length ? panel.xNames[Math.round(axis.hover)] : short(axis.hover);
      readOut.replaceChildren(html(null, "b", {}, `${place ?? ""}${panel.xNames.length ? "" : unitOf(panel.x)}`));
      const readings = shown().map((curve) => [curve, valueAt(curve, at)]).filter(([, value]) => value !== null);
      const lines = [];
      for (const [curve, value] of readings.sort(([one], [other]) => (one.name ? 1 : 0) - (other.name ? 1 : 0))) {
        const beside = curve.name && lines.find((line) => line.of.label === curve.label && line.of.colour === curve.colour);
        const text = [curve.name, short(value)].filter(Boolean).join(" ");
        if (beside) beside.texts.push(text);
        else lines.push({ of: curve, texts: [text] });
      }
      for (const { of, texts } of lines.slice(0, READ_OUT_MOST)) {
        html(readOut, "span", {}, signOf(of), [of.label, texts.join(", ")].filter(Boolean).join(" "));
      }
      if (lines.length > READ_OUT_MOST) html(readOut, "span", {}, `and ${lines.length - READ_OUT_MOST} more`);
      // at the side where the pointer is not
      const right = at < (area.left + area.right) / 2;
      Object.assign(readOut.style, right ? { right: `${MARGIN.right}px`, left: "auto" } : { left: `${area.left}px`, right: "auto" });
    }

    const unitOf = (axisName) => (axisName.endsWith(")") ? ` ${axisName.slice(axisName.lastIndexOf("(") + 1, -1)}` : "");

    // Of lines over time, the value of the last row not after the pointer; of others, that of the nearest row if it is near.
    function valueAt(curve, at) {
      if (isMark(curve) && panel.xRange) return null;
      if (panel.xRange) return curve.y[lowerBound(curve.x, axis.hover + 1e-9) - 1] ?? null;
      let best = 0;
      curve.x.forEach((value, i) => {
        if (Math.abs(x(value) - at) < Math.abs(x(curve.x[best]) - at)) best = i;
      });
      return curve.x.length && Math.abs(x(curve.x[best]) - at) < READ_WITHIN ? curve.y[best] : null;
    }

    // --- pointer and keys ---

    function timeAt(event) {
      const pixel = event.clientX - frame.getBoundingClientRect().left;
      return x.back(Math.min(area.right, Math.max(area.left, pixel)));
    }

    frame.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      frame.setPointerCapture(event.pointerId);
      axis.drag = timeAt(event);
    });
    frame.addEventListener("pointermove", (event) => {
      axis.hover = timeAt(event);
      axis.point();
    });
    frame.addEventListener("pointerup", (event) => {
      if (axis.drag === null) return;
      const [from, to] = [axis.drag, timeAt(event)].sort((a, b) => a - b);
      axis.drag = null;
      if (x(to) - x(from) > 8) axis.look(from, to);
      else axis.point();
    });
    for (const kind of ["pointercancel", "pointerleave", "blur"]) {
      frame.addEventListener(kind, () => {
        axis.hover = axis.drag = null;
        axis.point();
      });
    }
    frame.addEventListener("dblclick", () => axis.look(...axis.full));
    frame.addEventListener("keydown", (event) => {
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
    });
    return { fit, draw, point };
  }

  const figures = JSON.parse(document.getElementById("data").textContent);
  for (const box of document.querySelectorAll("[data-figure]")) {
    const figure = figures[Number(box.dataset.figure)];
    for (const panels of figure.shared ? [figure.panels] : figure.panels.map((panel) => [panel])) {
      together(figure.shared ? box : html(box, "div"), panels);
    }
  }
})();
