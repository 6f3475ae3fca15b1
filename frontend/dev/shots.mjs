// Makes pictures of every page of a service under the demo's load:
// HEADGATE_URL=... HEADGATE_TOKEN=... node dev/shots.mjs [--docs] FOLDER [ONLY]
// FOLDER gets PAGE-WIDTH-THEME.png, of the whole page. ONLY: a regular expression over those names.
// --docs makes the few pictures of the documentation instead. That takes three minutes: it raises the load of the domain
// bank and lowers its latency cap, so that there is something to see, and restores both.
import { mkdirSync } from "node:fs";
import { chromium } from "@playwright/test";

const docs = process.argv[2] === "--docs";
const { HEADGATE_URL: base, HEADGATE_TOKEN: token } = process.env;
const [folder, only = ""] = process.argv.slice(docs ? 3 : 2);
if (!base || !token || !folder) throw new Error("HEADGATE_URL, HEADGATE_TOKEN and the argument FOLDER must be set");

const PAGES = [
  ["overview", "/"],
  ["domains", "/domains"],
  ["domain", "/domains/bank"],
  ["connections", "/domains/bank/connections"],
  ["leases", "/domains/bank/leases"],
  ["clients", "/domains/bank/clients"],
  ["domain-log", "/domains/bank/log"],
  ["console", "/domains/bank/console"],
  ["gallery", "/domains/gallery/gallery"],
  ["databases", "/databases"],
  ["database", "/databases/main"],
  ["decisions", "/decisions"],
  ["alarms", "/alarms"],
  ["plugins", "/plugins"],
  ["workloads", "/workloads"],
  ["lab", "/lab"],
  ["audit", "/audit"],
  ["log", "/log"],
];
const WIDTHS = { 360: 800, 1280: 900, 2560: 1440 };
const LONGEST = 6_000;

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  if (docs) await ofDocs();
  else
    for (const width of Object.keys(WIDTHS)) for (const theme of ["light", "dark"]) await ofAll(Number(width), theme);
} finally {
  await browser.close();
}

async function ofAll(width, theme) {
  const wanted = PAGES.filter(([name]) => `${name}-${width}-${theme}`.match(only));
  if (wanted.length === 0) return;
  const page = await signedIn(width, WIDTHS[width], theme);
  for (const [name, path] of wanted) {
    await page.goto(base + path);
    await complete(page);
    // The whole page: the part of it that scrolls is made as high as what is in it.
    const height = await page.evaluate(() => {
      const main = document.querySelector("main");
      return window.innerHeight + main.scrollHeight - main.clientHeight;
    });
    await page.setViewportSize({ width, height: Math.min(LONGEST, height) });
    await page.waitForTimeout(600); // charts are drawn at 4 Hz
    await page.screenshot({ path: `${folder}/${name}-${width}-${theme}.png` });
    await page.setViewportSize({ width, height: WIDTHS[width] });
  }
  await page.context().close();
}

async function signedIn(width, height, theme) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  const page = await context.newPage();
  page.on("pageerror", (error) => {
    console.error(`${page.url()}: ${error.message}`);
    process.exitCode = 1;
  });
  await page.goto(`${base}/?token=${token}`);
  await page.waitForSelector("main h1");
  return page;
}

async function complete(page) {
  await page.waitForSelector("main h1");
  await page.waitForSelector("[data-testid=live][data-level=live]");
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => document.fonts.ready);
}

async function ofDocs() {
  const rate = (await api("GET", "/workloads")).data.items.find((w) => w.name === "bank").ratePerSecond;
  const page = await signedIn(1440, 1000, "light");
  const wait = (seconds) => page.waitForTimeout(seconds * 1000);
  let cap;
  try {
    await page.goto(`${base}/domains/bank`);
    await api("PATCH", "/workloads/bank", { ratePerSecond: 4 * rate });
    await wait(80);
    cap = await setCap(12);
    await wait(45);
    await page.screenshot({ path: `${folder}/domain.png` });
    await page.getByRole("link", { name: "Overview" }).click();
    await wait(20);
    await page.screenshot({ path: `${folder}/overview.png` });
  } finally {
    await api("PATCH", "/workloads/bank", { ratePerSecond: rate });
    if (cap) await setCap(cap);
  }
}

async function api(method, path, body, headers = {}) {
  const response = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return { data: await response.json(), etag: response.headers.get("etag") };
}

/** Returns the cap before. */
async function setCap(maxLatencyMs) {
  const { data, etag } = await api("GET", "/domains/bank/policies");
  const { policies, whenExhausted } = data.policySet;
  const next = policies.map((use) =>
    use.plugin === "latency-cap" ? { ...use, parameters: { ...use.parameters, maxLatencyMs } } : use,
  );
  await api("PUT", "/domains/bank/policies", { policies: next, whenExhausted }, { "if-match": etag });
  return policies.find((use) => use.plugin === "latency-cap").parameters.maxLatencyMs;
}
