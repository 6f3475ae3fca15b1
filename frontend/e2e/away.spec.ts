/** A database that goes away: a wire between the service and its PostgreSQL is cut and mended. */
import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, needed, settled, signIn, test, token } from "./service";

const headers = { Authorization: `Bearer ${token}` };
const DATABASE = "far";
const DOMAIN = "afar";
const SENTENCE = `${DATABASE} has been unreachable`;

/** A port of this machine that leads to another one while it is whole. */
class Wire {
  readonly #to: number;
  readonly #sockets = new Set<Socket>();
  #server = createServer();
  port = 0;

  constructor(to: number) {
    this.#to = to;
  }

  async mend() {
    this.#server = createServer((client) => {
      const server = connect(this.#to, "127.0.0.1");
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
    });
    await new Promise<void>((done) => this.#server.listen(this.port, "127.0.0.1", done));
    this.port = (this.#server.address() as { port: number }).port;
  }

  async cut() {
    const closed = new Promise((done) => this.#server.close(done));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

test("a database that goes away is told alike in every place, and so is its return", async ({ page }) => {
  test.setTimeout(120_000);
  const postgres = (file: string) => readFileSync(join(needed("HEADGATE_DATA"), "postgres", file), "utf8").trim();
  const wire = new Wire(Number(postgres("port")));
  await wire.mend();
  const make = async (path: string, data: object) => {
    const made = await page.request.post(`/api/v1/${path}`, { headers, data });
    expect(made.status(), await made.text()).toBe(201);
  };
  try {
    await make("databases", {
      name: DATABASE,
      host: "127.0.0.1",
      port: wire.port,
      database: "postgres",
      user: "postgres",
      password: postgres("password"),
      sslMode: "disable",
      budget: 4,
    });
    await make("domains", {
      name: DOMAIN,
      database: DATABASE,
      policySet: { policies: [{ plugin: "min-max", parameters: { min: 2, max: 4 } }] },
    });
    await signIn(page, `/domains/${DOMAIN}`);
    const navigation = page.getByRole("navigation", { name: "Pages" });
    const ofDatabase = navigation.getByRole("link", { name: DATABASE, exact: false }).first();
    const ofDomain = navigation.getByRole("link", { name: DOMAIN });
    const figure = page.locator(".stat div", { hasText: "In use / open" }).locator("dd").first();
    await expect(figure).toHaveText("0 / 2");
    await expect(page.locator(".state-line")).not.toContainText("unreachable");

    await wire.cut();
    await expect(page.locator(".state-line")).toContainText(SENTENCE);
    await expect(figure).toHaveText("0 / 0");
    await expect(ofDatabase).toContainText("unreachable");
    await expect(ofDomain).toContainText("unreachable");
    await expect(page).toHaveTitle(new RegExp(`^\\([1-9]\\d*\\) ${DOMAIN} · Headgate$`));
    await expect(page.locator("link[rel=icon]")).toHaveAttribute("href", /%23d64545/);

    await navigation.getByRole("link", { name: "Overview" }).click();
    await expect(page.getByTestId("headline")).toContainText(DATABASE);
    await expect(page.getByTestId("headline")).toContainText("unreachable");
    await page.goto(`/databases/${DATABASE}`);
    await settled(page);
    await expect(page.locator("main")).toContainText(SENTENCE);
    await page.goto("/wall");
    await expect(page.locator("main")).toContainText(SENTENCE);
    await page.goto(`/alarms?alarm=unreachable`);
    await expect(page.getByTestId("open-alarms")).toContainText(SENTENCE);
    const told = await page.request.get(`/api/v1/databases/${DATABASE}`, { headers });
    expect(await told.json()).toMatchObject({
      reachable: false,
      health: { code: "unreachable", severity: "critical" },
    });

    await wire.mend();
    await expect(page.getByText("No open alarm fits this filter")).toBeVisible({ timeout: 30_000 });
    await expect(page.getByTestId("past-alarms").getByRole("listitem").first()).toContainText(
      `${DATABASE} was unreachable`,
    );
    await expect(ofDatabase).not.toContainText("unreachable");
    await ofDomain.click();
    await expect(figure).toHaveText("0 / 2");
    await expect(page.locator(".state-line")).not.toContainText("unreachable");
  } finally {
    await page.request.delete(`/api/v1/domains/${DOMAIN}`, { headers });
    await page.request.delete(`/api/v1/databases/${DATABASE}`, { headers });
    await wire.cut();
  }
});
