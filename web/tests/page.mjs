// Tests what a reader can do on the page: node tests/page.mjs [TEST ...]

import assert from "node:assert/strict";
import { mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { PATIENCE_MS, page_address, withPage } from "./browser.mjs";

const BYTES_MAX = 3_000_000;

const chosen = process.argv.slice(2);
const tests = {
  "form and file are in step, and comments stay": async (page) => {
    await over(page);
    await page.getByRole("slider", { name: "Rate" }).fill("1");
    await until(page, () => editorText().includes('rate = "10mbit"'));
    await page.getByRole("button", { name: "One more flow like 0" }).click();
    await until(page, () => editorText().split("[[flow]]").length === 3);
    await page.getByLabel("Algorithm of flow 1").selectOption("reno");
    await until(page, () => editorText().includes('algorithm = "reno"'));
    assert.match(await editorText(page), /^#:schema .*\n# Vegas alone on 50 Mb\/s/);
    await page.getByRole("button", { name: "Remove flow 1" }).click();
    await until(page, () => editorText().split("[[flow]]").length === 2);
    await type(page, (text) => text.replace('"48ms"', '"5ms"'));
    await page.getByText("5 ms", { exact: true }).waitFor();
  },
  "an error is the engine's, at its line": async (page) => {
    await over(page);
    await type(page, (text) => text.replace('"50mbit"', '"50mbps"'));
    await page.getByText('line 15: topology.bottleneck.rate: "50mbps" is not a rate').waitFor();
    await page.locator(".cm-lint-marker-error").waitFor();
    await type(page, (text) => text.replace('"50mbps"', '"50mbit"'));
    await until(page, () => document.querySelector("#errors").textContent === "");
  },
  "two algorithms are side by side on the same scales": async (page) => {
    await over(page);
    await page.locator("#beside").selectOption("reno");
    await until(page, () => document.querySelectorAll(".side:not([hidden]) tbody tr").length === 2);
    await over(page);
    assert.deepEqual(await page.locator(".side h2").allTextContents(), ["vegas", "reno"]);
    const goodput = await page.locator(".side tbody td:nth-child(2)").allTextContents();
    assert.notEqual(goodput[0], goodput[1]);
  },
  "a link holds everything, and is short": async (page) => {
    await over(page);
    await page.getByLabel("Algorithm of flow 0").selectOption("gallop");
    await page.locator("#beside").selectOption("cubic");
    await until(page, () => location.hash.includes("b=cubic"));
    await over(page);
    const address = page.url();
    assert.ok(address.length - page_address.length < 2000, `${address.length} characters`);
    const text = await editorText(page);
    assert.match(text, /algorithm = "gallop"/);
    await page.goto("about:blank");
    await page.goto(address);
    await over(page);
    assert.equal(await editorText(page), text);
    assert.deepEqual(await page.locator(".side h2").allTextContents(), ["gallop", "cubic"]);
  },
  "a damaged link is said to be one": async (page) => {
    await page.goto("about:blank");
    await page.goto(`${page_address}#s=AAAA`);
    await page.getByText("The link is damaged").waitFor();
  },
  "the reader steers": async (page) => {
    await over(page);
    await page.getByRole("button", { name: "You are the congestion control" }).click();
    await until(page, () => document.querySelectorAll(".side tbody tr").length === 0);
    await page.getByLabel("Your window").fill("2.5");
    await until(page, () => document.querySelector(".values").textContent === "you 316");
    await page.locator("#speed").selectOption("Infinity");
    await over(page);
    assert.equal(await page.locator(".side h2").first().textContent(), "You");
    await page.getByRole("button", { name: "Let the algorithm steer" }).click();
    await over(page);
  },
  "the reader writes an algorithm": async (page) => {
    await over(page);
    await page.getByLabel("Algorithm of flow 0").selectOption("own…");
    await until(page, () => editorText().includes('algorithm = { javascript = "my-reno.js", preset = "reno" }'));
    await page.getByText("Reno 687").waitFor();
    const text = page.getByRole("textbox", { name: "Your own algorithm" });
    await text.fill("class Two {\n  window = 2;\n  on_ack() {}\n  on_loss() {}\n}\n");
    await until(page, () => document.querySelector(".values").textContent === "Two 2");
    await text.fill("class Two {\n  window = 2;\n  on_ack(ack) { ack.no.such }\n  on_loss() {}\n}\n");
    await page.getByText(/^my-reno.js:3: on_ack at .* TypeError/).waitFor();
    await page.locator("#own .cm-lint-marker-error").waitFor();
    await page.getByLabel("New from").selectOption("vegas.js");
    await page.locator("#beside").selectOption("my-vegas.js");
    await page.getByLabel("Name", { exact: true }).fill("mine.js");
    await page.locator("#own-file").focus();
    await until(page, () => document.querySelector("#beside").value === "mine.js");
    await until(page, () => location.hash.includes("b=mine.js"));
  },
  "a module is loaded from a file": async (page) => {
    await over(page);
    await page.getByRole("button", { name: "Write your own algorithm" }).click();
    await page.getByLabel("A file with an algorithm").setInputFiles(resolve(import.meta.dirname, "../../examples/own-algorithm/modules/reno-c.wasm"));
    await page.getByText(/^A module of \d+ bytes/).waitFor();
    await page.getByLabel("Algorithm of flow 0").selectOption("reno-c.wasm");
    await page.getByText("reno-c-wasm 540").waitFor();
  },
  "a link brings an algorithm, which the reader reads first": async (page) => {
    const address = await linkWithOwn(page);
    await page.evaluate(() => localStorage.clear());
    await page.goto("about:blank");
    await page.goto(address);
    await page.getByText("The link brings an algorithm, my-reno.js.").waitFor();
    assert.match(await page.locator("#offer pre").textContent(), /class Reno/);
    assert.equal(await page.locator(".values").count(), 0);
    await page.getByRole("button", { name: "Run it" }).click();
    await page.getByText("Reno 687").waitFor();
    await page.goto("about:blank");
    await page.goto(address);
    await page.getByText("Reno 687").waitFor();
    assert.ok(await page.locator("#offer").isHidden(), "the reader has the file already");
  },
  "a link's algorithm is left out, or stands beside the reader's": async (page) => {
    const address = await linkWithOwn(page);
    const text = page.getByRole("textbox", { name: "Your own algorithm" });
    await text.fill("class Two {\n  window = 2;\n  on_ack() {}\n  on_loss() {}\n}\n");
    await until(page, () => document.querySelector(".values").textContent === "Two 2");
    await page.goto("about:blank");
    await page.goto(address);
    await page.getByRole("button", { name: "Run it" }).click();
    await page.getByText("Reno 687").waitFor();
    await page.getByRole("button", { name: "Write your own algorithm" }).click();
    assert.deepEqual(await page.locator("#own-file option").allTextContents(), ["my-reno-2.js", "my-reno.js"]);
    await page.evaluate(() => localStorage.clear());
    await page.goto("about:blank");
    await page.goto(address);
    await page.getByRole("button", { name: "Leave it out" }).click();
    await page.getByText("my-reno.js: is no algorithm of this page, which has none").waitFor();
  },
  "a link with damaged files is said to be damaged": async (page) => {
    const address = await linkWithOwn(page);
    await page.goto("about:blank");
    await page.goto(address.replace(/&a=[^&]*/, "&a=AAAA"));
    await page.getByText("The link is damaged").waitFor();
  },
  "a corrected endless loop runs again": async (page) => {
    await linkWithOwn(page);
    const text = page.getByRole("textbox", { name: "Your own algorithm" });
    const written = (body) => text.fill(`class Two {\n  window = 2;\n  on_ack() { ${body} }\n  on_loss() {}\n}\n`);
    const runs = () => until(page, () => document.querySelector(".values").textContent === "Two 2");
    await written("for (;;);");
    await until(page, () => document.querySelector(".values").textContent === "Two –");
    await written("");
    await runs();
    assert.equal(await page.locator("#own-errors").textContent(), "");
    await written("for (;;);");
    await page.getByText("my-reno.js: no answer for 10 s").waitFor();
    await written("");
    await runs();
  },
  "the first view offers the lessons": async (page) => {
    await over(page);
    assert.equal(await page.locator("#lessons li").count(), 6);
    await page.getByRole("button", { name: /^2\. Bufferbloat/ }).click();
    await page.getByRole("heading", { name: "Lesson 2 of 6: Bufferbloat" }).waitFor();
    assert.ok(await page.locator("#sides").isHidden(), "nothing is drawn before the guess");
    await page.getByRole("button", { name: "Next lesson" }).click();
    await page.getByRole("heading", { name: "Lesson 3 of 6: Vegas's idea" }).waitFor();
    await page.getByRole("button", { name: "Close the lesson" }).click();
    await over(page);
    assert.ok(await page.locator("#lesson").isHidden());
    await page.goto("about:blank");
    await page.goto(`${page_address}#open=lossy`);
    await over(page);
    assert.ok(await page.locator("#lessons").isHidden(), "a link to a scenario shows the scenario");
  },
  "each lesson answers from its run, and scores its task": async (page) => {
    for (const [id, { guess, value, task }] of Object.entries(LESSONS)) {
      await page.goto("about:blank");
      await page.goto(`${page_address}#t=${id}`);
      const button = page.getByRole("button", { name: "Run it" });
      if (typeof guess === "string") await page.getByLabel(guess, { exact: true }).check();
      else await page.getByRole("spinbutton", { name: "Your guess" }).fill(String(guess));
      await button.click();
      await page.locator(".score").waitFor();
      const summary = await page.evaluate((text) => vegaslab.summary(text), await editorText(page));
      const said = await page.locator("#lesson p b").first().textContent();
      assert.ok(said.includes(` ${value(summary).toPrecision(3)} `), `${id}: ${said}; the summary has ${value(summary)}`);
      assert.match(said, /^Right: /, id);
      assert.ok((await points(page)) < 100, `${id}: the task is open`);
      await task(page);
      await until(page, () => /^Score: 100 of 100/.test(document.querySelector(".score").textContent));
    }
    await page.getByRole("button", { name: "Lessons", exact: true }).click();
    assert.deepEqual(await page.locator("#lessons small").allTextContents(), Array(6).fill("100 / 100"));
  },
  "a wrong guess is answered, and a shared attempt asks for none": async (page) => {
    await page.goto("about:blank");
    await page.goto(`${page_address}#t=starvation`);
    await page.getByLabel("50 %", { exact: true }).check();
    await page.getByRole("button", { name: "Run it" }).click();
    await page.getByText("You guessed 50 %; the run gives 5.09 %.").waitFor();
    await page.getByRole("slider", { name: "Queue" }).fill("1.3");
    await until(page, () => /"20p"/.test(editorText()));
    await page.getByText("smallest share of a flow: at least 40 %; now 27.8 %").waitFor();
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await page.getByText("smallest share of a flow: at least 40 %; now 27.8 %").waitFor();
  },
  "lessons speak German, by link and by choice": async (page) => {
    await over(page);
    await page.locator("#language").selectOption("de");
    await page.getByRole("heading", { name: "Sechs Lektionen" }).waitFor();
    await page.locator("#language").selectOption("en");
    await page.getByRole("heading", { name: "Six lessons" }).waitFor();
    await page.goto("about:blank");
    await page.goto(`${page_address}#t=vegas`);
    await until(page, () => document.querySelector("#whole").href.endsWith("#t=vegas"));
    await page.locator("#language").selectOption("de");
    await page.getByRole("heading", { name: "Lektion 3 von 6: Die Idee von Vegas" }).waitFor();
    await page.getByText("Wie viele Pakete stehen im Mittel").waitFor();
    await page.getByLabel("3 Pakete", { exact: true }).check();
    await page.getByRole("button", { name: "Starten" }).click();
    await page.getByText("Richtig: Der Lauf ergibt 2,80 Pakete.").waitFor();
    await until(page, () => location.hash.includes("g=de"));
    await page.locator("#language").selectOption("en");
    await page.getByRole("heading", { name: "Lesson 3 of 6: Vegas's idea" }).waitFor();
    await page.locator("#language").selectOption("de");
    await page.getByRole("heading", { name: "Lektion 3 von 6: Die Idee von Vegas" }).waitFor();
    await page.goto("about:blank");
    await page.goto(page_address);
    await page.getByRole("heading", { name: "Sechs Lektionen" }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
    await page.getByText("Der Lauf ist zu Ende.").waitFor();
    await page.getByText(/^Der Fluss \(vegas\) ist in der Überlastvermeidung/).waitFor();
    await page.getByRole("slider", { name: "Schlange" }).waitFor();
    await page.getByRole("button", { name: "Eigenen Algorithmus schreiben" }).click();
    await page.getByRole("button", { name: "Datei laden…" }).waitFor();
  },
  "time can be stopped and gone back": async (page) => {
    await over(page);
    await page.locator("#scrub").fill("35");
    await until(page, () => document.querySelector("#time").textContent === "35.0 of 70 s");
    await page.locator("h1").click();
    await page.keyboard.press("l");
    await until(page, () => document.querySelector("#time").textContent === "35.7 of 70 s");
    await page.locator("#speed").selectOption("0.1");
    await page.getByRole("button", { name: "Run again" }).click();
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
  },
  "tables can be taken home": async (page) => {
    await over(page);
    await page.locator("#downloads summary").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "flows.csv" }).click()]);
    assert.equal(download.suggestedFilename(), "gallop-50mbit-flows.csv");
    await page.locator("#downloads summary").click();
    const [picture] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Picture" }).click()]);
    assert.ok(statSync(await picture.path()).size > 10_000);
  },
  "the sentence goes by the packets of the scenario": async (page) => {
    await page.goto("about:blank");
    await page.goto(`${page_address}#open=tcpeval/several-bottlenecks`);
    await over(page);
    // 1500 bytes at 20 Mb/s
    await page.getByText("1 packet waits at r1 → r2, which adds about 0.600 ms").waitFor();
  },
  "QUIC flows run, and one is steered": async (page) => {
    await over(page);
    await page.locator("#shipped").selectOption("quic");
    await page.getByText("of 30 s").waitFor();
    await over(page);
    assert.match(await page.locator(".side tbody th").first().textContent(), /gallop/);
    await page.getByText(/^r1 → r2: busy \d+ % of the time/).first().waitFor();
    await page.getByRole("button", { name: "You are the congestion control" }).click();
    await page.getByLabel("Your window").fill("2.5");
    await page.locator("#speed").selectOption("Infinity");
    await over(page);
    assert.equal(await page.locator(".side h2").first().textContent(), "You");
  },
  "every control has a name": async (page) => {
    await over(page);
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll("button, select, input, summary, canvas[role], [role=img], [contenteditable=true]")]
        .filter((control) => !control.closest("[hidden]"))
        .filter((control) => !control.textContent.trim() || control.matches("select"))
        .filter((control) => !control.labels?.length && !control.ariaLabel && !control.getAttribute("aria-labelledby"))
        .map((control) => control.outerHTML.slice(0, 120)),
    );
    assert.deepEqual(nameless, []);
  },
  "a phone needs no scrolling aside": async (page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await over(page);
    await page.locator("#beside").selectOption("reno");
    await until(page, () => document.querySelectorAll(".side:not([hidden]) tbody tr").length === 2);
    await page.getByRole("button", { name: "Write your own algorithm" }).click();
    await page.getByRole("textbox", { name: "Your own algorithm" }).waitFor();
    assert.equal(await page.evaluate(() => document.scrollingElement.scrollWidth), 390);
  },
  "a phone has the controls before the charts": async (page) => {
    await over(page);
    const top = async (selector) => (await page.locator(selector).boundingBox()).y;
    assert.ok((await page.locator("#form").boundingBox()).x > (await page.locator("#sides").boundingBox()).x, "a wide page has them aside");
    await page.setViewportSize({ width: 390, height: 844 });
    await until(page, () => document.querySelector("#stage #form"));
    assert.ok((await top("#form")) < (await top("#sides")));
    assert.ok((await top("#transport")) < (await top("#form")));
    await page.getByRole("button", { name: "You are the congestion control" }).click();
    await page.locator(".charts").first().scrollIntoViewIfNeeded();
    await page.locator(".totals").first().scrollIntoViewIfNeeded();
    assert.ok((await top("#hand-panel")) >= 0, "the wheel stays in sight");
  },
  "the axis slides while a run keeps to a clock": async (page) => {
    await over(page);
    const range = () => page.locator(".plot").first().getAttribute("aria-label");
    assert.match(await range(), /^Window in segments from 0 to 70 s; /);
    await page.locator("#speed").selectOption("1");
    await page.getByRole("button", { name: "You are the congestion control" }).click();
    await until(page, () => document.querySelector(".plot").ariaLabel.startsWith("Window in segments from 0 to 10 s"));
    await until(page, () => /from (\d+(\.\d)?) to/.exec(document.querySelector(".plot").ariaLabel)[1] > 0.3);
    const [, from, to] = /from (.*) to (.*) s; /.exec(await range());
    assert.equal(Number((to - from).toFixed(1)), 10);
    await page.locator("#speed").selectOption("Infinity");
    await over(page);
    await until(page, () => document.querySelector(".plot").ariaLabel.startsWith("Window in segments from 0 to 70 s"));
  },
  "a term is explained where it stands": async (page) => {
    await over(page);
    const meaning = page.getByText("The number of segments that a flow may have on their way without an acknowledgement.");
    assert.ok(await meaning.isHidden());
    await page.getByRole("button", { name: "Window", exact: true }).click();
    await meaning.waitFor();
    await page.keyboard.press("Escape");
    await until(page, () => !document.querySelector(".meaning:popover-open"));
    const count = await page.locator(".term").count();
    assert.ok(count >= 13, `${count} terms`);
  },
  "another page embeds it": async (page) => {
    const file = join(mkdtempSync(join(tmpdir(), "vegaslab-")), "lecture.html");
    const address = `${page_address}#t=bufferbloat&e=1`;
    writeFileSync(file, `<iframe sandbox="allow-scripts allow-popups" width="900" height="700" src="${address}"></iframe>`);
    await page.goto(pathToFileURL(file).href);
    const frame = page.frameLocator("iframe");
    await frame.getByLabel("600 ms", { exact: true }).check();
    await frame.getByRole("button", { name: "Run it" }).click();
    await frame.getByText("Right: the run gives 592 ms.").waitFor();
    assert.ok(await frame.locator("header").isHidden());
    assert.ok(await frame.locator("#file").isHidden());
    const whole = await frame.getByRole("link", { name: "Open the whole playground" }).getAttribute("href");
    assert.match(whole, /#s=.*&t=bufferbloat$/);
  },
};

/** For each lesson the right guess, the guessed figure by the summary, and a way to do the task. */
const goodput = ({ flows }) => flows.reduce((sum, { goodput_mbps }) => sum + goodput_mbps, 0);
const queue = ({ links }) => links[0].mean_queue_packets;
const LESSONS = {
  window: {
    guess: 4.8,
    value: goodput,
    task: async (page) => {
      // slow motion, so that a busy machine loses little of the run before the window is set
      await page.locator("#speed").selectOption("0.1");
      await page.getByRole("button", { name: "You are the congestion control" }).click();
      await page.getByLabel("Your window").fill("2.11");
      await page.locator("#speed").selectOption("Infinity");
    },
  },
  bufferbloat: { guess: "600 ms", value: ({ flows }) => flows[0].mean_rtt_ms, task: (page) => page.getByRole("slider", { name: "Queue" }).fill("1.3") },
  vegas: { guess: "3 packets", value: queue, task: (page) => page.getByRole("slider", { name: "Flows" }).fill("6") },
  starvation: {
    guess: "5 %",
    value: (summary) => (100 * Math.min(...summary.flows.map(({ goodput_mbps }) => goodput_mbps))) / goodput(summary),
    task: (page) => page.getByRole("slider", { name: "Queue" }).fill("1"),
  },
  start: { guess: "10 Mb/s", value: goodput, task: (page) => page.getByLabel("Algorithm of flow 0").selectOption("streak") },
  own: {
    guess: "75 packets",
    value: queue,
    task: async (page) => {
      await page.getByLabel("Algorithm of flow 0").selectOption("own…");
      await page.getByRole("textbox", { name: "Your own algorithm" }).fill("class Mine {\n  window = 150;\n  on_ack() {}\n  on_loss() {}\n}\n");
    },
  },
};

const bytes = statSync(resolve(import.meta.dirname, "../dist/playground.html")).size;
assert.ok(bytes <= BYTES_MAX, `playground.html has ${bytes} bytes; ${BYTES_MAX} at most`);

const wanted = Object.entries(tests).filter(([name]) => chosen.length === 0 || chosen.includes(name));
for (const [name, test] of wanted) {
  try {
    await withPage(async (page) => {
      await page.goto(page_address);
      await test(page);
    });
  } catch (error) {
    console.error(`the playground: ${name}: ${error.message}`);
    process.exit(1);
  }
}
console.log(`the playground: ${wanted.length} tests passed, ${bytes} bytes`);

/** Gives the flow an algorithm from the template of Reno; returns the link. */
async function linkWithOwn(page) {
  await over(page);
  await page.getByLabel("Algorithm of flow 0").selectOption("own…");
  await page.getByText("Reno 687").waitFor();
  await until(page, () => location.hash.includes("&a="));
  return page.url();
}

/** The score that the lesson shows. */
async function points(page) {
  return Number(/^Score: (\d+) of 100/.exec(await page.locator(".score").textContent())[1]);
}

/** Waits for the end of the run. */
async function over(page) {
  await page.getByText("The run is over.").waitFor();
}

/** Waits until an expression holds in the page. The test evaluates it from here, because the page's own rules allow
 * no new code. */
async function until(page, holds) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await page.evaluate(`(() => { const editorText = ${editorTextHere}; return (${holds})(); })()`))) {
    if (Date.now() > deadline) throw new Error(`never held: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function editorTextHere() {
  return [...document.querySelectorAll("#editor .cm-line")].map((line) => line.textContent).join("\n");
}

function editorText(page) {
  return page.evaluate(`(${editorTextHere})()`);
}

/** Replaces the editor's text by a changed one. */
async function type(page, change) {
  const text = change(await editorText(page));
  await page.locator("#editor .cm-content").fill(text);
}
