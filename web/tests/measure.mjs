// Measures the speed of the page on this machine: node tests/measure.mjs
//
// The times are those from opening to the first charts, and for 60 s of a full path of 50 Mb/s; medians of five fresh
// browsers. On a machine with other work the page's own CPU time, of all its threads, says more than the elapsed
// time.

import { page_address, withPage } from "./browser.mjs";

const FULL = `name = "full"
duration = "60s"
topology.kind = "dumbbell"
topology.access = { rate = "1gbit", delay = "1ms" }
topology.bottleneck = { rate = "50mbit", delay = "10ms", queue = "200p" }
flow = [{ algorithm = "cubic" }]
`;

const measured = [];
for (let time = 0; time < 5; time += 1) measured.push(await withPage(measure));
const median = (name) => measured.map((one) => one[name]).sort((a, b) => a - b)[2].toFixed(3);
console.log(`first run over after ${median("opened_cpu_s")} s of CPU time, first charts after ${median("opened_s")} s, 60 s of 50 Mb/s in ${median("run_s")} s (${measured[0].packets} packets)`);

async function measure(page) {
  const browser = await page.context().newCDPSession(page);
  await browser.send("Performance.enable");
  await page.goto(page_address);
  await page.getByText("The run is over.").waitFor();
  const { metrics } = await browser.send("Performance.getMetrics");
  const opened_cpu_s = metrics.find(({ name }) => name === "ProcessTime").value;
  const opened_s = await page.evaluate(() => performance.getEntriesByName("drawn")[0].startTime / 1000);
  const { wall_s, delivered_packets } = await page.evaluate((text) => vegaslab.summary(text), FULL);
  return { opened_cpu_s, opened_s, run_s: wall_s, packets: delivered_packets };
}
