// Drives Debian's Chromium over the page as a file of this machine, without a network.

import { chromium } from "playwright-core";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** A limit longer than any operation takes: a busy machine is slow, not wrong. */
export const PATIENCE_MS = 300_000;

export const page_address = pathToFileURL(resolve(import.meta.dirname, "../dist/playground.html")).href;

/** Calls `work` with a page; an error that the page logs, or a network request that it makes, is a failure. */
export async function withPage(work, options = {}) {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"], timeout: PATIENCE_MS });
  try {
    const context = await browser.newContext({ offline: true, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
    page.on("console", (message) => message.type() === "error" && wrong.push(`console: ${message.text()}`));
    page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || wrong.push(`asked for ${request.url()}`));
    const given = await work(page);
    if (wrong.length > 0) throw new Error(wrong.join("\n"));
    return given;
  } finally {
    await browser.close();
  }
}
