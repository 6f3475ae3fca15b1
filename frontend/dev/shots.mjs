// Makes pictures of every page of a service under the demo's load, also in trouble and with many domains:
// HEADGATE_URL=... HEADGATE_TOKEN=... node dev/shots.mjs [--docs | --guide] FOLDER [ONLY]
// FOLDER gets PAGE-WIDTH-THEME.png, of the whole page. ONLY: a regular expression over those names.
// --guide makes those of the first-run guide instead, of a service without databases and domains.
// --docs makes the few pictures of the documentation instead. That takes three minutes: it raises the load of the domain
// bank and lowers its latency cap, so that there is something to see, and restores both.
import { mkdirSync } from "node:fs";
import { chromium } from "@playwright/test";

const options = process.argv.slice(2).filter((each) => each.startsWith("--"));
const docs = options.includes("--docs");
const guide = options.includes("--guide");
const { HEADGATE_URL: base, HEADGATE_TOKEN: token } = process.env;
const [folder, only = ""] = process.argv.slice(2 + options.length);
if (!base || !token || !folder) throw new Error("HEADGATE_URL, HEADGATE_TOKEN and the argument FOLDER must be set");

/** Name, path, and when the page is complete. A path may have to be looked up. */
const PAGES = [
  ["overview", "/"],
  ["wall", "/wall"],
  ["domains", "/domains"],
  ["domain", "/domains/bank"],
  ["policies", "/domains/bank?policy=true"],
  ["compared", lastMinuteBesideTheOneBefore],
  ["connections", "/domains/bank/connections"],
  ["connection", oldestConnection],
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
  ["audit", "/audit"],
  ["log", "/log"],
  ["sign-in", signedOut, asksForToken],
];
/** While a domain is drained. */
const PAGES_IN_TROUBLE = [
  ["overview-trouble", "/", tellsOfTrouble],
  ["wall-trouble", "/wall", tellsOfTrouble],
  ["domain-trouble", "/domains/bank", tellsOfTrouble],
  ["database-trouble", "/databases/main", tellsOfTrouble],
  ["alarms-trouble", "/alarms?domain=bank", tellsOfTrouble],
];
const MANY = Array.from({ length: 60 }, (_, i) => `shop-${String(i + 1).padStart(2, "0")}`);
const PAGES_OF_MANY = [
  ["overview-many", "/"],
  ["wall-many", "/wall"],
  ["domains-many", "/domains"],
  ["domain-many", "/domains/shop-07"],
  ["database-many", "/databases/main"],
];
/** With two runs of an experiment: those use the whole machine, so they come when the other pictures are made. */
const PAGES_OF_RUNS = [
  ["lab", "/lab"],
  ["run", () => `/lab/runs/${runs[1]}`],
  ["comparison", () => `/lab/compare?first=${runs[0]}&second=${runs[1]}`],
];
const WIDTHS = { 360: 800, 1280: 900, 2560: 1440 };
const SIZES = Object.entries(WIDTHS).flatMap(([width, height]) =>
  ["light", "dark"].map((theme) => ({ width: Number(width), height, theme })),
);
const LONGEST = 6_000;
let runs = [];

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
try {
  if (docs) await ofDocs();
  else if (guide) await ofAll([["guide", "/", isEmpty]]);
  else {
    await ofAll(PAGES);
    await ofAll(PAGES_IN_TROUBLE, drain, resume);
    await ofAll(PAGES_OF_MANY, makeMany, removeMany);
    await ofAll(PAGES_OF_RUNS, async () => {
      runs = [await run(7), await run(8)];
    });
  }
} finally {
  await browser.close();
}

function wantedOf(pages, { width, theme }) {
  return pages.filter(([name]) => `${name}-${width}-${theme}`.match(only));
}

/** Pictures of those that are wanted, between `before` and `after`. */
async function ofAll(pages, before = async () => {}, after = async () => {}) {
  if (!SIZES.some((size) => wantedOf(pages, size).length > 0)) return;
  await before();
  try {
    await ofEverySize(pages);
  } finally {
    await after();
  }
}

async function ofEverySize(pages) {
  for (const size of SIZES) {
    const { width, height, theme } = size;
    const wanted = wantedOf(pages, size);
    if (wanted.length === 0) continue;
    const page = await signedIn(width, height, theme);
    for (const [name, path, ready = complete] of wanted) {
      await page.goto(base + (typeof path === "string" ? path : await path(page)));
      await ready(page);
      // The whole page: the part of it that scrolls is made as high as what is in it.
      const whole = await page.evaluate(() => {
        const main = document.querySelector("main");
        return window.innerHeight + main.scrollHeight - main.clientHeight;
      });
      await page.setViewportSize({ width, height: Math.min(LONGEST, whole) });
      await page.waitForTimeout(600); // charts are drawn at 4 Hz
      await page.screenshot({ path: `${folder}/${name}-${width}-${theme}.png` });
      await page.setViewportSize({ width, height });
    }
    await page.context().close();
  }
}

async function signedOut(page) {
  await page.context().clearCookies();
  return "/";
}

async function asksForToken(page) {
  await page.getByRole("heading", { name: "Sign in with the token" }).waitFor();
}

async function drain() {
  await api("POST", "/domains/bank/drain");
}

async function resume() {
  await api("POST", "/domains/bank/resume");
}

async function tellsOfTrouble(page) {
  await complete(page);
  await page.locator("main").getByText(/drain/).filter({ visible: true }).first().waitFor();
}

async function isEmpty(page) {
  await complete(page);
  await page.getByRole("heading", { name: "From here to a first request" }).waitFor();
}

/** Four teams, of which the fifth domain each is paused. */
async function makeMany() {
  for (const [i, name] of MANY.entries()) {
    const policySet = { policies: [{ plugin: "min-max", parameters: { min: 0, max: 2 } }] };
    const labels = { team: ["checkout", "payments", "search", "stock"][i % 4] };
    await api("POST", "/domains", { name, database: "main", labels, policySet });
    if (i % 5 === 4) await api("POST", `/domains/${name}/pause`);
  }
}

async function removeMany() {
  for (const name of MANY) await api("DELETE", `/domains/${name}`);
}

function lastMinuteBesideTheOneBefore() {
  const to = Date.now();
  const at = (ms) => encodeURIComponent(new Date(ms).toISOString());
  return `/domains/bank?from=${at(to - 60_000)}&to=${at(to)}&compare=before`;
}

async function oldestConnection() {
  const { items } = (await api("GET", "/domains/bank/connections")).data;
  return `/domains/bank/connections/${items[0].id}`;
}

/** Runs an experiment in its shortest form and returns the run's id. */
async function run(seed) {
  const values = { connections: 4, seconds: 1, policySeconds: 6 };
  const { id } = (await api("POST", "/experiments/policy-sweep/runs", { values, seed })).data;
  for (;;) {
    const { state } = (await api("GET", `/experiments/runs/${id}`)).data;
    if (state === "done") return id;
    if (state !== "running") throw new Error(`run ${id} is ${state}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
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
  const text = await response.text();
  return { data: text && JSON.parse(text), etag: response.headers.get("etag") };
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
