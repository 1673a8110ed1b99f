// Colours, which the style sheet defines for both themes.

/** The number of flow colours; flows beyond it repeat them. */
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

/** A colour of the page's style sheet, such as `--grid`, in the current theme. */
export function themeColour(name: string): string {
  const known = ofTheme.get(name);
  if (known) return known;
  // a custom property's value is still light-dark(...); the computed value of a colour is one of the two
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  ofTheme.set(name, color);
  return color;
}

/** Calls back now and at each change with whether the page has one column, as the style sheet has it. */
export function onNarrow(changed: (isNarrow: boolean) => void): void {
  const narrow = matchMedia("(max-width: 1000px)");
  narrow.addEventListener("change", () => changed(narrow.matches));
  changed(narrow.matches);
}

/** Calls back when the reader changes between light and dark. */
export function onTheme(changed: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    ofTheme.clear();
    changed();
  });
}
