// The page: it keeps the scenario's text, its form and its runs consistent.

import packedEngine from "virtual:engine";
import { scenarios, traces } from "virtual:scenarios";
import workerSource from "virtual:worker";

import { Scales } from "./run/charts";
import { onNarrow, onTheme } from "./page/colours";
import { offerDownloads } from "./run/download";
import { Editor, words } from "./scenario/editor";
import { byId, debounced, element } from "./page/elements";
import { Engine } from "./engine/engine";
import { Form, nameOf, WRITE_OWN } from "./scenario/form";
import { Hand } from "./scenario/hand";
import { at } from "./scenario/keys";
import { bytesOf, fromFragment, type State, through, toFragment, wordOf } from "./scenario/link";
import { type Lesson, LESSONS } from "./lessons/lessons";
import { Lessons } from "./lessons/panel";
import { Workshop } from "./own/workshop";
import { Playback } from "./run/playback";
import type { Description, Edit, Failure, OwnAnswer, OwnFile } from "./protocol";
import { Side } from "./run/side";
import { forTests } from "./tests";
import { language, speak, texts, write } from "./page/language";
import "./style.css";

/** Folders of shipped scenarios. */
const GROUPS = {
  "papers/": "Papers' figures and tables",
  "evaluate/": "Criteria of RFC 9743",
  "c4/": "Cases of draft-huitema-ccwg-c4-test",
  "tcpeval/": "Cases of draft-irtf-iccrg-tcpeval",
  "l4s/": "L4S: low latency, low loss",
};
const FIRST = "gallop-50mbit";
const FRESH: State = { scenario: "", beside: "", speed: Infinity, hand: false, link: "", lesson: "", embedded: false, own: [] };
/** The unpacked engine has a few megabytes. */
const ENGINE_BYTES_MAX = 64 << 20;

class Playground {
  private readonly state: State = { ...FRESH };
  private readonly scales = new Scales();
  private readonly main: Side;
  private readonly besideSide: Side;
  private readonly form: Promise<Form>;
  private readonly editor: Editor;
  private readonly playback: Playback;
  private readonly hand: Hand;
  private readonly workshop: Workshop;
  private readonly lessons: Lessons;
  private description: Description | undefined;
  /** Changes of the text, carried out one after another. */
  private changes: Promise<unknown> = Promise.resolve();

  constructor(engine: () => Engine) {
    write(document);
    onNarrow((isNarrow) => (isNarrow ? byId("picture").before(byId("form")) : byId("controls").prepend(byId("form"))));
    this.main = new Side(engine(), this.scales, (failure) => this.onEnd(failure));
    this.besideSide = new Side(engine(), this.scales, (failure) => this.onEnd(failure));
    this.besideSide.frame.hidden = true;
    byId("sides").append(this.main.frame, this.besideSide.frame);
    this.editor = new Editor(byId("editor"), debounced(150, (text) => this.change(async () => text)), "toml", "toml-title");
    this.workshop = new Workshop({
      changed: (files) => this.takeOwn(files),
      renamed: (from, to) => this.renameOwn(from, to),
    });
    this.form = this.main.engine.presets().then(
      (presets) =>
        new Form(byId("form"), presets, {
          edit: (edits) => this.edit(edits),
          link: (id) => this.watch(id),
          algorithm: (flow, name) => void this.choose(name, (chosen) => this.setAlgorithms([[flow, chosen]])),
          beside: (name) => void this.choose(name, (chosen) => this.compare(chosen)),
        }),
    );
    this.playback = new Playback(() => this.sides(), {
      pace: (speed) => {
        this.state.speed = speed;
        void this.showLink();
      },
      restart: () => void this.run(),
    });
    this.hand = new Hand({
      toggle: (isOn) => this.steer(isOn),
      steer: (segments) => this.main.engine.steer(segments),
    });
    this.lessons = new Lessons({
      open: (lesson) => this.learn(lesson?.id ?? ""),
      guessed: ({ scenario }) => this.change(async () => scenario),
    });
    offerDownloads(this.main, () => this.sides(), () => this.state.scenario);
    this.offerShipped();
    this.offerLanguages();
    byId("share").addEventListener("click", () => void this.share());
    addEventListener("hashchange", () => void this.open());
    onTheme(() => this.sides().forEach((side) => (side.charts.make(), side.charts.draw())));
  }

  /** Opens the scenario that the address names. */
  async open(): Promise<void> {
    const name = wordOf(location.hash, "open");
    const lesson = LESSONS.find(({ id }) => id === wordOf(location.hash, "t"));
    const fallback = { ...FRESH, scenario: scenarios[name ?? FIRST] ?? scenarios[FIRST] ?? "", ...begun(lesson), embedded: wordOf(location.hash, "e") !== null };
    const isWhole = wordOf(location.hash, "s") !== null;
    try {
      byId("notice").textContent = name !== null && !scenarios[name] ? texts.status.noScenario(name) : "";
      Object.assign(this.state, (await fromFragment(location.hash)) ?? fallback);
    } catch {
      byId("notice").textContent = texts.status.damaged;
      Object.assign(this.state, fallback);
    }
    this.lessons.show(this.state.lesson, !isWhole);
    this.lessons.offer(!lesson && !isWhole && name === null && !this.state.embedded);
    document.body.classList.toggle("embedded", this.state.embedded);
    byId("whole").hidden = !this.state.embedded;
    this.playback.setSpeed(this.state.speed);
    this.editor.text = this.state.scenario;
    await this.workshop.welcome(this.state.own);
    this.change(async () => this.state.scenario);
  }

  /** Opens a lesson by its name; without a name it closes the one that is open. */
  private learn(id: string): void {
    const lesson = LESSONS.find((lesson) => lesson.id === id);
    Object.assign(this.state, lesson ? { ...FRESH, ...begun(lesson), embedded: this.state.embedded } : { lesson: "" });
    this.lessons.show(id, true);
    this.lessons.offer(false);
    this.playback.setSpeed(this.state.speed);
    this.change(async () => this.state.scenario);
  }

  private sides(): Side[] {
    return this.state.beside || this.state.hand ? [this.main, this.besideSide] : [this.main];
  }

  /** Replaces the text by the result of `make`, after all earlier changes. */
  private change(make: () => Promise<string>): void {
    this.changes = this.changes.then(async () => {
      try {
        await this.take(await make());
      } catch (error) {
        this.fail(error as Failure);
      }
    });
  }

  private edit(edits: Edit[]): void {
    this.change(() => this.main.engine.edit(this.state.scenario, edits));
  }

  /** Checks a text, shows it everywhere, and runs it. */
  private async take(text: string): Promise<void> {
    this.editor.text = text;
    this.state.scenario = text;
    this.description = await this.main.engine.check(text);
    this.state.own = this.workshop.namedIn(text + this.state.beside);
    this.editor.warn(this.description.warnings);
    byId("errors").textContent = "";
    await this.showScenario();
    await this.run();
  }

  private async showScenario(): Promise<void> {
    const { description } = this;
    if (!description) return;
    byId("about").textContent = description.description ?? "";
    document.title = `${description.name} · vegaslab playground`;
    const shipped = Object.keys(scenarios).find((name) => scenarios[name] === this.state.scenario);
    byId<HTMLSelectElement>("shipped").value = shipped ?? "";
    (await this.form).show(description, this.link(description), this.state.beside, this.workshop.names);
    await this.showLink();
  }

  /** The link that the page shows. */
  private link(description: Description): number {
    const named = description.links.findIndex(({ id }) => id === this.state.link);
    return named < 0 ? description.watched : named;
  }

  private async run(): Promise<void> {
    const { description } = this;
    if (!description) return;
    if (this.lessons.isAsking) return this.sides().forEach(({ engine }) => engine.stop());
    const { scenario, beside, hand } = this.state;
    const areTwo = this.sides().length === 2;
    this.besideSide.frame.hidden = !areTwo;
    byId("sides").classList.toggle("two", areTwo);
    this.hand.show(hand);
    const pace = this.playback.begin(description.duration_s);
    const link = (described: Description) => this.link(described);
    const own = [...new Set(description.flows.map(({ algorithm }) => algorithm))].join(", ");
    this.say("");
    this.main.run(scenario, hand ? 0 : null, pace, hand ? texts.status.you : areTwo ? own : "", link);
    if (hand) this.main.engine.steer(this.hand.window);
    if (areTwo) {
      const text = beside ? await this.withAlgorithm(description, beside) : scenario;
      this.besideSide.run(text, null, pace, beside || own, link);
    } else {
      this.scales.forget(this.besideSide.charts);
      this.besideSide.engine.stop();
    }
  }

  /** The scenario with this algorithm for all flows. */
  private withAlgorithm(description: Description, algorithm: string): Promise<string> {
    const value = this.workshop.tableOf(algorithm) ?? algorithm;
    const edits = description.flows.map((_, flow) => ({ set: { key: `flow.${flow}.algorithm`, value } }));
    return this.main.engine.edit(this.state.scenario, edits);
  }

  /** Continues with an algorithm's name, as soon as the reader has written one. */
  private async choose(name: string, goOn: (name: string) => void): Promise<void> {
    const chosen = name === WRITE_OWN ? await this.workshop.write() : name;
    if (chosen !== undefined) goOn(chosen);
  }

  /** Sets the algorithms of flows, by name. */
  private setAlgorithms(chosen: [flow: number, name: string][]): void {
    this.edit(
      chosen.map(([flow, name]) => ({ set: { key: `flow.${flow}.algorithm`, value: this.workshop.tableOf(name) ?? name } })),
    );
  }

  /** Takes over changed files of the reader: scenarios may name them, and runs use them. */
  private async takeOwn(files: OwnFile[]): Promise<OwnAnswer[]> {
    const [answers] = await Promise.all([this.main.engine.own(files), this.besideSide.engine.know(files)]);
    // while the reader writes a file, the newest version without errors has run
    if (answers.every(({ failure }) => !failure)) this.change(async () => this.state.scenario);
    return answers;
  }

  private renameOwn(from: string, to: string): void {
    const renamed = (name: string) => (name === from || name.startsWith(`${from}:`) ? to + name.slice(from.length) : name);
    const chosen = this.description?.flows.map((_, flow): [number, string] => {
      const name = nameOf(at(this.description?.document ?? null, `flow.${flow}.algorithm`));
      return [flow, name ?? ""];
    });
    this.state.beside = renamed(this.state.beside);
    this.setAlgorithms((chosen ?? []).filter(([, name]) => renamed(name) !== name).map(([flow, name]) => [flow, renamed(name)]));
  }

  /** Begins steering, in real time unless the reader has chosen a speed; or ends it. */
  private steer(isOn: boolean): void {
    this.state.hand = isOn;
    if (isOn && this.state.speed === Infinity) {
      this.state.speed = 1;
      this.playback.setSpeed(1);
    }
    void this.showLink();
    void this.run();
  }

  private watch(id: string): void {
    this.state.link = id;
    if (!this.description) return;
    const link = this.link(this.description);
    this.sides().forEach((side) => side.watch(link));
    void this.showScenario();
  }

  private compare(algorithm: string): void {
    this.state.beside = algorithm;
    void this.showLink();
    this.change(async () => this.state.scenario);
  }

  private onEnd(failure: Failure | null): void {
    if (failure) return this.fail(failure);
    if (!this.sides().every(({ summary }) => summary)) return;
    this.say(texts.status.over);
    const { description, summary } = this.main;
    if (description && summary) this.lessons.ended({ description, summary });
  }

  private fail(failure: Failure | Error): void {
    const known = "key" in failure ? failure : { message: failure.message, line: null, key: "" };
    if (known.file !== undefined) return this.workshop.fail(known);
    this.editor.show(known);
    byId("errors").textContent = words(known);
  }

  private say(text: string): void {
    byId("status").textContent = text;
  }

  private offerShipped(): void {
    const picker = byId<HTMLSelectElement>("shipped");
    const option = (name: string) => element("option", { value: name }, name);
    const names = Object.keys(scenarios);
    const groups = Object.entries(GROUPS).map(([folder, label]) =>
      element("optgroup", { label }, ...names.filter((name) => name.startsWith(folder)).map(option)),
    );
    picker.append(element("option", { value: "", hidden: "" }, texts.status.yourScenario), ...names.filter((name) => !name.includes("/")).map(option), ...groups);
    picker.addEventListener("change", () => {
      Object.assign(this.state, { link: "", lesson: "" });
      this.lessons.show("", false);
      this.change(async () => scenarios[picker.value] ?? "");
    });
  }

  /** The page's state in an address. A lesson that waits for a guess asks for it there, too. */
  private fragment(changed: Partial<State> = {}): Promise<string> {
    const { lesson, embedded } = this.state;
    return toFragment({ ...(this.lessons.isAsking ? { ...FRESH, lesson, embedded } : this.state), ...changed });
  }

  private offerLanguages(): void {
    const picker = byId<HTMLSelectElement>("language");
    picker.value = language;
    picker.addEventListener("change", async () => speak(picker.value, this.isFirstView() ? "#" : await this.fragment()));
  }

  /** Whether the reader sees the list of lessons, and has changed nothing. */
  private isFirstView(): boolean {
    return !byId("lessons").hidden && this.state.scenario === scenarios[FIRST] && !this.state.beside;
  }

  private async showLink(): Promise<void> {
    const fragment = await this.fragment();
    byId<HTMLAnchorElement>("whole").href = location.href.replace(/#.*/, "") + (await this.fragment({ embedded: false }));
    try {
      history.replaceState(null, "", fragment);
    } catch {
      // some browsers refuse that for pages from files; the copied link has the state
    }
  }

  private async share(): Promise<void> {
    const address = location.href.replace(/#.*/, "") + (await this.fragment());
    try {
      await navigator.clipboard.writeText(address);
      byId("share").textContent = texts.status.copied;
      setTimeout(() => (byId("share").textContent = texts.page.share), 2000);
    } catch {
      this.say(texts.status.inAddressBar);
    }
  }
}

/** The state in which a lesson begins. */
function begun(lesson: Lesson | undefined): Partial<State> {
  return lesson ? { scenario: lesson.scenario, beside: lesson.beside, lesson: lesson.id } : {};
}

async function start(): Promise<void> {
  const packed = bytesOf(packedEngine);
  const wasm = await through(new DecompressionStream("deflate-raw"), packed, ENGINE_BYTES_MAX);
  const engine = () => new Engine(workerSource, wasm, traces);
  Object.assign(window, { vegaslab: forTests(engine) });
  await new Playground(engine).open();
}

start().catch((error: unknown) => {
  byId("errors").textContent = `The page cannot run here: ${error instanceof Error ? error.message : String(error)}`;
});
