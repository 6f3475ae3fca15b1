import { DOMAIN, expect, pickRecent, recentIn, settled, signIn, test } from "./service";

const editor = `Policy of ${DOMAIN}`;

test("a draft is rehearsed: its predicted effect, a replay, and a shadow that decides nothing", async ({
  page,
  knownSet: _,
}) => {
  test.slow(); // replays a minute twice, beside live charts
  await signIn(page, `/domains/${DOMAIN}`);
  const policy = page.getByRole("complementary", { name: editor });
  const revision = await policy.getByTestId("revision").textContent();
  await policy.getByLabel("Maximum connections", { exact: true }).fill("6");
  await expect(policy.getByTestId("predicted")).toContainText("wait p99", { timeout: 20_000 });
  await expect(policy.getByText(/^The model |^Only \d+ requests/).first()).toBeVisible();

  await policy.getByRole("button", { name: "Replay", exact: true }).click();
  await page.getByRole("button", { name: "Replay under this draft" }).click();
  await expect(page.getByTestId("replay")).toContainText(/the first \d+ s are not counted/);
  await page.keyboard.press("Escape");

  await policy.getByRole("button", { name: "Shadow", exact: true }).click();
  const shadow = policy.getByTestId("shadow");
  await expect(shadow).toContainText(/differed|agreed/);
  expect(await policy.getByTestId("revision").textContent()).toBe(revision);
  await shadow.getByRole("button", { name: "End the shadow" }).click();
  await expect(shadow).toBeHidden();
});

test("an instant of the waiting chart is explained", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  const chart = page.getByRole("group", { name: /^Requests waiting/ });
  await pickRecent(page, chart);
  const why = page.getByTestId("why");
  await expect(why).toContainText(/connections|figures/);
  await expect(why).toContainText("Decisions within one second");
});

test("a click on a chart counts although the page moves under it", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  const chart = page.getByRole("group", { name: /^Requests waiting/ });
  const { x, y } = await recentIn(page, chart);
  await page.mouse.move(x, y);
  await page.mouse.down();
  // As an alarm's sentence does that comes in above. It puts the chart's button under the pointer.
  await chart.evaluate((element, pointer) => {
    const button = element.querySelector("button")?.getBoundingClientRect();
    if (button) element.style.marginTop = `${pointer - button.top - button.height / 2}px`;
  }, y);
  await page.mouse.up();
  await expect(page.getByTestId("why")).toContainText("Decisions within one second");
});

test.describe("on a screen that is touched", () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } });

  test("a tap on a chart is explained, as a click is", async ({ page }) => {
    await signIn(page, `/domains/${DOMAIN}`);
    const canvas = page.getByRole("group", { name: /^Requests waiting/ }).locator("canvas");
    await canvas.scrollIntoViewIfNeeded(); // drawn only where it is seen
    await expect(canvas).toHaveAttribute("data-rows", /[1-9]/);
    await settled(page);
    await canvas.tap();
    await expect(page.getByTestId("why")).toContainText("Decisions within one second");
  });

  test("a tap on the heat map tells what it points at", async ({ page }) => {
    await signIn(page, `/domains/${DOMAIN}`);
    const cells = page.getByRole("group", { name: /of every connection of/ }).locator("canvas");
    await cells.scrollIntoViewIfNeeded(); // drawn only where it is seen
    await settled(page);
    await expect(async () => {
      await cells.tap();
      await expect(page.locator(".heat-readout")).toContainText(/-\d+ · \d\d:\d\d:\d\d · /, { timeout: 500 });
    }).toPass();
  });
});
