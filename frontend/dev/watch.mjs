// What an open page costs the browser, for `./headgate bench page`:
// HEADGATE_URL=... HEADGATE_TOKEN=... node dev/watch.mjs first DOMAIN TIMES | ranges DOMAIN TIMES | open DOMAIN MINUTES | restart DOMAIN
// Prints lines with a name and numbers, and an empty line where a result ends.
//
// first    opens the overview in a browser that has nothing in its cache: ms until it is live, shows its domains, and a key opens
//          the palette
// ranges   clicks the ranges on a domain's page: for each the ms from the click until all charts in sight have drawn what the service
//          has answered, each time on a page that was just loaded
// open     looks at a domain's page: shares of the main thread, its tasks of over 100 ms, and the heap after garbage collections,
//          which are asked for and count as no tasks of the page. "processor" is what its thread got of a core, "mainThread" how long its
//          tasks took, which is more where the thread had to wait for a core
// restart  waits at a domain's page; prints an empty line; reads one when the service is ready again, and measures the
//          ms until the page is live and draws what was measured since
import { createInterface } from "node:readline";
import { chromium } from "@playwright/test";

const { HEADGATE_URL: base, HEADGATE_TOKEN: token } = process.env;
const [what, domain, amount] = process.argv.slice(2);
const rows = { first, ranges, open, restart };
if (!base || !token || !domain || !(what in rows))
  throw new Error(
    `HEADGATE_URL, HEADGATE_TOKEN and arguments must be set: ${Object.keys(rows).join(" | ")}, and a domain`,
  );

const LONG_TASK_MS = 100;
/** A page that was just opened compiles its code and fills its charts. */
const SETTLE_MS = 60_000;
const PATIENCE_MS = 60_000;
const SHORT_MS = 1_000;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  await rows[what]();
} finally {
  await browser.close();
}

function say(result) {
  for (const [name, numbers] of Object.entries(result)) console.log([name, numbers].flat().join(" "));
  console.log();
}

async function session() {
  const answer = await fetch(`${base}/api/v1/session/codes`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new Error(`POST /api/v1/session/codes answered ${answer.status}`);
  const { code } = await answer.json();
  const context = await browser.newContext({ viewport: { width: 1440, height: 1100 } });
  const page = await context.newPage();
  await page.goto(`${base}/?code=${code}`);
  await live(page);
  return { context, page };
}

async function live(page) {
  await page.waitForFunction(
    () => document.querySelector("[data-testid=live]")?.getAttribute("data-level") === "live",
    undefined,
    { timeout: PATIENCE_MS, polling: 20 },
  );
}

/** Cookies of a session that another context opened, which is closed: its page would take its share of the processor. The cache is empty. */
async function first() {
  const { context } = await session();
  const state = await context.storageState();
  await context.close();
  const millis = [];
  for (let i = 0; i < Number(amount); i++) {
    const cold = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 1100 } });
    const page = await cold.newPage();
    const began = performance.now();
    await page.goto(base, { waitUntil: "commit" });
    await live(page);
    await page.waitForSelector("main table a", { timeout: PATIENCE_MS });
    await page.keyboard.press("Control+k");
    await page.waitForSelector("[role=dialog] input", { timeout: PATIENCE_MS });
    millis.push(performance.now() - began);
    await cold.close();
  }
  say({ millis });
}

async function domainPage() {
  const { context, page } = await session();
  await page.goto(`${base}/domains/${domain}`);
  await live(page);
  await page.waitForFunction(() => Number(document.querySelector(".timechart canvas")?.dataset.rows) > 0);
  return { context, page };
}

async function ranges() {
  const names = ["5 m", "15 m", "1 h", "6 h", "24 h", "7 d", "30 d"];
  const millis = new Map(names.map((name) => [name, []]));
  for (let i = 0; i < Number(amount); i++) {
    const { context, page } = await domainPage();
    await page.waitForTimeout(SHORT_MS);
    for (const name of names) {
      const radio = page.getByRole("radiogroup", { name: "Range" }).getByRole("radio", { name, exact: true });
      millis.get(name).push(await page.evaluate(untilDrawn, { radio: await radio.elementHandle(), domain }));
      await page.waitForTimeout(SHORT_MS);
    }
    await context.close();
  }
  say(Object.fromEntries([...millis].map(([name, all]) => [name.replace(" ", ""), all])));
}

/** In the page. A chart writes at each drawing how many rows it has; what it wrote before the answer does not count. */
async function untilDrawn({ radio, domain }) {
  const began = performance.now();
  const isAnswer = ({ name, startTime }) => startTime >= began && name.includes(`/domains/${domain}/history?`);
  const answered = new Promise((done) => {
    const answers = new PerformanceObserver((list) => {
      if (!list.getEntries().some(isAnswer)) return;
      answers.disconnect();
      done();
    });
    answers.observe({ type: "resource" });
  });
  const charts = [...document.querySelectorAll(".timechart canvas")].filter((canvas) => {
    const { top, bottom } = canvas.getBoundingClientRect();
    return bottom > 0 && top < window.innerHeight;
  });
  radio.click();
  await answered;
  for (const canvas of charts) canvas.dataset.rows = "0";
  while (charts.some((canvas) => Number(canvas.dataset.rows) === 0))
    await new Promise((done) => requestAnimationFrame(done));
  return performance.now() - began;
}

async function open() {
  const { context, page } = await domainPage();
  await page.waitForTimeout(SETTLE_MS);
  const tools = await context.newCDPSession(page);
  await tools.send("Performance.enable");
  await tools.send("HeapProfiler.enable");
  const metrics = async () =>
    Object.fromEntries((await tools.send("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value]));
  await page.evaluate(() => {
    window.tasks = [];
    window.collections = [];
    new PerformanceObserver((list) =>
      window.tasks.push(...list.getEntries().map(({ startTime, duration }) => ({ startTime, duration }))),
    ).observe({ type: "longtask" });
  });
  // A collection that is asked for is a task of the page too, and takes some 100 ms.
  const heap = async () => {
    const began = await page.evaluate(() => performance.now());
    await tools.send("HeapProfiler.collectGarbage");
    await page.evaluate((from) => window.collections.push([from, performance.now()]), began);
    return (await metrics()).JSHeapUsedSize;
  };
  const heaps = [await heap()];
  let busy = 0;
  let processor = 0;
  let elapsed = 0;
  for (let minute = 0; minute < Number(amount); minute++) {
    const before = await metrics();
    await page.waitForTimeout(60_000);
    const after = await metrics();
    busy += after.TaskDuration - before.TaskDuration;
    processor += after.ThreadTime - before.ThreadTime;
    elapsed += after.Timestamp - before.Timestamp;
    heaps.push(await heap());
  }
  await live(page); // else it was not what was to be measured
  const tasks = await page.evaluate(() =>
    window.tasks
      .filter(({ startTime }) => !window.collections.some(([from, to]) => from <= startTime && startTime <= to))
      .map(({ duration }) => duration),
  );
  say({
    processor: processor / elapsed,
    mainThread: busy / elapsed,
    longest: Math.max(0, ...tasks),
    over: tasks.filter((duration) => duration > LONG_TASK_MS).length,
    heaps,
  });
}

async function restart() {
  const { page } = await domainPage();
  say({});
  for await (const _ of createInterface({ input: process.stdin })) break;
  const began = performance.now();
  await live(page);
  const connected = performance.now() - began;
  await page.evaluate(() => {
    window.drawn = document.querySelector(".timechart canvas").dataset.rows;
  });
  await page.waitForFunction(
    () => document.querySelector(".timechart canvas").dataset.rows !== window.drawn,
    undefined,
    { timeout: PATIENCE_MS, polling: 20 },
  );
  say({ connected, drawn: performance.now() - began });
}
