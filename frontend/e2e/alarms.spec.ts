import type { Page } from "@playwright/test";
import { DOMAIN, expect, recentIn, settled, signIn, still, test, token } from "./service";

const headers = { Authorization: `Bearer ${token}` };

test("an alarm is seen, acknowledged, silenced, and found among the past", async ({ page, request }) => {
  const act = async (action: "pause" | "resume") =>
    expect((await request.post(`/api/v1/domains/${DOMAIN}/${action}`, { headers })).ok()).toBe(true);
  await signIn(page, `/alarms?domain=${DOMAIN}&alarm=paused`);
  await expect(page.getByRole("heading", { name: "Alarms" })).toBeVisible();
  try {
    await act("pause");
    const alarm = page.getByTestId("open-alarms").getByRole("listitem");
    await expect(alarm).toContainText(`${DOMAIN} has been paused`);
    await expect(page.locator("#main").getByText(/^\d+ unattended in all$/)).toBeVisible(); // others may stand too

    await alarm.getByRole("button", { name: `Acknowledge paused of ${DOMAIN}…` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("a browser's test");
    await dialog.getByRole("button", { name: "Acknowledge" }).click();
    await expect(dialog).toHaveCount(0);
    await expect(alarm).toContainText("acknowledged by admin: “a browser's test”");
    await expect(alarm.getByRole("button", { name: /^Acknowledge/ })).toHaveCount(0);

    await alarm.getByRole("button", { name: `Silence paused of ${DOMAIN}…` }).click();
    await dialog.getByRole("button", { name: "Silence" }).click();
    await expect(dialog.getByRole("alert")).toContainText("is missing");
    await dialog.getByText("30 min").click();
    await dialog.getByLabel("Reason").fill("a drill");
    await dialog.getByRole("button", { name: "Silence" }).click();
    await expect(alarm).toContainText("by admin: “a drill”");
    await alarm.getByRole("button", { name: `End the silence of paused of ${DOMAIN}` }).click();
    await expect(alarm).not.toContainText("a drill");
  } finally {
    await act("resume");
  }
  const past = page.getByTestId("past-alarms").getByRole("listitem").first();
  await expect(past).toContainText(`${DOMAIN} was paused`);
  await expect(past).toContainText("acknowledged by admin");
  await expect(page.getByText("No open alarm fits this filter")).toBeVisible();
});

test("no chart moves when an alarm or the pointer comes, and the alarm's line opens all of them", async ({
  page,
  request,
}) => {
  const act = async (action: "pause" | "resume") =>
    expect((await request.post(`/api/v1/domains/${DOMAIN}/${action}`, { headers })).ok()).toBe(true);
  await signIn(page, `/domains/${DOMAIN}`);
  await settled(page);
  const line = page.locator(".state-line");
  await expect(line).not.toBeEmpty();
  const charts = page.locator("[data-chart]");
  const places = () => placesOf(page);
  const before = await places();
  expect(before).toHaveLength(5);
  try {
    await act("pause");
    await expect(line).toContainText(/has been paused.* for \d/);
    expect(await places()).toEqual(before);
    await line.getByRole("button").click();
    const list = page.getByRole("list", { name: "Alarms", exact: true });
    await expect(list).toContainText(`${DOMAIN} has been paused`);
    expect(await places()).toEqual(before);
    await page.keyboard.press("Escape");
    await expect(list).toHaveCount(0);
    await charts.first().locator("canvas").hover();
    await expect(charts.first().locator(".readout")).toContainText(/p99/);
    expect(await places()).toEqual(before);
  } finally {
    await act("resume");
  }
});

test("no chart moves when a latency cap is known, which is named at its line", async ({ page }) => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/policies\/revisions/, async (route) => {
    await asked;
    await route.continue();
  });
  await signIn(page, `/domains/${DOMAIN}`);
  const latency = page.locator("[data-chart=Latency]");
  await expect(latency.locator("canvas")).toHaveAttribute("data-rows", /[1-9]/);
  await still(page);
  const before = await placesOf(page);
  answer();
  const { within } = await recentIn(page, latency);
  await latency.locator("canvas").hover({ position: within });
  await expect(latency.locator(".readout")).toContainText(/mean.*p99.*cap/);
  expect(await placesOf(page)).toEqual(before);
});

test("an annotation is marked on the open charts of its domain", async ({ page, request }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  await expect(page.getByTestId("markers")).toBeAttached();
  const answer = await request.post("/api/v1/annotations", {
    headers,
    data: { kind: "deploy", text: "a browser test", domain: DOMAIN, tags: ["4.2"] },
  });
  expect(answer.status(), await answer.text()).toBe(201);
  const { id } = (await answer.json()) as { id: string };
  await expect(page.getByTestId("markers")).toContainText("deploy by admin: a browser test");
  expect((await request.delete(`/api/v1/annotations/${id}`, { headers })).status()).toBe(204);
  await expect(page.getByTestId("markers")).not.toContainText("a browser test");
});

const placesOf = (page: Page) =>
  page.locator("[data-chart]").evaluateAll((all) => all.map((each) => JSON.stringify(each.getBoundingClientRect())));
