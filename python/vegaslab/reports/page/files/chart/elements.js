// Elements of HTML and SVG, and how a curve looks.

// the namespace of SVG as the parser gives it: a page names no address
const NS = new DOMParser().parseFromString("<svg></svg>", "text/html").body.firstChild.namespaceURI;
const SIGNS = { points: "\u25cf", crosses: "\u2716", dashed: "\u2504", dotted: "\u2508", ends: "\u25bc", drops: "\u00d7" };
const MARKS = ["points", "crosses", "ends", "drops"];

const isMark = (curve) => MARKS.includes(curve.style);

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
