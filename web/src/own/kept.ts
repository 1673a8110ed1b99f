// The reader's files beyond the tab: the browser keeps them, and a link's wait until the reader has read them.

import { button, byId, element } from "../page/elements";
import type { OwnFile } from "../protocol";
import { filesOf, textOf } from "../scenario/link";
import { remember, remembered } from "../page/store";
import { texts } from "../page/language";

export function isScript(file: OwnFile): boolean {
  return typeof file.content === "string";
}

/** Keeps the files of JavaScript. Returns false where the browser refuses. */
export function keep(files: OwnFile[]): boolean {
  return remember("own", textOf(files.filter(isScript)));
}

export function kept(): OwnFile[] {
  try {
    return filesOf(remembered("own") ?? "[]");
  } catch {
    return [];
  }
}

/** Shows the files of a link, and returns whether the reader lets them run. A later link takes the place of one that
 * waits. */
export function agreed(files: OwnFile[]): Promise<boolean> {
  const panel = byId("offer");
  panel.hidden = false;
  return new Promise((resolve) => {
    const choice = (label: string, isAgreed: boolean) =>
      button(label, () => {
        panel.hidden = true;
        resolve(isAgreed);
      });
    const names = files.map(({ name }) => name).join(", ");
    panel.replaceChildren(
      element("p", {}, texts.offer.read(names)),
      ...files.map(({ content }) => element("pre", { tabindex: "0" }, String(content))),
      element("p", {}, choice(texts.offer.run, true), " ", choice(texts.offer.leave, false)),
    );
  });
}
