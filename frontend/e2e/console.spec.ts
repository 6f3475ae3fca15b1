import AxeBuilder from "@axe-core/playwright";
import type { APIRequestContext, Page } from "@playwright/test";
import { DOMAIN, expect, signIn, test, token } from "./service";

const path = `/domains/${DOMAIN}/console`;

function editor(page: Page) {
  return page.getByRole("textbox", { name: `SQL for ${DOMAIN}` });
}

async function write(page: Page, sql: string) {
  await editor(page).fill(sql);
  await page.keyboard.press("Escape"); // closes the completion
}

async function run(page: Page, sql: string) {
  await write(page, sql);
  await page.keyboard.press("Control+Enter");
}

const outcome = (page: Page) => page.getByTestId("outcome");
const row = (page: Page, n: number) => page.locator(`table tr[aria-rowindex="${n + 1}"]`);

/** How many sessions of the server execute a statement with this text. */
async function executing(request: APIRequestContext, text: string): Promise<number> {
  const response = await request.post(`/api/v1/domains/${DOMAIN}/sql`, {
    headers: { Authorization: `Bearer ${token}`, Accept: "application/json" },
    data: {
      sql: "SELECT count(*)::int FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%' || $1 || '%' AND pid <> pg_backend_pid()",
      params: [text],
    },
  });
  const { results } = (await response.json()) as { results: { data: number[][] }[] };
  return results[0]?.data[0]?.[0] as number;
}

test("a query's rows are shown as they arrive, the last ones by scrolling, and the history survives a reload", async ({
  page,
}) => {
  await signIn(page, `/domains/${DOMAIN}`);
  await page.getByRole("link", { name: "SQL console" }).click();
  await run(page, "SELECT i, NULLIF(i % 2, 0) AS odd, '' AS empty FROM generate_series(1, 20000) i");
  await expect(outcome(page)).toHaveText("The execution is complete, 10,000 rows.");
  await expect(page.getByText("The row limit of 10,000 was reached.")).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "odd int4" })).toBeVisible();
  await expect(row(page, 2).getByRole("cell")).toHaveText(["2", "NULL", ""]);
  expect(await page.locator("table tbody tr").count()).toBeLessThan(100);
  await page.getByRole("region", { name: "Rows of the answer" }).focus();
  await page.keyboard.press("End");
  await expect(row(page, 10_000).getByRole("cell").first()).toHaveText("10000");
  await page.getByRole("button", { name: "Row 10,000, show all of it" }).click();
  await expect(page.getByRole("dialog", { name: "Row 10,000" }).getByText("NULL")).toBeVisible();
  await page.keyboard.press("Escape");

  await page.reload();
  const history = page.getByRole("region", { name: "History" });
  await expect(history.getByRole("button", { name: /NULLIF/ })).toContainText("10,000 rows");
  await write(page, "SELECT 1");
  await history.getByRole("button", { name: /NULLIF/ }).click();
  await expect(editor(page)).toContainText("NULLIF");
  await history.getByLabel("Text in the history").fill("no such text");
  await expect(history.getByText("No statement has this text.")).toBeVisible();
  await history.getByRole("button", { name: "Clear" }).click();
  await expect(history.getByRole("listitem")).toHaveCount(0);
});

test("rows are seen while their statement goes on", async ({ page, request }) => {
  await signIn(page, path);
  const mark = `console-${Date.now()}`;
  const slow = `CASE WHEN i > 90 THEN pg_sleep(25)::text ELSE '' END`;
  await run(page, `SELECT i, repeat('x', 1000), ${slow} AS "${mark}" FROM generate_series(1, 91) i`);
  await expect(row(page, 10).getByRole("cell").first()).toHaveText("10");
  await expect(outcome(page)).toHaveText("Running.");
  await expect(page.getByText("First row after").locator("xpath=following-sibling::dd")).toHaveText(
    /^[\d.]+ (µs|ms|s)$/,
  );
  expect(await executing(request, mark)).toBe(1);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(outcome(page)).toContainText("cancelled");
  await expect(row(page, 10).getByRole("cell").first()).toHaveText("10");
});

test("an error is marked where it is, and a change needs Read-only to be off", async ({ page }) => {
  await signIn(page, path);
  await run(page, "SELECT 1;\nSELECT aid,\n  abalanc\nFROM pgbench_accounts");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText('column "abalanc" does not exist');
  await expect(alert).toContainText("SQLSTATE 42703");
  await expect(alert).toContainText("Hint:");
  await expect(page.locator(".sql-wrong")).toHaveText("abalanc");
  await alert.getByRole("button", { name: "Go to line 3" }).click();
  await page.keyboard.type("e"); // the mark goes with the edit
  await expect(page.locator(".sql-wrong")).toHaveCount(0);

  const table = `console_${Date.now()}`;
  await run(page, `CREATE TABLE ${table} (a int)`);
  await expect(alert).toContainText("Read-only is on.");
  await page.getByRole("switch", { name: "Read-only" }).press("Space");
  await expect(page.getByText("Read-only is off.")).toBeVisible();
  await page.getByRole("button", { name: "Run, may write" }).click();
  await expect(outcome(page)).toContainText("complete");
  await expect(alert).toHaveCount(0);

  // The new table is completed.
  await editor(page).fill("SELECT a FROM conso");
  await expect(async () => {
    await page.keyboard.press("Control+Space");
    await expect(page.getByRole("option", { name: table })).toBeVisible({ timeout: 500 });
  }).toPass();
  await run(page, `DROP TABLE ${table}`);
  await expect(outcome(page)).toContainText("complete");
});

test("cancelling ends the statement at the server, and so does leaving the page", async ({ page, request }) => {
  await signIn(page, path);
  const mark = `console-${Date.now()}`;
  for (const end of ["cancel", "leave"]) {
    await run(page, `SELECT pg_sleep(25), '${mark}'`);
    await expect.poll(() => executing(request, mark)).toBe(1);
    await expect(outcome(page)).toHaveText("Running.");
    if (end === "cancel") {
      await page.getByRole("button", { name: "Cancel" }).click();
      await expect(outcome(page)).toContainText("cancelled");
    } else await page.getByRole("link", { name: "Overview" }).click();
    await expect.poll(() => executing(request, mark), { timeout: 5_000 }).toBe(0);
  }
});

test("an answer without its end is shown as broken off", async ({ page }) => {
  await page.route("**/api/v1/domains/*/sql", async (route) => {
    if (!route.request().postData()?.includes("SELECT 42")) return route.continue();
    await route.fulfill({
      contentType: "application/x-ndjson",
      body: '{"columns":[{"name":"a","type":"int4"}]}\n[42]\n{"done":{"rows":1,"command":"SELECT"}}\n',
    });
  });
  await signIn(page, path);
  await run(page, "SELECT 42 AS a");
  await expect(outcome(page)).toContainText("broken off");
  await expect(page.getByRole("alert")).toContainText("rows are missing");
  await expect(row(page, 1)).toContainText("42");
});

test("a plan is drawn as a tree with times, its most expensive node marked", async ({ page }) => {
  await signIn(page, path);
  await write(page, "SELECT count(*) FROM generate_series(1, 200000) g WHERE g % 7 = 0");
  await page.getByRole("button", { name: "Explain" }).click();
  const nodes = page.getByTestId("plan-node");
  await expect(nodes).toHaveCount(2);
  await expect(nodes.first()).toContainText("Aggregate");
  const scan = page.getByRole("listitem").getByRole("listitem").filter({ hasText: "Function Scan" });
  await expect(scan).toContainText("most expensive");
  await expect(scan).toContainText("28,571 of 1,000 expected");
  await expect(scan).toContainText("29 times more");
  await expect(scan).toContainText(/\d+ ms/);
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a"]).analyze();
  expect(violations.map(({ id, nodes: at }) => `${id} ${at.map(({ target }) => target)}`)).toEqual([]);

  await page.getByRole("switch", { name: "Read-only" }).press("Space");
  await page.getByRole("button", { name: "Explain without executing" }).click();
  await expect(page.getByTestId("plan-tree")).toContainText("Not executed");
});
