import type { Page } from "@playwright/test";
import { DOMAIN, expect, settled, signIn, test } from "./service";

const charts = (page: Page) => page.locator(".charts");
const rows = async (page: Page) => Number(await page.locator(".timechart canvas").first().getAttribute("data-rows"));

/** Opens the last 15 minutes by the picker, and waits until they are drawn. */
async function openLast15(page: Page) {
  await signIn(page, `/domains/${DOMAIN}`);
  await page.getByRole("radiogroup", { name: "Range" }).getByText("15 m").click();
  await expect(page).toHaveURL(/range=15m/);
  await expect(charts(page)).toHaveAttribute("data-range", "15m");
  await expect.poll(() => rows(page)).toBeGreaterThan(5);
}

test("a fixed range is typed in, is told by the address, and is the same after a reload", async ({ page }) => {
  await openLast15(page);
  await page.getByRole("button", { name: "From … to …" }).click();
  const from = page.getByLabel("From", { exact: true });
  const to = page.getByLabel("To", { exact: true });
  const end = await to.inputValue();
  await to.fill(await from.inputValue());
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page.getByRole("alert")).toContainText("before the end");
  await to.fill(end);
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page).toHaveURL(/from=.*&to=/);
  const said = await page.getByTestId("range").innerText();
  const drawn = await rows(page);
  await page.reload();
  await settled(page);
  await expect(page.getByTestId("range")).toHaveText(said);
  await expect.poll(() => rows(page)).toBeGreaterThanOrEqual(drawn);
  await page.goBack();
  await expect(charts(page)).toHaveAttribute("data-range", "15m");
});

test("a range of which nothing is kept says so, and one that makes no sense is live", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}?from=2020-01-01T00:00:00Z&to=2020-01-01T01:00:00Z`);
  await expect(page.getByText(`Nothing is kept of ${DOMAIN}`)).toBeVisible();
  await page.goto(`/domains/${DOMAIN}?from=tomorrow&to=yesterday&range=2h`);
  await expect(charts(page)).toHaveAttribute("data-range", "live");
});
