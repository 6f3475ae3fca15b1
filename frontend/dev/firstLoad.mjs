// Measures a first load with an empty cache: node dev/firstLoad.mjs BASE TOKEN [PATH] [ROUNDS]
// Prints medians: bytes over the wire, and the time until the page shows live data and answers input (the end of the last
// task over 50 ms before that moment, if there is one later). Once as the machine is, once over 10 Mbit/s with 40 ms.
import { chromium } from "@playwright/test";

const [base, token, path = "/", rounds = "5"] = process.argv.slice(2);
if (!base || !token) throw new Error("usage: node dev/firstLoad.mjs BASE TOKEN [PATH] [ROUNDS]");
const NETWORKS = {
  "this machine": null,
  "10 Mbit/s, 40 ms": { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 },
};

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});

async function load(context, network) {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
  if (network) await cdp.send("Network.emulateNetworkConditions", network);
  const types = new Map();
  const bytes = { js: 0, all: 0, api: 0 };
  cdp.on("Network.responseReceived", ({ requestId, response }) => types.set(requestId, response));
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const url = types.get(requestId)?.url ?? "";
    bytes.all += encodedDataLength;
    if (url.endsWith(".js")) bytes.js += encodedDataLength;
    if (url.includes("/api/")) bytes.api += encodedDataLength;
  });
  await page.addInitScript(() => {
    window.longTasks = [];
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) window.longTasks.push(task.startTime + task.duration);
    }).observe({ type: "longtask", buffered: true });
  });
  await page.goto(base + path, { waitUntil: "commit" });
  const shown = await page
    .waitForFunction(
      () => {
        const live = document.querySelector("[data-testid=live]")?.getAttribute("data-level") === "live";
        return live && document.querySelector("main h1") && document.querySelector("main canvas")
          ? performance.now()
          : 0;
      },
      undefined,
      { polling: "raf" },
    )
    .then((handle) => handle.jsonValue());
  await page.waitForTimeout(1_000);
  const busyUntil = await page.evaluate(
    (at) => Math.max(at, ...window.longTasks.filter((end) => end < at + 500)),
    shown,
  );
  await page.close();
  return { ...bytes, shown, interactive: busyUntil };
}

const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
await page.goto(`${base}/?token=${token}`);
await page.waitForSelector("main h1");
await page.close();
for (const [name, network] of Object.entries(NETWORKS)) {
  const all = [];
  for (let round = 0; round < Number(rounds); round++) all.push(await load(context, network));
  const of = (key) => median(all.map((each) => each[key]));
  console.log(
    `${path} ${name}: ${(of("js") / 1000).toFixed(0)} KB JavaScript, ${(of("all") / 1000).toFixed(0)} KB in all,`,
    `${(of("api") / 1000).toFixed(0)} KB of it API; live after ${of("shown").toFixed(0)} ms, interactive after ${of("interactive").toFixed(0)} ms`,
  );
}
await browser.close();
