/**
 * The pages and what opens over them that are listed here, in both themes, looked at by axe; and none is cut at any usual width. A page is loaded once:
 * it follows the theme and the width, as it does when the system changes them.
 */
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { DOMAIN, expect, settled, signIn, still, test } from "./service";

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

/** axe takes a minute for a page on a machine that others use too. */
const PATIENCE_MS = 600_000;

const WIDTHS = [360, 1280, 2560] as const;

const softly = expect.configure({ soft: true });

/** The first frame tells what depends on the width; the second one draws what that changed. */
const drawnTwice = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

async function open(page: Page, path: string) {
  await page.goto(path);
  await expect(page.locator("main h1").first()).toBeVisible();
  await settled(page);
}

/**
 * A drawer's title stands in a <header>. axe takes it for a second banner, because the drawer's section has the role of a
 * dialog; browsers do not, and the page behind a modal dialog is out of reach.
 */
const OF_DRAWERS = ["landmark-no-duplicate-banner", "landmark-unique"];

/** The rules of axe that read colours. A theme changes colours and nothing else. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** What opens over a page, and is there now. */
const OPENED = "[role=dialog], [role=menu], .help-text:popover-open";

/** What axe finds: by every rule in the light theme, by those of colours in the dark one. */
async function faults(page: Page) {
  const light = await found(page, "light", axe(page));
  return [...light, ...(await found(page, "dark", axe(page).withRules(OF_COLOURS)))];
}

/** The same of what is open over a page. The page's own colours were looked at when nothing was. */
async function faultsOfOpened(page: Page) {
  const light = await found(page, "light", axe(page).disableRules(OF_DRAWERS));
  return [...light, ...(await found(page, "dark", axe(page).withRules(OF_COLOURS).include(OPENED)))];
}

/** For this page alone: none has a frame of another site, for which axe would open a page of its own each time. */
const axe = (page: Page) => new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode();

async function found(page: Page, theme: "light" | "dark", axe: AxeBuilder) {
  await page.emulateMedia({ colorScheme: theme });
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", theme);
  await still(page); // no colour is on its way to another
  const { violations } = await axe.analyze();
  return violations.map(
    (v) => `${theme}, ${v.id}: ${v.nodes.map((n) => `${n.target} ${n.failureSummary}`).join(" | ")}`,
  );
}

test("no page has an accessibility fault, each names itself, and nothing is cut at any usual width", async ({
  page,
}) => {
  test.setTimeout(PATIENCE_MS);
  await signIn(page);
  await open(page, `/domains/${DOMAIN}/connections`);
  const connection = page.locator(`main td a[href^="/domains/${DOMAIN}/connections/"]`).first();
  const pages = [...PAGES, [(await connection.getAttribute("href")) ?? "", "Connection .*"] as const];
  for (const [path, title] of pages) {
    await open(page, path);
    await expect(page).toHaveTitle(new RegExp(`${title} · Headgate$`));
    expect.soft(await faults(page), path).toEqual([]);
    const before = page.viewportSize();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(drawnTwice);
      await settled(page);
      await softly.poll(() => page.evaluate(tooWide), `${path} at ${width} px`).toEqual([]);
    }
    if (before) await page.setViewportSize(before);
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

test("the form that asks for the token has no accessibility fault", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByLabel("Token")).toBeVisible();
  expect(await faults(page)).toEqual([]);
});

/** What is wider than its place: the page itself, every text that is cut without an ellipsis or a scroll bar, and every broken word. */
function tooWide(): string[] {
  const found: string[] = [];
  const main = document.querySelector("main") as HTMLElement;
  if (document.documentElement.scrollWidth > window.innerWidth)
    found.push(`page ${document.documentElement.scrollWidth}`);
  if (main.scrollWidth > main.clientWidth) found.push(`main ${main.scrollWidth} of ${main.clientWidth}`);
  const scrolls = (element: Element | null): boolean =>
    element !== null &&
    (["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  for (const element of main.querySelectorAll<HTMLElement>("*")) {
    const style = getComputedStyle(element);
    if (style.position === "absolute" || style.clipPath !== "none" || element.closest(".cm-editor, .sr-only")) continue;
    const words = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim());
    if (!words || style.display === "inline") continue;
    // A name in the API is one word: in a column that is too narrow it stands letter by letter.
    if (element.matches("code.key") && element.getBoundingClientRect().height > 3 * Number.parseFloat(style.fontSize))
      found.push(`broken: ${element.textContent}`);
    const cut = style.overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
    if (cut && style.textOverflow !== "ellipsis" && !scrolls(element)) found.push(`cut: ${element.textContent}`);
    const box = element.getBoundingClientRect();
    if (box.right > window.innerWidth + 1 && !scrolls(element.parentElement))
      found.push(`outside: ${element.textContent}`);
  }
  return found;
}

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

test("nothing that has the focus is hidden", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 700 });
  await signIn(page, `/domains/${DOMAIN}`);
  await settled(page);
  for (let press = 0; press < 60; press++) {
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

test("a policy's draft hides no field with its buttons", async ({ page, knownSet: _ }) => {
  for (const size of WIDE_AND_NARROW) {
    const panel = await openPolicy(page, size);
    await panel.getByLabel("Maximum connections", { exact: true }).fill("10");
    await panel.getByLabel(/^Guard: restore/).check();
    await still(page);
    await panel.getByLabel("Minimum connections", { exact: true }).focus();
    for (let press = 0; press < 24; press++) {
      expect.soft(await hiddenFocus(page)).toBeNull();
      await page.keyboard.press("Tab");
    }
  }
});

/** What has the focus, if something lies over it when the page is drawn. */
async function hiddenFocus(page: Page): Promise<string | null> {
  await page.evaluate(drawnTwice);
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    if (element === document.body) return null;
    const box = (element.matches(".seg input") ? element.parentElement! : element).getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, Math.min(box.top + box.height / 2, box.top + 20)];
    const top = document.elementFromPoint(x, y);
    const seen = top !== null && (element.contains(top) || top.contains(element));
    return seen ? null : `${element.outerHTML.slice(0, 120)} at ${Math.round(x)}, ${Math.round(y)}`;
  });
}

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
