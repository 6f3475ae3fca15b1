/** An operator finds who holds the connections, acts, and sees who was turned away. */
import type { APIRequestContext } from "@playwright/test";
import pg from "pg";
import { expect, signIn, test, token } from "./service";

const NAME = "operated";
const headers = { Authorization: `Bearer ${token}` };

async function post(request: APIRequestContext, path: string, data?: unknown) {
  const response = await request.post(`/api/v1${path}`, { headers, data });
  expect(response.ok(), await response.text()).toBe(true);
  return response.json();
}

/** A client of the wire port, under an application_name. What befalls it is told by its queries, not by events. */
async function connect(client: { host: string; port: number; password: string }, application: string, database = NAME) {
  const connected = new pg.Client({
    host: client.host,
    port: client.port,
    user: "app",
    password: client.password,
    database,
    application_name: application,
  });
  connected.on("error", () => {});
  await connected.connect();
  return connected;
}

const outcome = (client: pg.Client, sql: string) =>
  client.query(sql).then(
    () => "done",
    (error: { code?: string }) => error.code ?? String(error),
  );

test("a lease is seen and cancelled, and whoever is turned away is counted", async ({ page, request }) => {
  await request.delete(`/api/v1/domains/${NAME}`, { headers });
  await post(request, "/domains", {
    name: NAME,
    database: "main",
    policySet: {
      policies: [{ plugin: "min-max", parameters: { min: 1, max: 1 } }],
      whenExhausted: { mode: "queue", timeoutMs: 1500, depth: 10 },
    },
  });
  const client = await post(request, `/domains/${NAME}/clients`, { name: "app" });
  const report = await connect(client, "nightly-report");
  const web = await connect(client, "web");
  try {
    await signIn(page, `/domains/${NAME}/leases`);
    await expect(page.getByText("Nobody waits.")).toBeVisible();
    const sleeping = outcome(report, "select pg_sleep(120), 'top secret'");
    const row = page.getByRole("row", { name: /nightly-report/ });
    await expect(row).toContainText("select pg_sleep(?), ?");
    await expect(row).toContainText("app from 127.0.0.1:");

    const waiting = outcome(web, "select 1");
    await expect(page.getByRole("region", { name: "Waiters" })).toContainText("web");
    expect(await waiting).toBe("53300");
    await page.getByRole("link", { name: "Pool", exact: true }).click();
    const turnedAway = page.getByTestId("turned-away");
    await expect(turnedAway).toHaveText(/^1 /);
    await turnedAway.click();
    await expect(page.getByRole("region", { name: /^Turned away/ })).toContainText("timed out");

    await row.getByRole("button", { name: /^Cancel what nightly-report runs/ }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("nightly-report (app from 127.0.0.1:");
    await expect(dialog).not.toContainText("top secret");
    await dialog.getByRole("button", { name: "Cancel the statement" }).click();
    await expect(dialog).toHaveCount(0);
    expect(await sleeping).toBe("57014");
    expect(await outcome(web, "select 1")).toBe("done");
    await expect(page.getByText("Nobody holds a connection.")).toBeVisible();

    await page.goto("/audit");
    const entry = page.getByRole("row", { name: /leases\.cancel/ }).first();
    await expect(entry).toContainText(`domains/${NAME}/leases/${NAME}-`);
    await page.goto(`/domains/${NAME}/log`);
    const log = page.getByRole("region", { name: "Log" });
    await expect(log).toContainText("cancelled what nightly-report");
    await page.getByLabel("Text in the line").fill("what nightly-report");
    await expect(log.getByRole("listitem")).toHaveCount(1);
    await expect(log).not.toContainText("top secret");
    await page.getByLabel("Level").selectOption("error");
    await expect(log).toContainText("No line matches this filter.");
    await expect(page).toHaveURL(/log\?q=what.*&level=error|log\?level=error&q=what/);
    await page.reload();
    await expect(log).toContainText("No line matches this filter.");
    await page.getByLabel("Level").selectOption("");
    await expect(log.getByRole("listitem")).toHaveCount(1);
  } finally {
    await Promise.allSettled([report.end(), web.end()]);
    await request.delete(`/api/v1/domains/${NAME}`, { headers });
  }
});

test("a connection tells its life, its latencies, its errors, its lease and its statements", async ({
  page,
  request,
}) => {
  const name = "examined";
  await request.delete(`/api/v1/domains/${name}`, { headers });
  await post(request, "/domains", {
    name,
    database: "main",
    policySet: { policies: [{ plugin: "min-max", parameters: { min: 1, max: 1 } }] },
  });
  const client = await post(request, `/domains/${name}/clients`, { name: "app" });
  const shop = await connect(client, "shop", name);
  const panel = (title: string) => page.getByRole("region", { name: title, exact: true });
  const figure = (label: string) => page.locator(".stat div", { hasText: label }).locator("dd").first();
  try {
    await shop.query({ name: "by-price", text: "select $1::int as price", values: [7] });
    await shop.query("select pg_sleep(0.05)");
    expect(await outcome(shop, "select 1 / 0")).toBe("22012");
    await shop.query("begin");
    await shop.query("select 'top secret'");

    await signIn(page, `/domains/${name}/leases`);
    await page.getByRole("row", { name: /shop/ }).getByRole("link").click();
    await expect(page).toHaveURL(new RegExp(`/domains/${name}/connections/${name}-\\d+$`));
    await expect(figure("State")).toHaveText(/idle in transaction/);
    await expect(figure("Age")).toHaveText(/\d/);
    await expect(figure("Statements")).toHaveText(/^[1-9]/);
    await expect(figure("Errors")).toHaveText("1");
    await expect(figure("Slowest")).toHaveText(/^([3-9]\d|[1-9]\d\d)(\.\d+)? ms$/); // the statement that slept
    await expect(figure("Server process")).toHaveText(/^\d+$/);

    await expect(panel("Lease")).toContainText("shop");
    await expect(panel("Lease")).toContainText("idle in transaction");
    const bars = panel("Latencies since it was opened").locator("tbody tr td:last-child");
    const number = (text: string) => Number(text.replaceAll(",", ""));
    const counted = async () => (await bars.allInnerTexts()).map(number).reduce((sum, each) => sum + each, 0);
    await expect
      .poll(counted, "the histogram has every statement")
      .toBe(number(await figure("Statements").innerText()));
    await expect(panel("Last leases").getByRole("row", { name: /shop/ }).first()).toContainText("select ? / ?");
    const prepared = panel("Prepared statements").getByRole("row", { name: "select ?::int as price" });
    await expect(prepared).toContainText(/headgate_\d+.*\d+ B/);
    expect(await page.content()).not.toContain("top secret");

    await shop.query("rollback");
    await expect(panel("Lease")).toContainText("Nobody holds it.");
  } finally {
    await Promise.allSettled([shop.end()]);
    await request.delete(`/api/v1/domains/${name}`, { headers });
  }
});

test("a transaction over several requests is seen as the holder of its lease", async ({ page, request }) => {
  const name = "transacted";
  await request.delete(`/api/v1/domains/${name}`, { headers });
  await post(request, "/domains", {
    name,
    database: "main",
    policySet: { policies: [{ plugin: "min-max", parameters: { min: 1, max: 2 } }] },
  });
  try {
    const transactions = `/domains/${name}/sql/transactions`;
    const { id } = await post(request, transactions, { idleSeconds: 300 });
    const shown = `transaction ${id.slice(0, 8)}`;
    const execute = () =>
      request.post(`/api/v1${transactions}/${id}`, { headers, data: { sql: "SELECT 'top secret'" } });
    expect((await execute()).status()).toBe(200);

    await signIn(page, `/domains/${name}`);
    const held = page.getByRole("row", { name: new RegExp(`^${name}-`) }).filter({ hasText: shown });
    await expect(held).toContainText(`sql admin, ${shown}`);
    await expect(held).toContainText("idle in transaction");

    await page.goto(`/domains/${name}/leases`);
    const lease = page.getByRole("row").filter({ hasText: shown });
    await expect(lease).toContainText("admin");
    await expect(lease).toContainText("SQL over HTTP");
    await expect(lease).toContainText("idle in transaction");
    expect(await page.content()).not.toContain(id);
    expect(await page.content()).not.toContain("top secret");

    await lease.getByRole("button", { name: /^End the lease of admin/ }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText(`admin (${shown}`);
    await dialog.getByRole("button", { name: /^End/ }).click();
    await expect(page.getByText("Nobody holds a connection.")).toBeVisible();
    expect((await execute()).status()).toBe(404);
  } finally {
    await request.delete(`/api/v1/domains/${name}`, { headers });
  }
});
