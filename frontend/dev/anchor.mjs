import { chromium } from "@playwright/test";
import { readFileSync } from "node:fs";
const url = "http://127.0.0.1:18080", token = readFileSync("/tmp/live/admin-token", "utf8").trim();
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ baseURL: url, viewport: { width: 1280, height: 900 } });
let delay = 0;
await page.route(/rehearsals|plan|predict/, async (route) => { console.log("  req", route.request().method(), route.request().url().slice(url.length), delay); await new Promise((d) => setTimeout(d, delay)); await route.continue(); });
await page.request.post("/api/v1/session", { headers: { Authorization: `Bearer ${token}` } });
await page.goto("/domains/bank");
await page.waitForTimeout(4000);
const panel = page.getByRole("complementary", { name: `Policy of bank` });
delay = Number(process.argv[2] ?? 1500);
await panel.getByLabel("max", { exact: true }).fill("10");
await panel.getByLabel(/^Guard: restore/).check();
await page.waitForTimeout(300);
const look = () => page.evaluate(() => {
  const main = document.querySelector(".main"), f = document.querySelector(".policy-foot").getBoundingClientRect(), e = document.activeElement, b = e.getBoundingClientRect();
  return [e.getAttribute("aria-label") ?? e.textContent.slice(0, 20), Math.round(b.top), Math.round(b.bottom), "foot", Math.round(f.top), Math.round(f.bottom), "scroll", main.scrollTop, main.scrollHeight].join(" ");
});
await panel.getByLabel("Guard: within seconds").focus();
for (let i = 0; i < 20; i++) { console.log(await look()); await page.waitForTimeout(300); }
await page.screenshot({ path: "/tmp/anchor.png" });
await browser.close();
