// Colours, which the style sheet has for both themes.

/** How many colours flows have; flows beyond these repeat them. */
const FLOW_COLOURS = 8;

/** A flow's colour for elements, which follow the theme by themselves. */
export function flowProperty(flow: number): string {
  return `var(--flow-${flow % FLOW_COLOURS})`;
}

/** A flow's colour for canvases. */
export function flowColour(flow: number): string {
  return themeColour(`--flow-${flow % FLOW_COLOURS}`);
}

const ofTheme = new Map<string, string>();

/** A colour of the page's style sheet, such as `--grid`, as it is in the theme of now. */
export function themeColour(name: string): string {
  const known = ofTheme.get(name);
  if (known) return known;
  // a property's own value is still light-dark(...); that of a colour is the one of the two
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  ofTheme.set(name, color);
  return color;
}

/** Calls back when the reader changes between light and dark. */
export function onTheme(changed: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    ofTheme.clear();
    changed();
  });
}
