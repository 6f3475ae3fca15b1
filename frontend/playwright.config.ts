import { defineConfig } from "@playwright/test";

/**
 * Runs against running services: a line of HEADGATE_URL is the address of one, the same line of HEADGATE_TOKEN its token. There
 * is a worker for each, which tests it alone. With HEADGATE_TRACE=1 a failed test leaves a trace.
 */
export default defineConfig({
  testDir: "e2e",
  timeout: 60_000,
  expect: { timeout: 15_000 },
  workers: (process.env.HEADGATE_URL ?? "").split("\n").length,
  fullyParallel: false,
  reporter: [["list"]],
  use: {
    viewport: { width: 1440, height: 1100 },
    screenshot: "only-on-failure",
    trace: process.env.HEADGATE_TRACE ? "retain-on-failure" : "off",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
