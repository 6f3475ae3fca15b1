import { execSync } from "node:child_process";
import type { WebSocketRoute } from "@playwright/test";
import { DOMAIN, expect, loginCode, mine, signIn, test, token } from "./service";

test("a chart moves", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  const canvas = page.locator(".timechart canvas").first();
  await expect(canvas).toBeVisible();
  const rows = async () => Number(await canvas.getAttribute("data-rows"));
  const until = async () => Number(await canvas.getAttribute("data-until"));
  await expect.poll(rows).toBeGreaterThan(0);
  const [rowsBefore, untilBefore, picture] = [await rows(), await until(), await canvas.screenshot()];
  await expect.poll(rows).toBeGreaterThan(rowsBefore + 3);
  expect(await until()).toBeGreaterThan(untilBefore);
  expect(await canvas.screenshot()).not.toEqual(picture);
});

test("the overview answers in its title and shows every domain", async ({ page }) => {
  await signIn(page);
  await expect(page.getByTestId("headline")).not.toBeEmpty();
  await expect(page.locator("main table tbody tr")).not.toHaveCount(0);
  await page.locator("main table").getByRole("link", { name: DOMAIN, exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/domains/${DOMAIN}$`));
});

test("every connection is in the table, and it sorts", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  const table = page.locator("table.connections");
  await expect(table.locator("tbody tr")).not.toHaveCount(0);
  await table.getByRole("button", { name: "Statements" }).click();
  await expect(table.locator("th[aria-sort=descending]")).toHaveText(/Statements/);
});

test("without a session the page asks for the token, and goes on with it", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Sign in with the token" })).toBeVisible();
  await page.getByLabel("Token").fill("not the token");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toContainText("not the token");
});

test("an address with a code lets one browser in, once", async ({ page, browser, request }) => {
  const address = `/?code=${await loginCode(request)}`;
  await page.goto(address);
  await expect(page.getByTestId("live")).toContainText("live");
  expect(page.url()).not.toContain("code");
  await page.goto(address); // signed in already: the code does not matter
  await expect(page.getByTestId("live")).toContainText("live");

  const other = await (await browser.newContext()).newPage();
  await other.goto(address);
  await expect(other.getByRole("alert")).toContainText("./headgate login");
  await other.context().close();
});

// On a busy machine the cap of the demo's set is unattainable, and a domain is said to be in the worst of its states. The
// headline tells the worst of all domains, which need not be this one.
test("pause says what it does, shows, and resume ends it", async ({ page, knownSet: _ }) => {
  test.slow(); // walks over three pages
  await signIn(page, `/domains/${DOMAIN}`);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Pause ${DOMAIN}?` });
  await expect(dialog).toContainText("New requests wait until you resume");
  await dialog.getByRole("button", { name: `Pause ${DOMAIN}` }).click();
  try {
    await expect(page.getByRole("status").filter({ hasText: "Paused" })).toBeVisible();
    await expect(page.locator("main .chip", { hasText: "paused" }).first()).toBeVisible();
    await expect(page.getByRole("link", { name: DOMAIN }).getByText("paused")).toBeAttached(); // the navigation
    await page.getByRole("link", { name: "Overview" }).click();
    const row = page.getByRole("region", { name: "Domains" }).getByRole("row");
    await expect(row.filter({ has: page.getByRole("link", { name: DOMAIN, exact: true }) })).toContainText("paused");
    await page.getByRole("link", { name: DOMAIN }).first().click();
    await page.getByRole("button", { name: "Resume" }).click();
    await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
  } finally {
    await page.request.post(`/api/v1/domains/${DOMAIN}/resume`, { headers: { Authorization: `Bearer ${token}` } });
  }
});

test("a question about one domain is not asked on the page of another", async ({ page }) => {
  await signIn(page, "/domains/auction");
  await page.getByRole("link", { name: DOMAIN }).first().click();
  await page.getByRole("button", { name: "Drain", exact: true }).click();
  await expect(page.getByRole("dialog", { name: `Drain ${DOMAIN}?` })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "auction", level: 1 })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("a tab in the background goes on telling how the domains are", async ({ page, knownSet: _ }) => {
  await page.addInitScript(() => {
    window.requestAnimationFrame = () => 0; // a hidden tab draws no frame
    Object.defineProperty(document, "hidden", { get: () => true });
  });
  await signIn(page, "/audit");
  const headers = { Authorization: `Bearer ${token}` };
  expect((await page.request.post(`/api/v1/domains/${DOMAIN}/pause`, { headers })).ok()).toBe(true);
  try {
    await expect(page.getByRole("link", { name: DOMAIN }).getByText("paused")).toBeAttached();
  } finally {
    await page.request.post(`/api/v1/domains/${DOMAIN}/resume`, { headers });
  }
});

test("Ctrl-K finds a domain", async ({ page }) => {
  await signIn(page);
  await page.keyboard.press("Control+k");
  await expect(page.locator("input:focus")).toBeVisible();
  await page.keyboard.type(DOMAIN);
  await expect(page.locator(".mantine-Spotlight-action[data-selected]")).toContainText(DOMAIN);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/domains/${DOMAIN}$`));
});

test("a lost stream is seen at once and heals by itself", async ({ page }) => {
  // Cuts the page's connection without the service's help.
  let cut = false;
  const open: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/api\/v1\/stream/, (socket) => {
    if (cut) return void socket.close({ code: 1012 });
    socket.connectToServer();
    open.push(socket);
  });
  await signIn(page, `/domains/${DOMAIN}`);
  await expect(page.locator(".timechart canvas").first()).toBeVisible();
  await expect(page.getByTestId("live")).toHaveAttribute("data-level", "live");
  cut = true;
  for (const socket of open) await socket.close({ code: 1012 });
  await expect(page.getByTestId("live")).toHaveAttribute("data-level", "lost", { timeout: 2_000 });
  await expect(page.getByTestId("live")).toContainText("no data");
  await expect(page.getByTestId("stale")).toContainText("old");
  await expect(page.locator(".live-data").first()).toHaveCSS("filter", "grayscale(1)");
  cut = false;
  await expect(page.getByTestId("live")).toHaveAttribute("data-level", "live");
  await expect(page.getByTestId("stale")).toHaveCount(0);
});

test("a stream that never opens is said, and no domain is said to be missing", async ({ page }) => {
  await page.routeWebSocket(/\/api\/v1\/stream/, (socket) => void socket.close({ code: 1011 }));
  const headers = { Authorization: `Bearer ${token}` };
  expect((await page.request.post("/api/v1/session", { headers })).ok()).toBe(true);
  await page.goto("/domains");
  await expect(page.getByTestId("live")).toHaveAttribute("data-level", "unreachable");
  await expect(page.getByTestId("stale")).toContainText("WebSocket");
  await expect(page.locator("main").getByText("Loading…")).toBeVisible();
  await page.goto("/");
  await expect(page.getByTestId("stale")).toContainText("WebSocket");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Waiting for the first data…");
});

test("the service is stopped and comes back", async ({ page }) => {
  const restart = mine("HEADGATE_RESTART");
  test.skip(!restart, "HEADGATE_RESTART names no command that restarts the service");
  test.setTimeout(180_000);
  await signIn(page, `/domains/${DOMAIN}`);
  const canvas = page.locator(".timechart canvas").first();
  await expect(canvas).toBeVisible();
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { levels: seen });
    setInterval(() => {
      const level = document.querySelector("[data-testid=live]")?.getAttribute("data-level");
      if (level && seen.at(-1) !== level) seen.push(level);
    }, 50);
  });
  execSync(restart as string, { stdio: "inherit", timeout: 120_000 });
  await expect(page.getByTestId("live")).toHaveAttribute("data-level", "live", { timeout: 60_000 });
  expect(await page.evaluate(() => (window as unknown as { levels: string[] }).levels)).toContain("lost");
  const rows = async () => Number(await canvas.getAttribute("data-rows"));
  const before = await rows();
  await expect.poll(rows).not.toBe(before);
});
