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
async function confirm(page: Page, name: string | RegExp) {
  const dialog = page.getByRole("dialog");
  await expect(dialog.locator(":focus")).toBeVisible();
  await press(page, dialog.getByRole("button", { name }));
  await expect(dialog).toHaveCount(0);
}

/** The next Tab goes on where the reader is, also if what had the focus is gone; not at the top of the page. */
async function goesOnIn(page: Page, region: Locator) {
  await page.keyboard.press("Tab");
  await expect(region.locator(":focus")).toBeVisible();
}

test("a policy is changed and taken back by keyboard", async ({ page, request, knownSet: _ }) => {
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
});

test("a domain is paused and resumed by keyboard", async ({ page, knownSet: _ }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  await settled(page);
  const head = page.locator(".domain-head");
  try {
    await press(page, page.getByRole("button", { name: "Pause", exact: true }));
    await confirm(page, `Pause ${DOMAIN}`);
    const resume = page.getByRole("button", { name: "Resume" });
    await expect(resume).toBeVisible();
    await goesOnIn(page, head);
    await press(page, resume);
    await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
    await goesOnIn(page, head);
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

test("an alarm is acknowledged by keyboard", async ({ page, knownSet: _ }) => {
  const act = async (action: "pause" | "resume") =>
    expect((await page.request.post(`/api/v1/domains/${DOMAIN}/${action}`, { headers })).ok()).toBe(true);
  await signIn(page, `/alarms?domain=${DOMAIN}&alarm=paused`);
  try {
    await act("pause");
    const alarm = page.getByTestId("open-alarms").getByRole("listitem");
    await press(page, alarm.getByRole("button", { name: `Acknowledge paused of ${DOMAIN}…` }));
    await expect(page.getByRole("dialog").getByLabel("Reason")).toBeFocused();
    await page.keyboard.type("by keyboard");
    await page.keyboard.press("Enter");
    await expect(alarm).toContainText("acknowledged by admin: “by keyboard”");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(alarm.locator(":focus")).toBeVisible(); // on what stands beside the button, which has gone
  } finally {
    await act("resume");
  }
});

test("the past is looked at by keyboard", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  await settled(page);
  await reach(page, page.getByRole("radio", { name: "Live" }));
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/range=5m/);
  await press(page, page.getByRole("button", { name: "Freeze" }));
  await expect(page).toHaveURL(/from=.*to=/);
  await goesOnIn(page, page.locator(".range-bar"));
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
