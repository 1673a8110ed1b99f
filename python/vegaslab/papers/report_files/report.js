"use strict";
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const WIDTH = 960;
  const HEIGHT = 300;
  const READ_WITHIN = 40;
  const AREA = { left: 64, right: WIDTH - 16, top: 22, bottom: HEIGHT - 42 };
  const charts = JSON.parse(document.getElementById("data").textContent);

  function element(parent, name, attributes, text) {
    const made = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  // A scale from values to pixels, linear or logarithmic, with its way back.
  function scale(from, to, low, high, log) {
    const bend = log ? Math.log10 : (value) => value;
    const unbend = log ? (value) => 10 ** value : (value) => value;
    const [a, b] = [bend(from), bend(to)];
    const map = (value) => low + ((bend(value) - a) / (b - a || 1)) * (high - low);
    map.back = (pixel) => unbend(a + ((pixel - low) / (high - low)) * (b - a));
    map.ticks = () => (log ? logTicks(from, to) : linearTicks(from, to));
    return map;
  }

  function linearTicks(from, to) {
    const rough = (to - from) / 7;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
    const found = [];
    for (let n = Math.ceil(from / step - 1e-9); n * step <= to + step * 1e-9; n++) found.push(Number((n * step).toPrecision(12)));
    return found;
  }

  function logTicks(from, to) {
    const found = [];
    for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
      for (const factor of [1, 2, 5]) {
        const value = Number((factor * 10 ** power).toPrecision(12));
        if (value >= from && value <= to) found.push(value);
      }
    }
    return found;
  }

  // Least and greatest of finite values; positive ones on a logarithmic axis.
  function extent(values, log) {
    const usable = values.filter((value) => value !== null && (!log || value > 0));
    return usable.length ? [Math.min(...usable), Math.max(...usable)] : [0, 1];
  }

  function build(box, panel) {
    const pressed = panel.curves.map(() => true);
    // A curve without a label goes with the first labelled one of its colour.
    const leader = panel.curves.map((curve, index) =>
      curve.label ? index : panel.curves.findIndex((other) => other.label && other.colour === curve.colour));
    const shown = (index) => leader[index] < 0 || pressed[leader[index]];
    const whole = extent(panel.curves.flatMap((curve) => curve.x), panel.logX);
    const pad = panel.logX ? null : (whole[1] - whole[0]) * 0.02;
    const full = panel.logX ? [whole[0] / 1.3, whole[1] * 1.3] : [whole[0] === 0 ? 0 : whole[0] - pad, whole[1] + pad];
    if (panel.xNames.length) [full[0], full[1]] = [-0.5, panel.xNames.length - 0.5];
    let view = [...full];
    let hover = null;
    let drag = null;
    const legend = document.createElement("div");
    legend.className = "legend";
    box.append(legend);
    panel.curves.forEach((curve, index) => {
      if (!curve.label) return;
      const button = document.createElement("button");
      const sign = { points: "\u25cf ", crosses: "\u2716 ", dashed: "\u2504 " }[curve.style] ?? "\u2501 ";
      const swatch = document.createElement("span");
      swatch.style.color = `var(--c${curve.colour % 8})`;
      swatch.textContent = sign;
      button.append(swatch, curve.label);
      button.setAttribute("aria-pressed", "true");
      button.addEventListener("click", () => {
        pressed[index] = !pressed[index];
        button.setAttribute("aria-pressed", String(pressed[index]));
        redraw();
      });
      legend.append(button);
    });
    const svg = element(box, "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${panel.y} over ${panel.x}` });

    function scales() {
      const inView = panel.curves.flatMap((curve, index) =>
        shown(index) ? curve.y.filter((_, i) => curve.x[i] >= view[0] && curve.x[i] <= view[1]) : []);
      if (panel.level) inView.push(panel.level[0]);
      let [low, high] = extent(inView, panel.logY);
      if (panel.logY) [low, high] = [low / 1.3, high * 1.3];
      else {
        const room = (high - low || Math.abs(high) || 1) * 0.08;
        [low, high] = [panel.fromZero ? Math.min(0, low) : low - room, high + room];
      }
      return [scale(view[0], view[1], AREA.left, AREA.right, panel.logX), scale(low, high, AREA.bottom, AREA.top, panel.logY)];
    }

    function redraw() {
      svg.replaceChildren();
      const [x, y] = scales();
      for (const value of y.ticks()) {
        element(svg, "line", { x1: AREA.left, x2: AREA.right, y1: y(value), y2: y(value), stroke: "var(--grid)" });
        element(svg, "text", { x: AREA.left - 6, y: y(value) + 4, "text-anchor": "end" }, String(value));
      }
      const names = panel.xNames;
      for (const value of names.length ? names.keys() : x.ticks()) {
        if (value < view[0] || value > view[1]) continue;
        element(svg, "line", { x1: x(value), x2: x(value), y1: AREA.top, y2: AREA.bottom, stroke: "var(--grid)" });
        // names of many places take turns in two rows, where the axis' own name would be
        const row = names.length > 8 && value % 2 ? 30 : 16;
        element(svg, "text", { x: x(value), y: AREA.bottom + row, "text-anchor": "middle" }, names.length ? names[value] : String(value));
      }
      if (names.length <= 8) element(svg, "text", { x: (AREA.left + AREA.right) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, panel.x);
      const middle = (AREA.top + AREA.bottom) / 2;
      element(svg, "text", { x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` }, panel.y);
      if (panel.level) {
        const at = y(panel.level[0]);
        element(svg, "line", { x1: AREA.left, x2: AREA.right, y1: at, y2: at, stroke: "var(--faint)", "stroke-dasharray": "2 3" });
        element(svg, "text", { x: AREA.right - 4, y: at - 4, "text-anchor": "end" }, panel.level[1]);
      }
      panel.curves.forEach((curve, index) => shown(index) && drawCurve(curve, x, y));
      drawPointer(x);
    }

    function drawCurve(curve, x, y) {
      const colour = `var(--c${curve.colour % 8})`;
      if (curve.style === "points" || curve.style === "crosses") {
        curve.x.forEach((value, i) => {
          if (curve.y[i] === null || value < view[0] || value > view[1]) return;
          const [px, py] = [x(value), y(curve.y[i])];
          if (curve.style === "points") element(svg, "circle", { cx: px, cy: py, r: 4, fill: colour });
          else element(svg, "path", { d: `M${px - 5} ${py - 5}l10 10m0-10l-10 10`, stroke: colour, "stroke-width": 3 });
        });
        return;
      }
      let path = "";
      let pen = "M";
      let last = null;
      curve.x.forEach((value, i) => {
        if (curve.y[i] === null || value < view[0] || value > view[1]) {
          pen = "M";
          return;
        }
        const [px, py] = [x(value).toFixed(1), y(curve.y[i]).toFixed(1)];
        if (curve.style === "steps" && pen === "L") path += `L${px} ${last}`;
        path += `${pen}${px} ${py}`;
        pen = "L";
        last = py;
      });
      const dashes = curve.style === "dashed" ? { "stroke-dasharray": "5 3" } : {};
      element(svg, "path", { d: path, fill: "none", stroke: colour, "stroke-width": curve.style === "dashed" ? 1.3 : 1.8, ...dashes });
    }

    // The nearest point of each curve to the pointer's place on the axis, if it is near.
    function drawPointer(x) {
      if (drag !== null && hover !== null) {
        const [a, b] = [x(drag), x(hover)].sort((one, two) => one - two);
        element(svg, "rect", { x: a, y: AREA.top, width: b - a, height: AREA.bottom - AREA.top, fill: "var(--c0)", opacity: 0.15 });
      }
      if (hover === null) return;
      element(svg, "line", { x1: x(hover), x2: x(hover), y1: AREA.top, y2: AREA.bottom, stroke: "var(--faint)" });
      const readings = panel.curves.filter((curve, index) => shown(index) && curve.label).map((curve) => {
        let best = 0;
        curve.x.forEach((value, i) => { if (Math.abs(value - hover) < Math.abs(curve.x[best] - hover)) best = i; });
        return [curve, Math.abs(x(curve.x[best]) - x(hover)) < READ_WITHIN ? curve.y[best] : null];
      }).filter(([, value]) => value !== null && value !== undefined);
      const text = element(svg, "text", { class: "readout", x: AREA.right, y: 14, "text-anchor": "end" });
      text.append(`${Number(hover.toPrecision(4))}: `);
      for (const [curve, value] of readings) {
        const part = element(text, "tspan", {}, ` ${Number(value.toPrecision(4))}`);
        part.style.fill = `var(--c${curve.colour % 8})`;
      }
    }

    function valueAt(event) {
      const frame = svg.getBoundingClientRect();
      const pixel = ((event.clientX - frame.left) / frame.width) * WIDTH;
      return scales()[0].back(Math.min(AREA.right, Math.max(AREA.left, pixel)));
    }

    svg.addEventListener("pointermove", (event) => {
      hover = valueAt(event);
      redraw();
    });
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      svg.setPointerCapture(event.pointerId);
      drag = valueAt(event);
    });
    svg.addEventListener("pointerup", (event) => {
      const [a, b] = [drag, valueAt(event)].sort((one, two) => one - two);
      drag = null;
      const [x] = scales();
      if (x(b) - x(a) > 8) view = [a, b];
      redraw();
    });
    svg.addEventListener("pointerleave", () => {
      hover = null;
      redraw();
    });
    svg.addEventListener("dblclick", () => {
      view = [...full];
      redraw();
    });
    redraw();
  }

  for (const chart of charts) {
    const box = document.querySelector(`.chart[data-slug="${chart.slug}"]`);
    for (const panel of chart.panels) build(box, panel);
  }

  // A click on a verdict's count shows its claims only; another click shows all.
  let only = null;
  for (const item of document.querySelectorAll(".counts li")) {
    item.addEventListener("click", () => {
      const word = item.querySelector("b").className;
      only = only === word ? null : word;
      for (const row of document.querySelectorAll("tr[data-verdict]")) {
        row.hidden = only !== null && row.dataset.verdict !== only;
      }
    });
  }
})();
