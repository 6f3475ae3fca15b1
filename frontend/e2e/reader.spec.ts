/** A reader looks at every page and sees nothing to press that the service would refuse. */
import { DOMAIN, expect, mine, settled, test } from "./service";

const PAGES = [
  "/",
  "/domains?new=true",
  `/domains/${DOMAIN}`,
  `/domains/${DOMAIN}/console`,
  `/domains/${DOMAIN}/connections`,
  `/domains/${DOMAIN}/leases`,
  `/domains/${DOMAIN}/clients`,
  `/domains/${DOMAIN}/log`,
  "/domains/gallery/gallery",
  "/databases?new=true",
  "/databases/main",
  "/decisions",
  "/alarms",
  "/plugins",
  "/workloads",
  "/lab?start=policy-sweep",
  "/audit",
  "/log",
];
const CHANGES =
  /^(Start|Delete|Run again|Pause|Resume|Flush|Drain|New |Add |Edit$|Apply|Remove|Restore|Upload|Acknowledge|Silence|End |Cancel |Limits…|Labels…|Settings…|Replay|Shadow|Adopt|Annotate|Create|\+ )/;

test("a reader sees every page and no control that the service would refuse", async ({ page }) => {
  test.setTimeout(240_000);
  const token = mine("HEADGATE_READER_TOKEN");
  test.skip(!token, "HEADGATE_READER_TOKEN is the token of a reader");
  await page.goto(`/?token=${token}`);
  await expect(page.getByRole("button", { name: "reader", exact: true })).toBeVisible();
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
  for (const path of PAGES) {
    await page.goto(path);
    await expect(page.locator("main h1").first()).toBeVisible();
    await settled(page);
    const controls = page.locator("main").locator("button:enabled, a, summary");
    const names = await controls.evaluateAll((all) =>
      all.map((each) => (each.getAttribute("aria-label") ?? each.textContent ?? "").trim()),
    );
    expect
      .soft(
        names.filter((name) => CHANGES.test(name)),
        path,
      )
      .toEqual([]);
    expect.soft(await page.getByRole("switch").and(page.locator(":enabled")).count(), `switches of ${path}`).toBe(0);
    await expect(page.getByRole("dialog")).toHaveCount(0);
  }
  expect(refused).toEqual([]);

  await page.goto(`/domains/${DOMAIN}`);
  const editor = page.getByRole("complementary", { name: `Policy of ${DOMAIN}` });
  await expect(editor.getByTestId("reader")).toContainText("signed in as a reader");
  await editor.getByRole("button", { name: "History" }).click();
  await expect(page.getByRole("dialog", { name: `History of ${DOMAIN}` })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Restore/ })).toHaveCount(0);
});

test("a reader's console reads, says why it only reads, and changes nothing", async ({ page }) => {
  const token = mine("HEADGATE_READER_TOKEN");
  test.skip(!token, "HEADGATE_READER_TOKEN is the token of a reader");
  await page.goto(`/?token=${token}`);
  await expect(page.getByRole("button", { name: "reader", exact: true })).toBeVisible();
  await page.goto(`/domains/${DOMAIN}/console`);
  const readOnly = page.getByRole("switch", { name: "Read-only, as your role is" });
  await expect(readOnly).toBeChecked();
  await expect(readOnly).toBeDisabled();
  await expect(page.getByRole("button", { name: "Limits…" })).toHaveCount(0);

  const run = async (sql: string) => {
    await page.getByRole("textbox", { name: `SQL for ${DOMAIN}` }).fill(sql);
    await page.keyboard.press("Escape"); // closes the completion
    await page.getByRole("button", { name: "Run", exact: true }).click();
  };
  await run("SELECT 'read' AS it");
  await expect(page.getByTestId("outcome")).toHaveText("The execution is complete, 1 row.");
  await expect(page.getByRole("cell", { name: "read" })).toBeVisible();
  await run(`CREATE TABLE of_a_reader_${Date.now()} (a int)`);
  await expect(page.getByRole("alert")).toContainText("in a read-only transaction");
  await expect(page.getByRole("alert")).toContainText("SQLSTATE 25006");
  await expect(page.getByRole("alert")).toContainText("Read-only is on.");
});
