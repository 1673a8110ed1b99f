// What the browser keeps for the page's address.

/** Keeps a text. Returns false where the browser refuses: a frame without an origin, a full store. */
export function remember(name: string, text: string): boolean {
  try {
    localStorage.setItem(`vegaslab.${name}`, text);
    return true;
  } catch {
    return false;
  }
}

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`vegaslab.${name}`);
  } catch {
    return null;
  }
}
