// Where the reader writes algorithms, or loads files that contain them.

import { templates } from "virtual:templates";

import { Editor } from "../scenario/editor";
import { button, byId, debounced, element, save } from "../page/elements";
import { agreed, isScript, keep, kept } from "./kept";
import type { Failure, OwnAnswer, OwnFile } from "../protocol";
import { texts } from "../page/language";

const words = texts.workshop;

/** The limit that the command has, too. */
const FILE_BYTES_MAX = 4 << 20;
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*\.(js|wasm)$/;
/** An algorithm that names no preset has the host of this one. */
const DEFAULT_PRESET = "sack";
/** Templates that give a preset's results, with its host and its numbers. */
const PRESETS: Record<string, string> = { "reno.js": "reno", "vegas.js": "vegas" };

export interface WorkshopEvents {
  /** Replaces the files; returns the result for each. */
  changed(files: OwnFile[]): Promise<OwnAnswer[]>;
  /** A file was renamed. */
  renamed(from: string, to: string): void;
}

export class Workshop {
  private files: OwnFile[] = [];
  /** The file that is shown. */
  private shown: OwnFile | undefined;
  /** The names in scenarios of the algorithms in files without errors. */
  names: string[] = [];

  private readonly panel = byId("own");
  private readonly button = byId<HTMLButtonElement>("own-open");
  private readonly picker = element("select", { id: "own-file" });
  private readonly name = element("input", { id: "own-name", type: "text", size: "14", spellcheck: "false", autocomplete: "off" });
  private readonly template = element("select", { id: "own-template" });
  private readonly binary = element("p", { class: "hint" });
  private readonly errors = element("p", { id: "own-errors", class: "errors", role: "alert" });
  private readonly place = element("div", { class: "code" });
  private editor: Editor | undefined;

  constructor(private readonly events: WorkshopEvents) {
    this.template.append(
      element("option", { value: "" }, words.choose),
      ...Object.keys(templates).map((name) => element("option", { value: name }, name)),
    );
    this.panel.append(this.controls(), this.binary, this.place, this.errors, element("p", { class: "hint" }, words.hint));
    this.button.addEventListener("click", () => (this.panel.hidden ? this.open() : this.close()));
    this.picker.addEventListener("change", () => this.show(this.files.find(({ name }) => name === this.picker.value)));
    this.name.addEventListener("change", () => this.rename());
    this.template.addEventListener("change", () => this.begin(this.template.value));
  }

  /** Takes the files that the browser has kept, and those of a link if the reader lets them run. */
  async welcome(linked: OwnFile[]): Promise<void> {
    if (this.files.length === 0) this.files = kept();
    const isHere = ({ name, content, preset }: OwnFile) =>
      this.files.some((file) => file.name === name && file.content === content && file.preset === preset);
    const strange = linked.filter((file) => !isHere(file));
    if (strange.length > 0 && (await agreed(strange))) this.adopt(strange);
    if (this.files.length === 0) return;
    this.tell();
    await this.taken;
  }

  /** The files of JavaScript that a text names. */
  namedIn(text: string): OwnFile[] {
    return this.files.filter((file) => isScript(file) && text.includes(file.name));
  }

  /** Shows the panel; the first time it has an initial file. */
  open(): void {
    this.panel.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    if (this.files.length === 0) this.begin("reno.js");
    else this.show(this.shown ?? this.files[0]);
    this.editor?.focus();
  }

  /** Adds a file; returns its name as soon as it has no errors. */
  async write(): Promise<string | undefined> {
    if (this.panel.hidden) this.open();
    else this.begin("reno.js");
    await this.taken;
    return this.shown?.name;
  }

  /** The scenario's value in place of a preset's name for one of the reader's algorithms; null for another name. */
  tableOf(name: string): Record<string, string> | null {
    const file = this.files.find((file) => name === file.name || name.startsWith(`${file.name}:`));
    if (!file) return null;
    const language = file.name.endsWith(".wasm") ? "wasm" : "javascript";
    return { [language]: name, ...(file.preset === DEFAULT_PRESET ? {} : { preset: file.preset }) };
  }

  /** Shows why an algorithm has failed. */
  fail(failure: Failure): void {
    const file = this.files.find(({ name }) => name === failure.file);
    if (!file) return;
    // the message stays while the reader writes another file
    if (this.panel.hidden) this.show(file);
    this.panel.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.errors.textContent = failure.message;
    if (file === this.shown) this.editor?.show(failure);
  }

  private controls(): HTMLElement {
    const input = element("input", { type: "file", accept: ".js,.wasm", hidden: "", "aria-label": words.input });
    input.addEventListener("change", () => void this.load(input));
    const load = button(words.load, () => input.click());
    const keep = button(words.save, () => this.shown && save(this.shown.name, this.shown.content, "application/octet-stream"));
    const drop = button(words.remove, () => this.drop());
    return element(
      "div",
      { class: "own-controls" },
      element("label", {}, `${words.file} `, this.picker),
      element("label", {}, `${words.name} `, this.name),
      element("label", {}, `${words.template} `, this.template),
      load,
      input,
      keep,
      drop,
    );
  }

  /** Adds a file from a template. */
  private begin(template: string): void {
    this.template.value = "";
    const content = templates[template];
    if (content === undefined) return;
    this.add({ name: this.free(template), content, preset: PRESETS[template] ?? DEFAULT_PRESET });
  }

  private async load(input: HTMLInputElement): Promise<void> {
    const [file] = input.files ?? [];
    input.value = "";
    if (!file) return;
    const name = file.name.replace(/[^A-Za-z0-9_.-]/g, "-").replace(/\.(?=.*\.)/g, "-");
    if (!NAME.test(name)) return this.refuse(words.ending(file.name));
    if (file.size > FILE_BYTES_MAX) return this.refuse(words.tooLong(name, file.size, FILE_BYTES_MAX));
    const bytes = new Uint8Array(await file.arrayBuffer());
    // a loaded file with an existing name is a new version of that file
    this.files = this.files.filter((other) => other.name !== name);
    this.add({ name, content: name.endsWith(".js") ? new TextDecoder().decode(bytes) : bytes, preset: DEFAULT_PRESET });
  }

  /** Adds files under the names by which the scenario calls them; a file of the reader's makes room. */
  private adopt(files: OwnFile[]): void {
    for (const file of files) {
      for (const other of this.files) if (other.name === file.name) other.name = this.free(file.name);
      this.files.push(file);
    }
    this.show(files[0]);
  }

  private refuse(message: string): void {
    this.errors.textContent = message;
  }

  private add(file: OwnFile): void {
    this.files.push(file);
    this.show(file);
    this.tell();
  }

  private drop(): void {
    this.files = this.files.filter((file) => file !== this.shown);
    this.show(this.files[0]);
    this.tell();
  }

  private rename(): void {
    const { shown } = this;
    const name = this.name.value.trim();
    if (!shown || name === shown.name) return;
    const isFree = this.files.every((file) => file === shown || file.name !== name);
    if (!NAME.test(name) || !isFree || name.endsWith(".js") !== shown.name.endsWith(".js")) {
      this.name.value = shown.name;
      return this.refuse(isFree ? words.badName : words.taken(name));
    }
    const from = shown.name;
    shown.name = name;
    this.show(shown);
    this.tell();
    void this.taken.then(() => this.events.renamed(from, name));
  }

  /** A name that no file has. */
  private free(wanted: string): string {
    const [stem = "mine", ending = "js"] = wanted.split(".");
    const own = stem.startsWith("my-") ? stem : `my-${stem}`;
    let name = `${own}.${ending}`;
    for (let number = 2; this.files.some((file) => file.name === name); number += 1) name = `${own}-${number}.${ending}`;
    return name;
  }

  private show(file: OwnFile | undefined): void {
    this.shown = file;
    this.errors.textContent = "";
    this.picker.replaceChildren(...this.files.map(({ name }) => element("option", { value: name }, name)));
    this.picker.value = file?.name ?? "";
    this.name.value = file?.name ?? "";
    const text = file && typeof file.content === "string" ? file.content : null;
    this.place.hidden = text === null;
    this.binary.hidden = !file || text !== null;
    this.binary.textContent = file && text === null ? words.module(file.content.length) : "";
    if (text === null) return;
    this.editor ??= new Editor(this.place, debounced(400, (typed) => this.typed(typed)), "javascript", "own-title");
    this.editor.text = text;
    this.editor.warn([]);
  }

  private typed(text: string): void {
    if (!this.shown) return;
    this.shown.content = text;
    this.tell();
  }

  /** Shows the result of the newest change. */
  private taken: Promise<void> = Promise.resolve();

  private tell(): void {
    const { shown } = this;
    const isKept = keep(this.files);
    this.taken = this.events.changed(this.files).then(
      (answers) => {
        this.names = answers.flatMap(({ names }) => names);
        const failure = answers.find(({ file }) => file === shown?.name)?.failure;
        this.errors.textContent = failure?.message ?? (isKept ? "" : words.notKept);
        if (failure) this.editor?.show(failure);
        else this.editor?.warn([]);
      },
      (failure: Failure) => this.fail(failure),
    );
  }

  private close(): void {
    this.panel.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
  }
}
