// Takes docs/screenshots from a running service with the demo: node dev/docs-screenshots.mjs BASE TOKEN
// Takes about three minutes. It raises the load of the domain bank, lowers its latency cap, and restores both.
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";

const [base, token] = process.argv.slice(2);
if (!base || !token) throw new Error("usage: node dev/docs-screenshots.mjs BASE TOKEN");
const folder = fileURLToPath(new URL("../../docs/screenshots", import.meta.url));

async function api(method, path, body, headers = {}) {
  const response = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return { data: await response.json(), etag: response.headers.get("etag") };
}

async function setCap(maxLatencyMs) {
  const { data, etag } = await api("GET", "/domains/bank/policies");
  const { policies, whenExhausted } = data.policySet;
  const next = policies.map((use) =>
    use.plugin === "latency-cap" ? { ...use, parameters: { ...use.parameters, maxLatencyMs } } : use,
  );
  await api("PUT", "/domains/bank/policies", { policies: next, whenExhausted }, { "if-match": etag });
  return policies.find((use) => use.plugin === "latency-cap").parameters.maxLatencyMs;
}

const wait = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));
const before = (await api("GET", "/workloads")).data.items.find((w) => w.name === "bank").ratePerSecond;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 1000 }, colorScheme: "light" });
let cap;
try {
  await page.goto(`${base}/?token=${token}`);
  await page.waitForSelector("h1");
  await page.goto(`${base}/domains/bank`);
  await api("PATCH", "/workloads/bank", { ratePerSecond: 4 * before });
  await wait(80);
  cap = await setCap(12);
  await wait(45);
  await page.screenshot({ path: `${folder}/domain.png` });
  await page.getByRole("link", { name: "Overview" }).click();
  await wait(20);
  await page.screenshot({ path: `${folder}/overview.png` });
} finally {
  await api("PATCH", "/workloads/bank", { ratePerSecond: before });
  if (cap) await setCap(cap);
  await browser.close();
}
