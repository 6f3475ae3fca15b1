import { DOMAIN, expect, signIn, test } from "./service";

const editor = `Policy of ${DOMAIN}`;

test("a draft is rehearsed: its predicted effect, a replay, and a shadow that decides nothing", async ({
  page,
  knownSet: _,
}) => {
  test.slow(); // replays a minute twice, beside live charts
  await signIn(page, `/domains/${DOMAIN}`);
  const policy = page.getByRole("complementary", { name: editor });
  const revision = await policy.getByTestId("revision").textContent();
  await policy.getByLabel("max", { exact: true }).fill("6");
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
  await expect(chart.locator("canvas")).toHaveAttribute("data-rows", /[1-9]/);
  await chart.scrollIntoViewIfNeeded();
  const box = (await chart.boundingBox()) as { x: number; y: number; width: number; height: number };
  await page.mouse.move(box.x + box.width - 40, box.y + box.height / 2);
  await page.mouse.click(box.x + box.width - 40, box.y + box.height / 2);
  const why = page.getByTestId("why");
  await expect(why).toContainText(/connections|figures/);
  await expect(why).toContainText("Decisions within one second");
});
