// The worker: answers requests, and runs a scenario in slices between them.

import { Module, Refused } from "./module";
import { programOf } from "../own/binary";
import { described } from "../own/host";
import { programsOf } from "../own/script";
import type { Failure, FromWorker, Order, OwnAnswer, OwnFile, Question, ToWorker } from "../protocol";

/** Events between readings of the clock when the run goes as fast as possible: some milliseconds of work. */
const SLICE_EVENTS = 20_000;
/** Events of a slice when the run keeps to a clock: the most by which simulated time overshoots. */
const PACED_EVENTS = 500;
const SLICE_MS = 16;

interface Scope {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
}
const scope = self as unknown as Scope;

let loading: Promise<void> | undefined;
let module: Module | undefined;
let run = 0;
let isRunning = false;
let speed = Infinity;
let paused = false;
/** The computation time of the run so far, ms. */
let spent_ms = 0;
/** The start of a paced run, by the clock and in simulated time. */
let pacedFrom = { clock_ms: 0, now_s: 0 };

// a message to itself arrives after those that wait, and sooner than a timer
const slices = new MessageChannel();
slices.port1.onmessage = () => slice();

// the first message brings the engine; messages that arrive before the engine or a file of the reader is ready wait
scope.onmessage = (event: MessageEvent) => {
  if (loading) loading = loading.then(() => hear(event.data as ToWorker));
  else loading = load(event.data as { wasm: Uint8Array<ArrayBuffer>; traces: Record<string, string> });
};

async function load(given: { wasm: Uint8Array<ArrayBuffer>; traces: Record<string, string> }): Promise<void> {
  try {
    module = await Module.load(given.wasm, given.traces);
  } catch (error) {
    scope.postMessage({ fatal: fatal(error) });
  }
}

function hear(message: ToWorker): void | Promise<void> {
  if ("order" in message) guarded(() => obey(message));
  else if (message.ask === "own") return take(message.files).then((value) => scope.postMessage({ reply: message.id, good: true, value }));
  else reply(message.id, message);
}

/** Replaces the reader's files. */
async function take(files: OwnFile[]): Promise<OwnAnswer[]> {
  const answers: OwnAnswer[] = [];
  module?.forget();
  for (const { name, content } of files) {
    try {
      const programs = typeof content === "string" ? await programsOf(name, content) : [programOf(name, content)];
      module?.keep(programs);
      answers.push({ file: name, names: programs.map((program) => program.name), failure: null });
    } catch (error) {
      const failure = error instanceof Refused ? { ...error.failure, file: name } : described(name, error, "");
      answers.push({ file: name, names: [], failure });
    }
  }
  return answers;
}

function reply(id: number, question: Exclude<Question, { ask: "own" }>): void {
  guarded(() => {
    try {
      const value = answer(question);
      scope.postMessage({ reply: id, good: true, value });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      scope.postMessage({ reply: id, good: false, failure: error.failure });
    }
  });
}

function answer(question: Exclude<Question, { ask: "own" }>): unknown {
  if (!module) throw new Error("not loaded");
  switch (question.ask) {
    case "check":
      return module.check(question.text);
    case "edit":
      return module.edit(question.text, question.edits);
    case "presets":
      return module.presets();
    case "table":
      return module.table(question.name);
  }
}

function obey(order: Order): void {
  if (!module) return;
  switch (order.order) {
    case "begin":
      ({ run, speed, paused } = order);
      isRunning = false;
      spent_ms = 0;
      scope.postMessage({ run, event: "begun", description: module.begin(order.text, order.hand) });
      isRunning = !hasFailed(module);
      break;
    case "pace":
      ({ speed, paused } = order);
      break;
    case "steer":
      module.steer(order.segments);
      return;
  }
  pacedFrom = { clock_ms: performance.now(), now_s: module.now_s };
  if (isRunning && !paused) next(0);
}

let isNext = false;

/** At most one slice is scheduled. */
function next(wait_ms: number): void {
  if (isNext) return;
  isNext = true;
  if (wait_ms > 0) setTimeout(slice, wait_ms);
  else slices.port2.postMessage(null);
}

/** Runs for some milliseconds, and then lets other messages be handled. */
function slice(): void {
  isNext = false;
  if (!isRunning || paused) return;
  guarded(() => {
    if (!module) return;
    const begun = performance.now();
    const target_s = pacedFrom.now_s + ((begun - pacedFrom.clock_ms) / 1000) * speed;
    const events = speed === Infinity ? SLICE_EVENTS : PACED_EVENTS;
    let finished = false;
    while (!finished && !module.host.failure && module.now_s < target_s && performance.now() - begun < SLICE_MS) {
      finished = module.advance(events);
    }
    spent_ms += performance.now() - begun;
    if (hasFailed(module)) return;
    if (finished) end(module);
    else goOn(module, begun);
  });
}

/** Returns whether one of the reader's algorithms has ended the run. */
function hasFailed(module: Module): boolean {
  const { failure } = module.host;
  if (!failure) return false;
  isRunning = false;
  scope.postMessage({ run, event: "failed", failure });
  return true;
}

function end(module: Module): void {
  isRunning = false;
  const summary = module.finish(spent_ms / 1000);
  const rows = module.takeRows();
  const message: FromWorker = { run, event: "ended", now_s: module.now_s, summary, ...rows };
  scope.postMessage(message, [rows.flows.buffer, rows.links.buffer]);
}

function goOn(module: Module, begun: number): void {
  const rows = module.takeRows();
  const message: FromWorker = { run, event: "rows", now_s: module.now_s, ...rows };
  scope.postMessage(message, [rows.flows.buffer, rows.links.buffer]);
  next(speed === Infinity ? 0 : Math.max(1, SLICE_MS - (performance.now() - begun)));
}

/** An error of the engine ends the run; a trap ends the worker. */
function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    isRunning = false;
    if (error instanceof Refused) scope.postMessage({ run, event: "failed", failure: error.failure });
    else scope.postMessage({ fatal: fatal(error) });
  }
}

function fatal(error: unknown): Failure {
  const isTrap = error instanceof WebAssembly.RuntimeError;
  return isTrap && module ? module.lastWords() : { message: String(error), line: null, key: "" };
}
