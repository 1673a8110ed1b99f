// Draws the figures of a page from the JSON in it: every element with data-figure takes the figure of that number.
// A figure has panels; those that share their x axis share view, pointer and legend too.

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
  axis.point = () => axis.plots.forEach((plot) => plot.reading.point());
  axis.look = (from, to) => {
    axis.view = [from, to];
    axis.redraw();
  };
  const legend = html(box, "div", { class: "legend" });
  addLegend(legend, panels, axis);
  const reset = html(legend, "button", { type: "button", class: "reset screen" }, "show all");
  reset.addEventListener("click", () => axis.look(...full));
  axis.plots = panels.map((panel, place) => new Plot(box, panel, axis, place === panels.length - 1));
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

const figures = JSON.parse(document.getElementById("data").textContent);
for (const box of document.querySelectorAll("[data-figure]")) {
  const figure = figures[Number(box.dataset.figure)];
  for (const panels of figure.shared ? [figure.panels] : figure.panels.map((panel) => [panel])) {
    together(figure.shared ? box : html(box, "div"), panels);
  }
}
