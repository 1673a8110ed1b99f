// The curves of a plot as SVG: lines, steps, areas and marks.

function drawLine(plot, parent, curve) {
  const attributes = { class: curve.style, "data-label": curve.label, opacity: curve.opacity };
  const colour = colourOf(curve);
  if (curve.style === "area") svg(parent, "path", { ...attributes, d: areaPath(plot, curve), fill: colour });
  else svg(parent, "path", { ...attributes, d: linePath(plot, curve), stroke: colour, "stroke-width": curve.thin ? 1 : 1.7 });
}

function linePath(plot, curve) {
  const [from, to] = plot.inView(curve);
  const steps = curve.style === "steps";
  let [path, before] = ["", null];
  for (let i = from; i < to; i++) {
    if (curve.y[i] === null || (plot.panel.logY && curve.y[i] <= 0)) {
      before = null;
      continue;
    }
    const [px, py] = [plot.x(curve.x[i]).toFixed(1), plot.y(curve.y[i]).toFixed(1)];
    if (steps && before !== null) path += `L${px} ${before}`;
    path += `${before === null ? "M" : "L"}${px} ${py}`;
    before = py;
  }
  return path;
}

// Each value is that of the step that ends at its row.
function areaPath(plot, curve) {
  const { x, y } = plot;
  const [from, to] = plot.inView(curve);
  if (from >= to) return "";
  let path = `M${x(curve.x[from]).toFixed(1)} ${y(0)}`;
  for (let i = from; i < to; i++) {
    const top = y(curve.y[i] ?? 0).toFixed(1);
    path += `L${x(curve.x[Math.max(from, i - 1)]).toFixed(1)} ${top}L${x(curve.x[i]).toFixed(1)} ${top}`;
  }
  return `${path}L${x(curve.x[to - 1]).toFixed(1)} ${y(0)}Z`;
}

function drawMarks(plot, curve) {
  const { area } = plot;
  const { view } = plot.axis;
  const marks = svg(plot.drawing, "g", { class: `marks ${curve.style}`, "data-label": curve.label, opacity: curve.opacity });
  const seen = new Set();
  curve.x.forEach((value, i) => {
    if (curve.y[i] === null || value < view[0] || value > view[1]) return;
    const [px, py] = [plot.x(value), curve.style === "drops" ? area.top + 6 + 10 * curve.y[i] : plot.y(curve.y[i])];
    const place = `${Math.round(px)} ${Math.round(py)}`;
    if (seen.has(place)) return;
    seen.add(place);
    drawMark(marks, curve, px, py);
  });
}

function drawMark(parent, curve, px, py) {
  const colour = colourOf(curve);
  if (curve.style === "points") {
    svg(parent, "circle", { cx: px, cy: py, r: 4, fill: colour });
  } else if (curve.style === "ends") {
    const size = curve.thin ? 3 : 5;
    svg(parent, "path", { d: `M${px} ${py}l${-size} ${-1.8 * size}h${2 * size}Z`, fill: colour });
  } else {
    const arm = curve.style === "drops" ? 3 : 5;
    const d = `M${px - arm} ${py - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`;
    svg(parent, "path", { d, stroke: colour, "stroke-width": curve.style === "drops" ? 1.6 : 3 });
  }
}
