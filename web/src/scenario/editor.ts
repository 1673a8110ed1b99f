// A text that the reader edits, with its errors at their lines: the scenario, or one of the reader's algorithms.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { javascript } from "@codemirror/legacy-modes/mode/javascript";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

import type { Failure } from "../protocol";

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--text-soft)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: [tags.number, tags.atom, tags.bool], color: "var(--code-number)" },
  { tag: [tags.propertyName, tags.keyword], color: "var(--code-key)" },
]);

const look = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--field)", fontSize: "13px" },
  ".cm-content": { caretColor: "var(--text)", fontFamily: "var(--mono)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--field)", color: "var(--text-soft)", border: "none" },
  ".cm-activeLine": { backgroundColor: "var(--active)" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-tooltip": { backgroundColor: "var(--page)", color: "var(--text)", maxWidth: "min(36rem, 90vw)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
});

/** The colours of a text. */
export const languages = { toml: StreamLanguage.define(toml), javascript: StreamLanguage.define(javascript) };

export class Editor {
  private readonly view: EditorView;
  private isOurs = false;

  /** `typed` receives each text that the reader has changed; `title` is the id of the heading that names the editor.
   * */
  constructor(parent: HTMLElement, typed: (text: string) => void, language: keyof typeof languages, title: string) {
    const changed = EditorView.updateListener.of((update) => {
      if (update.docChanged && !this.isOurs) typed(this.text);
    });
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          lintGutter(),
          languages[language],
          syntaxHighlighting(colours),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({ "aria-labelledby": title }),
          EditorView.lineWrapping,
          look,
          changed,
        ],
      }),
    });
  }

  focus(): void {
    this.view.focus();
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Replaces only the part that differs, so that the reader's cursor stays. */
  set text(text: string) {
    const old = this.text;
    let from = 0;
    while (from < old.length && from < text.length && old[from] === text[from]) from += 1;
    let end = 0;
    const most = Math.min(old.length, text.length) - from;
    while (end < most && old[old.length - 1 - end] === text[text.length - 1 - end]) end += 1;
    if (from === old.length && from === text.length) return;
    this.isOurs = true;
    this.view.dispatch({ changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) } });
    this.isOurs = false;
  }

  /** Shows an error. */
  show(failure: Failure): void {
    this.mark([this.diagnostic(failure, "error")]);
  }

  /** Shows that there is no error, and the warnings about keys without effect. */
  warn(warnings: string[]): void {
    this.mark(warnings.map((message) => this.diagnostic({ message, line: lineIn(message), key: "" }, "warning")));
  }

  private diagnostic(failure: Failure, severity: "error" | "warning"): Diagnostic {
    const document = this.view.state.doc;
    const line = document.line(Math.min(Math.max(failure.line ?? 1, 1), document.lines));
    return { from: line.from, to: line.to, severity, message: words(failure) };
  }

  private mark(found: Diagnostic[]): void {
    const inOrder = found.sort((one, other) => one.from - other.from);
    this.view.dispatch(setDiagnostics(this.view.state, inOrder));
  }
}

/** The line of the scenario that a message of the engine names. */
function lineIn(message: string): number | null {
  const found = /^scenario:(\d+)/.exec(message);
  return found ? Number(found[1]) : null;
}

/** The engine's message without the name that the text has in it. */
export function words(failure: Failure): string {
  const plain = failure.message.replace(/^scenario(:\d+)*: /, "");
  return failure.line ? `line ${failure.line}: ${plain}` : plain;
}
