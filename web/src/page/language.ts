// The language of the page: the link's, or the one that the reader has chosen, or the browser's.

import { remember, remembered } from "./store";
import { de } from "./de";
import { en, type Texts } from "./en";

const TABLES = { en, de } satisfies Record<string, Texts>;

export type Language = keyof typeof TABLES;

function known(name: string | null | undefined): Language | undefined {
  return name && Object.hasOwn(TABLES, name) ? (name as Language) : undefined;
}

export const language: Language =
  known(new URLSearchParams(location.hash.slice(1)).get("g")) ?? known(remembered("language")) ?? known(navigator.language.slice(0, 2)) ?? "en";

export const texts: Texts = TABLES[language];

/** Writes the document's own texts. */
export function write(page: Document): void {
  page.documentElement.lang = language;
  const key = (of: HTMLElement, name: "text" | "label") => texts.page[of.dataset[name] as keyof Texts["page"]];
  for (const of of page.querySelectorAll<HTMLElement>("[data-text]")) of.textContent = key(of, "text");
  for (const of of page.querySelectorAll<HTMLElement>("[data-label]")) of.setAttribute("aria-label", key(of, "label"));
}

/** Opens the page again in another language; `fragment` is the page's state. */
export function speak(name: string, fragment: string): void {
  remember("language", name);
  const words = new URLSearchParams(fragment.slice(1));
  words.set("g", name);
  location.hash = `${words}`;
  location.reload();
}
