import type { Page } from "@playwright/test";
import { expect, signIn, test } from "./service";

const path = "/domains/gallery/gallery";

const portraits = (page: Page) => page.getByRole("list", { name: "Portraits" }).getByRole("img");
const last = (page: Page, title: string) => page.getByRole("region", { name: title, exact: true });

/** The three times that the page shows, in milliseconds. */
async function times(page: Page, title: string): Promise<number[]> {
  const texts = await last(page, title).locator("dd").allTextContents();
  return texts.map((text) => {
    const [, figure, unit] = /^([\d.]+) (µs|ms|s)$/.exec(text) ?? [];
    return Number(figure) * { µs: 0.001, ms: 1, s: 1000 }[unit as "µs" | "ms" | "s"];
  });
}

test("portraits stream into the page, with the times to the first byte, the first row and the close", async ({
  page,
}) => {
  await signIn(page, "/workloads");
  await page.getByRole("link", { name: "Stream its portraits" }).click();
  await page.getByRole("button", { name: "Stream" }).click();
  await expect(last(page, "Streamed").getByRole("status")).toHaveText("Streamed: complete, 86 rows.");
  await expect(portraits(page)).toHaveCount(86);
  await expect(page.getByRole("region", { name: "Portraits", exact: true })).toContainText("86 of 86");
  for (const n of [0, 85]) {
    await portraits(page).nth(n).scrollIntoViewIfNeeded();
    await expect
      .poll(() =>
        portraits(page)
          .nth(n)
          .evaluate((image: HTMLImageElement) => image.naturalWidth),
      )
      .toBeGreaterThan(0);
  }
  const [firstByte, firstRow, close] = (await times(page, "Streamed")) as [number, number, number];
  expect(firstByte).toBeGreaterThan(0);
  expect(firstRow).toBeGreaterThanOrEqual(firstByte);
  expect(close).toBeGreaterThanOrEqual(firstRow);
  await expect(last(page, "Streamed")).toContainText(/86 rows, 1\.\d MB · .* in Headgate, .* · gallery-\d+/);

  await page.getByRole("button", { name: "Read whole" }).click();
  await expect(last(page, "Whole, then shown").getByRole("status")).toHaveText("Whole, then shown: complete, 86 rows.");
  await expect(page.getByText(/^Of 86 rows the first came after/)).toBeVisible();
  await expect(last(page, "Last runs").locator("tbody tr")).toHaveCount(2);
});

test("a slow reader is shown what has arrived, and can cancel", async ({ page }) => {
  await signIn(page, path);
  await page.getByRole("radio", { name: "301" }).check();
  await page.getByRole("radio", { name: "500 kB/s" }).check();
  await page.getByRole("button", { name: "Stream" }).click();
  await expect.poll(() => portraits(page).count()).toBeGreaterThan(10);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(last(page, "Streamed").getByRole("status")).toContainText("cancelled");
  expect(await portraits(page).count()).toBeLessThan(301);
  await expect(last(page, "Last runs")).toContainText("500 kB/s, cancelled");
});

test("an answer without its end is told as broken off, one that is too large as too large", async ({ page }) => {
  await page.route("**/api/v1/domains/gallery/sql", (route) =>
    route.fulfill({
      contentType: "application/x-ndjson",
      body: '{"columns":[{"name":"id","type":"int4"}]}\n[1,"A. Vance","1800-01-01","1870-01-01","\\\\x","Painted."]\n',
    }),
  );
  await signIn(page, path);
  await page.getByRole("button", { name: "Stream" }).click();
  await expect(page.getByRole("alert")).toContainText("broken off before its end record");
  await expect(portraits(page)).toHaveCount(1);

  await page.unroute("**/api/v1/domains/gallery/sql");
  await page.getByRole("radio", { name: "989" }).check();
  await page.getByRole("button", { name: "Read whole" }).click();
  await expect(last(page, "Whole, then shown").getByRole("alert")).toContainText("headgate.sql.whole");
  await page.getByRole("button", { name: "Stream" }).click();
  await expect(last(page, "Streamed").getByRole("status")).toHaveText("Streamed: complete, 989 rows.");
});

test("another domain has no portraits", async ({ page }) => {
  await signIn(page, "/domains/bank/gallery");
  await expect(page.getByText("The demo's portraits are in gallery.")).toBeVisible();
});
