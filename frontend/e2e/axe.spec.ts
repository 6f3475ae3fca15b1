/**
 * The pages and what opens over them that are listed here, in both themes, looked at by axe; none is cut at any usual width, and what has
 * the focus is seen. A page is loaded once: it follows the theme and the width, as it does when the system changes them.
 */
import type { APIRequestContext, Page } from "@playwright/test";
import { drawnTwice, expectNothingCut, faults, faultsOfOpened, hiddenFocus, hiddenStops, PATIENCE_MS } from "./looks";
import { DOMAIN, expect, settled, signIn, still, test, token } from "./service";

const headers = { Authorization: `Bearer ${token}` };

const PAGES: readonly (readonly [path: string, title: string])[] = [
  ["/", "Overview"],
  ["/domains", "Domains"],
  [`/domains/${DOMAIN}`, DOMAIN],
  [`/domains/${DOMAIN}?range=1h&compare=before`, DOMAIN],
  [`/domains/${DOMAIN}/console`, `SQL console of ${DOMAIN}`],
  ["/domains/gallery/gallery", "Portraits of gallery"],
  ["/databases", "Databases"],
  ["/databases/main", "main"],
  ["/databases/main?range=1h&compare=before", "main"],
  ["/decisions", "Decisions"],
  ["/alarms", "Alarms"],
  ["/plugins", "Plugins"],
  ["/workloads", "Workloads"],
  ["/lab", "Lab"],
  ["/audit", "Audit"],
  [`/domains/${DOMAIN}/connections`, `Connections of ${DOMAIN}`],
  [`/domains/${DOMAIN}/leases`, `Leases and waiters of ${DOMAIN}`],
  [`/domains/${DOMAIN}/clients`, `Clients of ${DOMAIN}`],
  [`/domains/${DOMAIN}/log`, `Log of ${DOMAIN}`],
  ["/log", "Log"],
  ["/?group=tier&q=main", "Overview"],
  ["/wall", "Wall"],
];

/** What opens over a page: its path, and how it is opened. */
const OVERLAYS: readonly (readonly [name: string, path: string, open: (page: Page) => Promise<void>])[] = [
  ["the palette", "/", (page) => page.getByRole("button", { name: "Find a domain, page or action" }).click()],
  ["the theme's menu", "/", (page) => page.getByRole("button", { name: /^Theme/ }).click()],
  ["the role's menu", "/", (page) => page.locator("button.role").click()],
  ["a help", "/", (page) => page.getByRole("button", { name: "Who uses the budget of main" }).click()],
  [
    "a chart's values",
    `/domains/${DOMAIN}`,
    (page) => page.getByRole("button", { name: /^Values of Latency/ }).click(),
  ],
  [
    "the heat map's values",
    `/domains/${DOMAIN}`,
    (page) => page.getByRole("button", { name: /^Values of p99 of every connection/ }).click(),
  ],
  ["a range's fields", `/domains/${DOMAIN}`, (page) => page.getByRole("button", { name: "From … to …" }).click()],
  ["an export's menu", `/domains/${DOMAIN}`, (page) => page.getByRole("button", { name: "Export" }).click()],
  ["a set's history", `/domains/${DOMAIN}`, (page) => page.getByRole("button", { name: "History" }).click()],
  ["an explanation", `/domains/${DOMAIN}`, (page) => page.getByRole("button", { name: "why?", exact: true }).click()],
  ["an annotation", `/domains/${DOMAIN}`, (page) => page.getByRole("button", { name: "Annotate" }).click()],
  ["a question", `/domains/${DOMAIN}`, (page) => page.getByRole("button", { name: "Pause", exact: true }).click()],
  ["a replay", `/domains/${DOMAIN}`, (page) => page.getByRole("button", { name: "Replay" }).click()],
  ["a new client", `/domains/${DOMAIN}`, (page) => page.getByRole("button", { name: "Add a client" }).click()],
  ["a new domain", "/domains?new=true", async () => {}],
  ["a new database", "/databases?new=true", async () => {}],
  ["a run's form", "/lab?start=policy-sweep", async () => {}],
  ["a database's form", "/databases/main", (page) => page.getByRole("button", { name: "Edit" }).click()],
];

async function open(page: Page, path: string) {
  await page.goto(path);
  await expect(page.locator("main h1").first()).toBeVisible();
  await settled(page);
}

/** A run of the shortest experiment, which has ended. */
async function endedRun(request: APIRequestContext): Promise<string> {
  const started = await request.post("/api/v1/experiments/fork-join/runs", {
    headers,
    data: { values: { samples: 3, roundTripMs: 0.1 }, seed: 7 },
  });
  expect(started.ok(), await started.text()).toBe(true);
  const { id } = (await started.json()) as { id: string };
  const state = async () => (await (await request.get(`/api/v1/experiments/runs/${id}`, { headers })).json()).state;
  await expect.poll(state, { timeout: 120_000 }).toBe("done");
  return id;
}

test("no page has an accessibility fault, each names itself, nothing is cut at any usual width, and no focus is hidden", async ({
  page,
  request,
}) => {
  test.setTimeout(PATIENCE_MS);
  const run = await endedRun(request);
  await signIn(page);
  await open(page, `/domains/${DOMAIN}/connections`);
  const connection = page.locator(`main td a[href^="/domains/${DOMAIN}/connections/"]`).first();
  const pages = [
    ...PAGES,
    [(await connection.getAttribute("href")) ?? "", "Connection .*"],
    [`/lab/runs/${run}`, `Run ${run}`],
    [`/lab/compare?first=${run}&second=${run}`, "Comparison of runs"],
  ] as const;
  for (const [path, title] of pages) {
    await open(page, path);
    await expect(page).toHaveTitle(new RegExp(`${title} · Headgate$`));
    expect.soft(await faults(page), path).toEqual([]);
    await expectNothingCut(page, path);
    expect.soft(await hiddenStops(page), path).toEqual([]);
  }
});

for (const path of new Set(OVERLAYS.map(([, path]) => path)))
  test(`nothing that opens over ${path} has an accessibility fault`, async ({ page }) => {
    test.setTimeout(PATIENCE_MS);
    await signIn(page);
    await open(page, path);
    const opened = page.locator("[role=dialog]:visible, [role=menu]:visible, .help-text:popover-open");
    for (const [name, , show] of OVERLAYS.filter((overlay) => overlay[1] === path)) {
      await show(page);
      await expect(opened, name).not.toHaveCount(0);
      expect.soft(await faultsOfOpened(page), name).toEqual([]);
      await page.keyboard.press("Escape");
      await expect(opened, name).toHaveCount(0);
    }
  });

test("the menu and the policy of a narrow screen have no accessibility fault", async ({ page }) => {
  test.setTimeout(PATIENCE_MS);
  await page.setViewportSize({ width: 360, height: 800 });
  await signIn(page);
  await open(page, `/domains/${DOMAIN}`);
  expect.soft(await faults(page), "a narrow page").toEqual([]);
  await page.getByRole("button", { name: "Menu" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  expect.soft(await faultsOfOpened(page), "the menu").toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Policy/ }).click();
  await expect(page.getByRole("dialog").getByRole("heading", { name: "Policy" })).toBeVisible();
  expect.soft(await faultsOfOpened(page), "the policy").toEqual([]);
});

test("the form that asks for the token has no accessibility fault, is not cut, and hides no focus", async ({
  page,
}) => {
  await page.goto("/");
  await expect(page.getByLabel("Token")).toBeVisible();
  expect.soft(await faults(page)).toEqual([]);
  await expectNothingCut(page, "the form", still); // nothing streams yet
  expect.soft(await hiddenStops(page, still)).toEqual([]);
});

test("help opens by click and by keyboard, and Escape closes it", async ({ page }) => {
  await signIn(page);
  const help = page.getByRole("button", { name: "Who uses the budget of main" });
  const text = page.locator(".help-text:popover-open");
  await help.click();
  await expect(text).toContainText("bank");
  await page.keyboard.press("Escape");
  await expect(text).toHaveCount(0);
  await expect(help).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(text).toContainText("bank");
});

test("a chart says its values: in a sentence, under the crosshair and in a table", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  await settled(page);
  const chart = page.getByRole("group", { name: `Connections of ${DOMAIN}` });
  await chart.focus();
  await expect(chart).toHaveAccessibleDescription(/open \d+.*in use|in use \d+.*open/);
  await page.keyboard.press("ArrowLeft");
  await expect(chart.locator("[aria-live=polite]")).toHaveText(/^\d\d:\d\d:\d\d: .*ceiling \d+/);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: `Connections of ${DOMAIN}` });
  await expect(dialog.getByRole("row").nth(1)).toContainText(/\d\d:\d\d:\d\d/);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
});

test("the heat map of connections is read by keyboard, explains a moment, and has a table", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  await settled(page);
  const map = page.getByRole("group", { name: `p99 of every connection of ${DOMAIN}, second by second` });
  await map.focus();
  await expect(map).toHaveAccessibleDescription(/^\d+ connections?; p99 .* Enter explains/);
  await page.keyboard.press("ArrowLeft");
  await expect(map.locator("[aria-live=polite]")).toHaveText(new RegExp(`^${DOMAIN}-\\d+ · \\d\\d:\\d\\d:\\d\\d · `));
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("why")).toContainText("Decisions within one second");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await map.focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: /^p99 of every connection/ });
  await expect(dialog.getByRole("row").nth(1)).toContainText(/^\d+/);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
});

test("the header and the navigation hide no focus", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 700 });
  await signIn(page);
  await settled(page);
  for (let press = 0; press < 25; press++) {
    await page.keyboard.press("Tab");
    expect.soft(await hiddenFocus(page)).toBeNull();
  }
});

const WIDE_AND_NARROW = [
  { width: 1280, height: 900 },
  { width: 360, height: 800 },
];

/** The editor of a domain's policy in a window of that size: beside the charts, or a sheet over them. */
async function openPolicy(page: Page, size: { width: number; height: number }) {
  await page.setViewportSize(size);
  await signIn(page, `/domains/${DOMAIN}`);
  await settled(page);
  if (size.width < 1181) await page.getByRole("button", { name: /^Policy/ }).click();
  return page.getByRole("complementary", { name: `Policy of ${DOMAIN}` });
}

for (const size of WIDE_AND_NARROW)
  test(`what has the focus stays where it is when a prediction arrives above it, ${size.width} wide`, async ({
    page,
    knownSet: _,
  }) => {
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/policies/plan**", async (route) => {
      await asked;
      await route.continue();
    });
    const panel = await openPolicy(page, size);
    await panel.getByLabel("Maximum connections", { exact: true }).fill("10");
    await panel.getByLabel(/^Guard: restore/).check();
    const field = panel.getByLabel("Guard: within seconds");
    await field.focus();
    await still(page);
    const top = async () => (await field.boundingBox())?.y ?? Number.NaN;
    const before = await top();
    answer();
    await expect(panel.getByTestId("predicted")).toContainText("wait p99", { timeout: 20_000 });
    await page.evaluate(drawnTwice);
    expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
  });

/** The policy of a domain with a draft and a guard, where the first field has the focus. */
async function draftWithGuard(page: Page, size: (typeof WIDE_AND_NARROW)[number]) {
  const panel = await openPolicy(page, size);
  await panel.getByLabel("Maximum connections", { exact: true }).fill("10");
  await panel.getByLabel(/^Guard: restore/).check();
  await still(page);
  await panel.getByLabel("Minimum connections", { exact: true }).focus();
  return panel;
}

test("a field that gets the focus is in sight, also where the page grows above it at the same time", async ({
  page,
  knownSet: _,
}) => {
  for (const size of WIDE_AND_NARROW) {
    const panel = await draftWithGuard(page, size);
    await page.evaluate(drawnTwice);
    await panel.getByLabel(/^Guard: p99 of waits/).evaluate((field) => {
      const scroller = field.closest(".main, .mantine-Drawer-content") as Element;
      scroller.scrollTo(0, 0);
      let part: Element = field;
      for (; part.parentElement?.parentElement && part.parentElement !== scroller; part = part.parentElement)
        if (getComputedStyle(part).display === "block" && part.childElementCount > 3) break;
      const grown = document.createElement("div");
      grown.style.height = "400px";
      (field as HTMLElement).focus();
      part.prepend(grown);
    });
    expect(await hiddenFocus(page)).toBeNull();
  }
});

test("a policy's draft hides no field with its buttons", async ({ page, knownSet: _ }) => {
  for (const size of WIDE_AND_NARROW) {
    await draftWithGuard(page, size);
    for (let press = 0; press < 24; press++) {
      expect.soft(await hiddenFocus(page)).toBeNull();
      await page.keyboard.press("Tab");
    }
  }
});

test("whoever wants less motion gets none", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signIn(page);
  await page.getByRole("button", { name: "Find a domain, page or action" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  const moving = await page.evaluate(
    () => document.getAnimations().filter((each) => each.playState === "running").length,
  );
  expect(moving).toBe(0);
});
