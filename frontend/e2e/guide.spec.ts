/** From an empty Headgate to a working client, as the first-run guide leads. It has a service of its own, without the demo. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { test as base } from "@playwright/test";
import pg from "pg";
import { expectNothingCut, faults, hiddenStops, PATIENCE_MS } from "./looks";
import { expect, settled } from "./service";

const run = promisify(execFile);

/** Of the service's own PostgreSQL, which the guide is told of. */
type Empty = { url: string; token: string; host: string; port: string; password: string };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

const test = base.extend<{ empty: Empty }>({
  empty: [
    async ({ browserName: _ }, use) => {
      const folder = mkdtempSync(join(tmpdir(), "headgate-guide."));
      const [http, wire] = [await freePort(), await freePort()];
      const env = {
        ...process.env,
        HEADGATE_E2E_FOLDER: folder,
        HEADGATE_E2E_PORT: String(http),
        HEADGATE_E2E_WIRE_PORT: String(wire),
        HEADGATE_E2E_OPTIONS: "--no-demo",
      };
      const read = (path: string) => readFileSync(join(folder, "data", path), "utf8").trim();
      try {
        await run("e2e/service.sh", ["start"], { env });
        await use({
          url: `http://127.0.0.1:${http}`,
          token: read("admin-token"),
          host: "127.0.0.1",
          port: read("postgres/port"),
          password: read("postgres/password"),
        });
      } finally {
        await run("e2e/service.sh", ["stop"], { env });
      }
      rmSync(folder, { recursive: true });
    },
    { timeout: 180_000 },
  ],
});

test("the guide leads from an empty Headgate to a client that is answered", async ({ page, empty }) => {
  test.setTimeout(PATIENCE_MS);
  const opened = await page.request.post(`${empty.url}/api/v1/session`, {
    headers: { Authorization: `Bearer ${empty.token}` },
  });
  expect(opened.ok(), await opened.text()).toBe(true);
  await page.goto(empty.url);
  const guide = page.getByRole("region", { name: "From here to a first request" });
  const step = guide.locator("[aria-current=step]").getByRole("heading");
  await expect(step).toHaveText("A database");
  await settled(page);
  expect.soft(await faults(page)).toEqual([]);
  await expectNothingCut(page, "the guide");
  expect.soft(await hiddenStops(page)).toEqual([]);

  await guide.getByRole("button", { name: "Add a database" }).click();
  const database = page.getByRole("dialog", { name: "Add a database" });
  for (const [label, value] of Object.entries({
    Name: "orders",
    Host: empty.host,
    Port: empty.port,
    Database: "postgres",
    User: "postgres",
    Password: "not the password",
  }))
    await database.getByLabel(label, { exact: true }).fill(value);
  await database.getByRole("button", { name: "Add database" }).click();
  await expect(database.getByRole("alert").first()).toContainText("password");
  await database.getByLabel("Password", { exact: true }).fill(empty.password);
  await database.getByRole("button", { name: "Add database" }).click();
  await expect(database).toHaveCount(0);

  await expect(step).toHaveText("A domain");
  await guide.getByRole("button", { name: "Make a domain" }).click();
  const domain = page.getByRole("dialog", { name: "New domain" });
  await domain.getByLabel("Name", { exact: true }).fill("checkout");
  await domain.getByRole("button", { name: "Create the domain" }).click();
  await expect(domain).toHaveCount(0);

  await expect(step).toHaveText("A client");
  await guide.getByRole("button", { name: "Add a client" }).click();
  const client = page.getByRole("dialog");
  await client.getByLabel("Name", { exact: true }).fill("web");
  await client.getByRole("button", { name: "Add the client" }).click();
  await expect(client.getByText("This password is shown once.")).toBeVisible();
  const password = await client.getByRole("textbox", { name: "password" }).inputValue();
  await client.getByRole("button", { name: "Done" }).click();

  await expect(step).toHaveText("A first request");
  const request = guide.getByTestId("first-request");
  await expect(request).toContainText("Waiting for the first request of checkout");
  const line = await guide.getByRole("textbox", { name: "psql command" }).inputValue();
  const told = (option: string) => new RegExp(` -${option} (\\S+)`).exec(line)?.[1];
  const psql = new pg.Client({
    host: told("h"),
    port: Number(told("p")),
    user: told("U"),
    database: told("d"),
    password,
  });
  await psql.connect();
  try {
    expect((await psql.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  } finally {
    await psql.end();
  }
  await expect(request).toHaveText("checkout has answered its first request.");
  await expect(guide.locator("li[data-done=true]")).toHaveCount(4);
  await page.reload();
  await expect(guide.locator("li[data-done=true]")).toHaveCount(4);
  await guide.getByRole("button", { name: "Done" }).click();
  await expect(guide).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Domains" }).getByRole("link", { name: "checkout" })).toBeVisible();
  await page.reload();
  await settled(page);
  await expect(guide).toHaveCount(0);
});
