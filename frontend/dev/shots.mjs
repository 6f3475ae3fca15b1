// Takes pictures of the pages for a look at them: node dev/shots.mjs [base] [token] [folder]
import { mkdirSync } from "node:fs";
import { chromium } from "@playwright/test";

const [base = "http://127.0.0.1:8391", token = "dev", folder = "/tmp/shots", only = ""] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const PAGES = [
  ["overview", "/"],
  ["domain", "/domains/bank"],
  ["console", "/domains/bank/console"],
  ["gallery", "/domains/gallery/gallery"],
  ["databases", "/databases"],
  ["database", "/databases/main"],
  ["decisions", "/decisions"],
  ["plugins", "/plugins"],
  ["workloads", "/workloads"],
  ["audit", "/audit"],
];
for (const [name, width, height, scheme] of [
  ["wide-light", 1440, 1180, "light"],
  ["wide-dark", 1440, 1180, "dark"],
  ["narrow-light", 390, 844, "light"],
  ["narrow-dark", 390, 844, "dark"],
]) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  page.on("console", (m) => m.type() === "error" && console.log(name, m.text()));
  page.on("pageerror", (e) => console.log(name, e.message));
  await page.goto(`${base}/?token=${token}`);
  await page.waitForSelector("h1");
  for (const [title, path] of PAGES) {
    if (only && !`${title}-${name}`.match(only)) continue;
    await page.goto(base + path);
    await page.waitForTimeout(title === "domain" ? 6000 : 1500);
    if (width < 500) {
      const h = await page.evaluate(() => document.querySelector("main").scrollHeight + 48);
      await page.setViewportSize({ width, height: Math.min(4000, h) });
      await page.waitForTimeout(500);
    }
    await page.screenshot({ path: `${folder}/${title}-${name}.png` });
    await page.setViewportSize({ width, height });
  }
  await context.close();
}
await browser.close();
