"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const MARGIN = { left: 56, right: 26, top: 8, bottom: 22 };
  const PIXELS_PER_UNIT_OF_HEIGHT = 82;
  const READ_OUT_MOST = 8;
  const shown = data.groups.map(() => true);
  const view = { from: 0, to: data.duration };
  let hover = null;
  let drag = null;

  const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const groupColour = (group) => colourOf(group === null ? "--ink" : `--c${data.groups[group].colour % 8}`);
  const visible = (item) => item.group === null || shown[item.group];

  const panels = data.panels.map((panel, index) => {
    const box = document.createElement("section");
    box.className = "panel";
    const heading = document.createElement("h2");
    heading.textContent = `${panel.title} `;
    const unit = document.createElement("span");
    unit.textContent = `(${panel.unit})`;
    heading.append(unit);
    const readOut = document.createElement("output");
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${panel.title} in ${panel.unit} over time in seconds`);
    box.append(heading, readOut, canvas);
    document.getElementById("panels").append(box);
    return { ...panel, canvas, readOut, last: index === data.panels.length - 1 };
  });

  // First index whose value is not below the wanted one.
  function lowerBound(sorted, wanted) {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // A step of 1, 2 or 5 times a power of ten that gives about `count` ticks.
  function tickStep(span, count) {
    const rough = span / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    return power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  }

  function ticks(from, to, count) {
    const step = tickStep(to - from, count);
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const found = [];
    for (let n = Math.ceil(from / step - 1e-9); n * step <= to + step * 1e-9; n++) {
      found.push([n * step, (n * step).toFixed(decimals)]);
    }
    return found;
  }

  // Greatest value in view, the points just outside included, so that lines leave through the sides.
  function greatest(panel) {
    let top = 0;
    for (const line of panel.lines.filter(visible)) {
      const end = Math.min(line.x.length, lowerBound(line.x, view.to) + 1);
      for (let i = Math.max(0, lowerBound(line.x, view.from) - 1); i < end; i++) {
        if (line.y[i] !== null && !line.dashed) top = Math.max(top, line.y[i]);
      }
    }
    if (panel.rule && (!panel.rule.optional || panel.rule.y <= 1.5 * top)) top = Math.max(top, panel.rule.y * 1.08);
    return top > 0 ? top * 1.08 : 1;
  }

  function draw(panel) {
    const width = panel.canvas.clientWidth;
    const height = panel.height * PIXELS_PER_UNIT_OF_HEIGHT + MARGIN.top + MARGIN.bottom;
    const ratio = window.devicePixelRatio || 1;
    panel.canvas.width = Math.round(width * ratio);
    panel.canvas.height = Math.round(height * ratio);
    panel.canvas.style.height = `${height}px`;
    const ink = panel.canvas.getContext("2d");
    ink.scale(ratio, ratio);
    const top = greatest(panel);
    const area = { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
    const x = (time) => area.left + ((time - view.from) / (view.to - view.from)) * (area.right - area.left);
    const y = (value) => area.bottom - (value / top) * (area.bottom - area.top);
    drawGrid(ink, area, x, y, top, panel);
    ink.save();
    ink.beginPath();
    ink.rect(area.left, area.top - 4, area.right - area.left, area.bottom - area.top + 4);
    ink.clip();
    for (const line of panel.lines.filter(visible)) drawLine(ink, line, x, y, area, crowd(panel, line));
    panel.marks.filter(visible).forEach((mark, row) => drawMarks(ink, mark, x, y, area, row));
    drawPointer(ink, x, area);
    ink.restore();
  }

  const crowd = (panel, line) => panel.lines.filter((other) => other.group === line.group && !other.name).length;

  function drawGrid(ink, area, x, y, top, panel) {
    ink.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    ink.strokeStyle = colourOf("--grid");
    ink.fillStyle = colourOf("--faint");
    ink.lineWidth = 1;
    const rule = (x0, y0, x1, y1) => {
      ink.beginPath();
      ink.moveTo(x0, y0);
      ink.lineTo(x1, y1);
      ink.stroke();
    };
    ink.textAlign = "right";
    ink.textBaseline = "middle";
    for (const [value, label] of ticks(0, top, panel.height * 2)) {
      rule(area.left, y(value), area.right, y(value));
      ink.fillText(label, area.left - 6, y(value));
    }
    ink.textAlign = "center";
    ink.textBaseline = "top";
    for (const [time, label] of ticks(view.from, view.to, 9)) {
      rule(x(time), area.top, x(time), area.bottom);
      ink.fillText(panel.last ? `${label} s` : label, x(time), area.bottom + 5);
    }
    if (panel.rule && panel.rule.y <= top) {
      ink.strokeStyle = colourOf("--faint");
      ink.setLineDash([2, 3]);
      rule(area.left, y(panel.rule.y), area.right, y(panel.rule.y));
      ink.setLineDash([]);
      ink.textAlign = "right";
      ink.textBaseline = "bottom";
      ink.fillText(panel.rule.label, area.right - 4, y(panel.rule.y) - 1);
    }
  }

  function drawLine(ink, line, x, y, area, lines) {
    const from = Math.max(0, lowerBound(line.x, view.from) - 1);
    const to = Math.min(line.x.length, lowerBound(line.x, view.to) + 1);
    ink.beginPath();
    let pen = false;
    for (let i = from; i < to; i++) {
      if (line.y[i] === null) pen = false;
      else if (pen) ink.lineTo(x(line.x[i]), y(line.y[i]));
      else {
        ink.moveTo(x(line.x[i]), y(line.y[i]));
        pen = true;
      }
    }
    const colour = groupColour(line.group);
    ink.globalAlpha = line.filled ? 0.2 : line.dashed ? 0.55 : lines > 1 ? Math.min(1, Math.max(0.25, 3 / lines)) : 1;
    if (line.filled && to > from) {
      ink.lineTo(x(line.x[to - 1]), area.bottom);
      ink.lineTo(x(line.x[from]), area.bottom);
      ink.fillStyle = colour;
      ink.fill();
    } else {
      ink.setLineDash(line.dashed ? [5, 3] : []);
      ink.lineWidth = line.dashed || lines > 1 ? 1 : 1.7;
      ink.strokeStyle = colour;
      ink.stroke();
      ink.setLineDash([]);
    }
    ink.globalAlpha = 1;
  }

  function drawMarks(ink, mark, x, y, area, row) {
    ink.strokeStyle = ink.fillStyle = mark.shape === "cross" && mark.group === null ? colourOf("--alarm") : groupColour(mark.group);
    ink.lineWidth = 1.6;
    mark.x.forEach((time, i) => {
      const px = x(time);
      const py = mark.y ? y(mark.y[i]) : area.top + 6 + 10 * row;
      ink.beginPath();
      if (mark.shape === "triangle") {
        ink.moveTo(px - 5, py - 9);
        ink.lineTo(px + 5, py - 9);
        ink.lineTo(px, py);
        ink.fill();
      } else {
        ink.moveTo(px - 3, py - 3);
        ink.lineTo(px + 3, py + 3);
        ink.moveTo(px - 3, py + 3);
        ink.lineTo(px + 3, py - 3);
        ink.stroke();
      }
    });
  }

  function drawPointer(ink, x, area) {
    if (drag) {
      ink.fillStyle = colourOf("--select");
      ink.fillRect(x(drag.from), area.top, x(drag.to) - x(drag.from), area.bottom - area.top);
    }
    if (hover !== null) {
      ink.strokeStyle = colourOf("--faint");
      ink.lineWidth = 1;
      ink.beginPath();
      ink.moveTo(x(hover), area.top);
      ink.lineTo(x(hover), area.bottom);
      ink.stroke();
    }
  }

  // Each line's value at the pointer: that of the last row not after it.
  function readOut(panel) {
    panel.readOut.textContent = "";
    if (hover === null) {
      for (const mark of panel.marks.filter((mark) => mark.name && visible(mark))) addReading(panel, mark.name, mark.group);
      return;
    }
    const time = document.createElement("b");
    time.textContent = `${hover.toFixed(3)} s`;
    panel.readOut.append(time);
    for (const line of panel.lines.filter((line) => visible(line) && !line.dashed).slice(0, READ_OUT_MOST)) {
      const value = line.y[Math.max(0, lowerBound(line.x, hover + 1e-9) - 1)];
      if (value === null || value === undefined) continue;
      const label = [line.group === null ? "" : data.groups[line.group].label, line.name ?? ""].join(" ").trim();
      addReading(panel, `${label} ${Number(value.toPrecision(4))}`.trim(), line.group);
    }
  }

  function addReading(panel, text, group) {
    const reading = document.createElement("span");
    reading.textContent = text;
    reading.style.color = groupColour(group);
    panel.readOut.append(reading);
  }

  function redraw() {
    for (const panel of panels) {
      draw(panel);
      readOut(panel);
    }
  }

  function timeAt(event) {
    const box = event.currentTarget.getBoundingClientRect();
    const part = (event.clientX - box.left - MARGIN.left) / (box.width - MARGIN.left - MARGIN.right);
    return view.from + Math.min(1, Math.max(0, part)) * (view.to - view.from);
  }

  function finishDrag() {
    if (!drag) return;
    const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
    drag = null;
    if (to - from > (view.to - view.from) / 200) Object.assign(view, { from, to });
    redraw();
  }

  for (const { canvas } of panels) {
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      drag = { from: timeAt(event), to: timeAt(event) };
    });
    canvas.addEventListener("pointermove", (event) => {
      hover = timeAt(event);
      if (drag) drag.to = hover;
      redraw();
    });
    canvas.addEventListener("pointerup", finishDrag);
    canvas.addEventListener("pointercancel", () => {
      drag = null;
      redraw();
    });
    canvas.addEventListener("pointerleave", () => {
      hover = null;
      redraw();
    });
    canvas.addEventListener("dblclick", () => {
      Object.assign(view, { from: 0, to: data.duration });
      redraw();
    });
  }

  data.groups.forEach((group, index) => {
    const button = document.createElement("button");
    const swatch = document.createElement("i");
    swatch.style.background = `var(--c${group.colour % 8})`;
    button.append(swatch, group.label);
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => {
      shown[index] = !shown[index];
      button.setAttribute("aria-pressed", String(shown[index]));
      redraw();
    });
    document.getElementById("legend").append(button);
  });

  window.addEventListener("resize", redraw);
  window.addEventListener("beforeprint", redraw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  redraw();
})();
