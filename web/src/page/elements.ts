// Small helpers for the document.

export type Child = Node | string;

/** A new element with attributes and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A button with its work. */
export function button(label: string, work: () => void): HTMLButtonElement {
  const made = element("button", { type: "button" }, label);
  made.addEventListener("click", work);
  return made;
}

/** A term that shows its meaning when the reader presses it. */
export function term({ name, meaning }: { name: string; meaning: string }): HTMLElement {
  const popup = element("span", { class: "meaning", popover: "" }, meaning);
  const shown = element("button", { type: "button", class: "term" }, name);
  shown.popoverTargetElement = popup;
  popup.addEventListener("beforetoggle", () => {
    const { left, bottom } = shown.getBoundingClientRect();
    popup.style.setProperty("--left", `${left}px`);
    popup.style.setProperty("--top", `${bottom + 4}px`);
  });
  return element("span", {}, shown, popup);
}

/** The element of the page with this id. */
export function byId<Type extends HTMLElement = HTMLElement>(id: string): Type {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as Type;
}

/** Calls `work` when no further call has come for this time, ms. */
export function debounced<Arguments extends unknown[]>(
  wait_ms: number,
  work: (...given: Arguments) => void,
): (...given: Arguments) => void {
  let timer: number | undefined;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), wait_ms);
  };
}

/** Saves a file for the reader. */
export function save(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
