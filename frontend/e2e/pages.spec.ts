import { expect, signIn, test } from "./service";

test("a database's page, opened directly, has the policy beside the charts", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await signIn(page, "/databases/main");
  const charts = await page.locator(".multiples").boundingBox();
  const policy = await page.getByLabel("Policy of main").boundingBox();
  expect(policy?.x).toBeGreaterThan((charts?.x ?? 0) + (charts?.width ?? 0));
  expect(policy?.y).toBeLessThan((charts?.y ?? 0) + (charts?.height ?? 0));
});

test("a domain's page, opened directly, has its tabs apart", async ({ page }) => {
  await signIn(page, "/domains/bank");
  const tabs = page.getByRole("navigation", { name: "Pages of bank" }).getByRole("link");
  const first = await tabs.nth(0).boundingBox();
  const second = await tabs.nth(1).boundingBox();
  expect(second?.x).toBeGreaterThan((first?.x ?? 0) + (first?.width ?? 0));
});

test("a page can be walked by keyboard alone", async ({ page }) => {
  await signIn(page);
  await page.keyboard.press("Tab");
  await expect(page.getByText("Skip to the content")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("#main")).toBeFocused();
});

test("a domain that does not exist is said not to exist", async ({ page }) => {
  await signIn(page, "/domains/nowhere");
  await expect(page.getByText("There is no domain called nowhere")).toBeVisible();
});

test("making a domain names the field that is wrong", async ({ page }) => {
  await signIn(page, "/domains?new=true");
  await page.getByLabel("Name").fill("Not A Name");
  await page.getByRole("button", { name: "Create the domain" }).click();
  await expect(page.getByRole("dialog").getByRole("alert").first()).toBeVisible();
});

test("a list of domains says that none fits its filter, wherever it stands", async ({ page }) => {
  for (const path of ["/", "/domains"]) {
    await signIn(page, `${path}?q=none-such`);
    await expect(page.getByText("No domain fits “none-such”.")).toBeVisible();
    await expect(page.getByRole("region", { name: "Domains", exact: true })).toHaveCount(0);
  }
});
