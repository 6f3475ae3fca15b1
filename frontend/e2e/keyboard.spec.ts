/** The flows of an operator by keyboard alone: nothing here touches the pointer, and the focus is never lost. */
import type { Locator, Page } from "@playwright/test";
import { DOMAIN, expect, readSet, settled, signIn, test, token } from "./service";

const headers = { Authorization: `Bearer ${token}` };

/** More stops than any page has. */
const MOST_STOPS = 150;

/** Walks to what is wanted with the Tab key. */
async function reach(page: Page, wanted: Locator) {
  await expect(wanted).toBeVisible();
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`no Tab leads to ${wanted}`);
}

async function press(page: Page, wanted: Locator, key = "Enter") {
  await reach(page, wanted);
  await page.keyboard.press(key);
}

/** Answers the question that is asked, whose focus stands on what gives it up. */
async function confirm(page: Page, name: string | RegExp, dialog = page.getByRole("dialog")) {
  await expect(dialog.locator(":focus")).toBeVisible();
  await press(page, dialog.getByRole("button", { name }));
  await expect(dialog).toHaveCount(0);
}

/** The next Tab goes on where the reader is, also if what had the focus is gone; not at the top of the page. */
async function goesOnIn(page: Page, region: Locator) {
  await page.keyboard.press("Tab");
  await expect(region.locator(":focus")).toBeVisible();
}

test("a policy is changed, taken back and restored from its history by keyboard", async ({
  page,
  request,
  knownSet: _,
}) => {
  const { revision } = await readSet(request);
  await signIn(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type(DOMAIN);
  await expect(page.locator("input:focus")).toHaveValue(DOMAIN);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/domains/${DOMAIN}$`));
  await settled(page);
  const panel = page.getByRole("complementary", { name: `Policy of ${DOMAIN}` });
  await reach(page, panel.getByLabel("Maximum connections", { exact: true }));
  await page.keyboard.press("Control+a");
  await page.keyboard.type("14");
  await expect(panel.getByText("was 12")).toBeVisible();
  const apply = panel.getByRole("button", { name: `Apply as rev ${revision + 1}` });
  await expect(apply).toBeEnabled();
  await press(page, apply);
  await expect(panel.getByText(`rev ${revision + 1} is in force.`)).toBeVisible();
  await goesOnIn(page, panel);
  await press(page, panel.getByRole("button", { name: "Undo" }));
  // A question comes only if connections in use would close.
  const dialog = page.getByRole("dialog");
  const done = panel.getByText(`rev ${revision + 2} is in force.`);
  await expect(done.or(dialog)).toBeVisible();
  if (await dialog.isVisible()) await confirm(page, `Restore as rev ${revision + 2}`);
  await expect(done).toBeVisible();
  await goesOnIn(page, panel);

  await press(page, panel.getByRole("button", { name: "History" }));
  const history = page.getByRole("dialog", { name: `History of ${DOMAIN}` });
  const changed = history.getByRole("listitem").filter({ has: page.getByText(`rev ${revision + 1}`, { exact: true }) });
  await press(page, changed.getByRole("button", { name: `Restore as rev ${revision + 3}` }));
  const question = page.getByRole("dialog", { name: `Restore rev ${revision + 1} of ${DOMAIN}?` });
  await confirm(page, `Restore as rev ${revision + 3}`, question);
  const live = history.getByRole("listitem").filter({ has: page.getByText("live", { exact: true }) });
  await expect(live).toContainText(`restored from rev ${revision + 1}`);
  await expect(history.locator(":focus")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(history).toHaveCount(0);
  await expect(panel.getByLabel("Maximum connections", { exact: true })).toHaveValue("14");
  await goesOnIn(page, panel);
});

test("a domain is paused, drained and resumed by keyboard", async ({ page, knownSet: _ }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  await settled(page);
  const head = page.locator(".domain-head");
  try {
    for (const name of ["Pause", "Drain"]) {
      await press(page, page.getByRole("button", { name, exact: true }));
      await confirm(page, `${name} ${DOMAIN}`);
      const resume = page.getByRole("button", { name: "Resume" });
      await expect(resume).toBeVisible();
      await goesOnIn(page, head);
      await press(page, resume);
      await expect(page.getByRole("button", { name, exact: true })).toBeVisible();
      await goesOnIn(page, head);
    }
  } finally {
    await page.request.post(`/api/v1/domains/${DOMAIN}/resume`, { headers });
  }
});

test("the navigation says by keyboard what is wrong with a domain", async ({ page, knownSet: _ }) => {
  const act = (action: "pause" | "resume") => page.request.post(`/api/v1/domains/${DOMAIN}/${action}`, { headers });
  await signIn(page, `/domains/${DOMAIN}`);
  try {
    expect((await act("pause")).ok()).toBe(true);
    const link = page.getByRole("list", { name: "Databases and domains" }).getByRole("link", { name: /paused/i });
    await expect(link).toHaveAttribute("aria-description", /\w/);
    await reach(page, link);
    const said = page.locator(".help-text:popover-open");
    await expect(said).toHaveText((await link.getAttribute("aria-description")) ?? "");
    await page.keyboard.press("Escape");
    await expect(said).toHaveCount(0);
    await expect(link).toBeFocused();
  } finally {
    await act("resume");
  }
});

test("an alarm is acknowledged and silenced by keyboard", async ({ page, knownSet: _ }) => {
  const act = async (action: "pause" | "resume") =>
    expect((await page.request.post(`/api/v1/domains/${DOMAIN}/${action}`, { headers })).ok()).toBe(true);
  await signIn(page, `/alarms?domain=${DOMAIN}&alarm=paused`);
  const dialog = page.getByRole("dialog");
  const reason = dialog.getByLabel("Reason");
  try {
    await act("pause");
    const alarm = page.getByTestId("open-alarms").getByRole("listitem");
    await press(page, alarm.getByRole("button", { name: `Acknowledge paused of ${DOMAIN}…` }));
    await expect(reason).toBeFocused();
    await page.keyboard.type("by keyboard");
    await page.keyboard.press("Enter");
    await expect(alarm).toContainText("acknowledged by admin: “by keyboard”");
    await expect(dialog).toHaveCount(0);
    await expect(alarm.locator(":focus")).toBeVisible(); // on what stands beside the button, which has gone

    await press(page, alarm.getByRole("button", { name: `Silence paused of ${DOMAIN}…` }));
    await expect(reason).toBeFocused();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("ArrowLeft");
    await expect(dialog.getByRole("radio", { name: "30 min" })).toBeChecked();
    await page.keyboard.press("Tab");
    await page.keyboard.type("a drill");
    await page.keyboard.press("Enter");
    await expect(alarm).toContainText(/silent for (30 min|29 min.*) more by admin: “a drill”/);
    await expect(dialog).toHaveCount(0);
    await expect(alarm.locator(":focus")).toBeVisible();
    await press(page, alarm.getByRole("button", { name: `End the silence of paused of ${DOMAIN}` }));
    await expect(alarm).not.toContainText("a drill");
    await goesOnIn(page, page.locator("#main"));
  } finally {
    await act("resume");
  }
});

test("what runs on a lease is cancelled by keyboard", async ({ page, request }) => {
  const name = "cancelled-by-keys";
  await request.delete(`/api/v1/domains/${name}`, { headers });
  const made = await request.post("/api/v1/domains", {
    headers,
    data: { name, database: "main", policySet: { policies: [{ plugin: "min-max", parameters: { min: 1, max: 1 } }] } },
  });
  expect(made.ok(), await made.text()).toBe(true);
  try {
    const sql = "SELECT pg_sleep(60)";
    const sleeping = request.post(`/api/v1/domains/${name}/sql`, { headers, data: { sql } });
    await signIn(page, `/domains/${name}/leases`);
    await press(page, page.getByRole("button", { name: new RegExp(`^Cancel what admin runs on ${name}-`) }));
    await confirm(page, "Cancel the statement");
    expect(await (await sleeping).text()).toContain("57014");
    await expect(page.getByText("Nobody holds a connection.")).toBeVisible(); // and nothing is there that takes the focus
  } finally {
    await request.delete(`/api/v1/domains/${name}`, { headers });
  }
});

test("a budget is changed by keyboard, and one that the server cannot give is flagged where it is edited", async ({
  page,
  request,
}) => {
  const path = "/api/v1/databases/main";
  const stored = async () => (await request.get(path, { headers })).json();
  const { budget, serverMaxConnections: most } = (await stored()) as { budget: number; serverMaxConnections: number };
  await signIn(page, "/databases/main");
  await settled(page);
  const form = page.getByRole("dialog", { name: "Edit main" });
  const flag = form.getByRole("status").filter({ hasText: "more than" });
  try {
    for (const wanted of [budget + 1, budget]) {
      await press(page, page.getByRole("button", { name: "Edit", exact: true }));
      await reach(page, form.getByLabel("Budget"));
      await page.keyboard.press("Control+a");
      await page.keyboard.type(String(most + 1));
      await expect(flag).toContainText(new RegExp(`main ${most + 1}|budget of ${most + 1}`));
      await expect(flag).toContainText(`more than the ${most} connections that the server gives`);
      await page.keyboard.press("Control+a");
      await page.keyboard.type(String(wanted));
      await expect(flag).toHaveCount(0);
      await page.keyboard.press("Enter");
      await expect(form).toHaveCount(0);
      expect((await stored()).budget).toBe(wanted);
      await expect(page.getByRole("button", { name: "Edit", exact: true })).toBeFocused();
    }
  } finally {
    await request.patch(path, { headers, data: { budget } });
  }
});

test("the past is looked at, compared and exported by keyboard", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  await settled(page);
  await reach(page, page.getByRole("radio", { name: "Live" }));
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/range=5m/);
  await press(page, page.getByRole("button", { name: "Freeze" }));
  await expect(page).toHaveURL(/from=.*to=/);
  await goesOnIn(page, page.locator(".range-bar"));
  const compare = page.getByRole("combobox", { name: "Compare with" });
  await reach(page, compare);
  await page.keyboard.press("ArrowDown");
  await expect(page).toHaveURL(/compare=before/);
  await expect(page.getByRole("region", { name: "Compared with the range before" })).toBeVisible();
  await expect(compare).toBeFocused();
  for (const [item, ending] of [
    ["Incident as Markdown", "md"],
    ["Rows as CSV", "csv"],
  ] as const) {
    const opener = page.getByRole("button", { name: "Export" });
    await press(page, opener);
    const wanted = page.getByRole("menuitem", { name: item, exact: true });
    await expect(page.getByRole("menu").locator(":focus")).toBeVisible();
    while (!(await wanted.evaluate((element) => element === document.activeElement)))
      await page.keyboard.press("ArrowDown");
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    expect(download.suggestedFilename()).toMatch(new RegExp(`^${DOMAIN}-.*\\.${ending}$`));
    await expect(page.getByRole("menu")).toHaveCount(0);
    await expect(opener).toBeFocused();
  }
  const chart = page.getByRole("group", { name: new RegExp(`^Connections of ${DOMAIN}`) });
  await reach(page, chart);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("why")).toContainText("Decisions within one second");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(chart).toBeFocused();
  const before = page.url();
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(before); // zoomed out
  await expect(chart).toBeFocused();
});
