/** Many domains: the navigation, the overview and the stream stay small, and the wall shows what is wrong. */
import type { APIRequestContext } from "@playwright/test";
import { DOMAIN, expect, putSet, readSet, settled, signIn, test, token } from "./service";

const headers = { Authorization: `Bearer ${token}` };
const MANY = 100;
/** Digits keep them apart from every other domain, and sorted. */
const name = (i: number) => `scale-${String(i).padStart(3, "0")}`;
const all = Array.from({ length: MANY }, (_, i) => name(i));

/** At most 10 at a time: the service is not the subject here. */
async function each(names: readonly string[], act: (name: string) => Promise<void>) {
  for (let i = 0; i < names.length; i += 10) await Promise.all(names.slice(i, i + 10).map(act));
}

async function remove(request: APIRequestContext) {
  await each(all, async (domain) => {
    await request.delete(`/api/v1/domains/${domain}`, { headers });
  });
}

test.describe("a hundred domains", () => {
  test.describe.configure({ mode: "serial", timeout: 120_000 }); // the machine may be busy

  test.beforeAll(async ({ request }) => {
    await each(all, async (domain) => {
      const response = await request.post("/api/v1/domains", {
        headers,
        data: {
          name: domain,
          database: "main",
          policySet: { policies: [{ plugin: "min-max", parameters: { min: 0, max: 2 } }] },
        },
      });
      expect(response.status(), await response.text()).toBe(201);
    });
  });

  test.afterAll(async ({ request }) => remove(request));

  test("the navigation is filtered and walked by keys", async ({ page }) => {
    await signIn(page);
    const tree = page.getByRole("list", { name: "Databases and domains" });
    await expect(tree.getByRole("link").first()).toBeVisible();
    expect(await tree.getByRole("link").count(), "only what is on the screen is drawn").toBeLessThan(70);
    await page.keyboard.press("/");
    await expect(page.getByLabel("Filter the navigation")).toBeFocused();
    await page.keyboard.type("scale-04");
    await expect(tree.getByRole("link")).toHaveCount(10);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await expect(tree.getByRole("link", { name: name(41) })).toBeFocused();
    await page.keyboard.press("End");
    await expect(tree.getByRole("link", { name: name(49) })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`/domains/${name(49)}$`));
  });

  test("the overview draws what is on the screen, and trouble comes first", async ({ page, request }) => {
    await request.post(`/api/v1/domains/${name(77)}/pause`, { headers });
    await signIn(page);
    const rows = page.getByRole("region", { name: "Domains" }).locator("tbody tr[data-index]");
    await expect(rows.first()).toBeVisible();
    expect(await rows.count()).toBeLessThan(60);
    const names = () => rows.locator("td.title a").allTextContents();
    // A notice stands before all that is fine, whatever its name.
    await expect.poll(async () => (await names()).slice(0, 5)).toContain(name(77));
    await page.locator("main").evaluate((main) => main.scrollTo(0, 3_000));
    await expect(page.getByRole("region", { name: "Domains" }).getByRole("link", { name: name(60) })).toBeVisible();

    await page.goto("/?q=scale-07&group=tier");
    await expect(page.getByRole("searchbox", { name: "Filter domains" })).toHaveValue("scale-07");
    await expect(page.getByText(/^10 of \d+ domains/)).toBeVisible();
    await expect(page.locator("tr.group")).toHaveText(/10 domains/);
    await expect(rows.locator("td.title a")).toHaveCount(10);
    await request.post(`/api/v1/domains/${name(77)}/resume`, { headers });
  });

  test("a page gets what it shows, and little of the rest", async ({ page }) => {
    let bytes = 0;
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Network.enable");
    // Not deflated: more than what is on the wire.
    cdp.on("Network.webSocketFrameReceived", ({ response }) => {
      bytes += response.payloadData.length;
    });
    const perSecond = async () => {
      await page.waitForTimeout(1_500); // the snapshot
      bytes = 0;
      await page.waitForTimeout(4_000);
      return bytes / 4;
    };
    await signIn(page, `/domains/${name(5)}`);
    await settled(page);
    expect(await perSecond(), "an idle domain's page").toBeLessThan(15_000);
    await page.goto("/");
    await settled(page);
    expect(await perSecond(), "the overview").toBeLessThan(40_000);
  });

  test("the wall shows trouble first, and says when what it shows is old", async ({ page, request }) => {
    const before = (await readSet(request)).policySet;
    const workload = `/api/v1/workloads/${DOMAIN}`;
    const { ratePerSecond, varies } = await (await request.get(workload, { headers })).json();
    const steer = async (data: object) => expect((await request.patch(workload, { headers, data })).ok()).toBe(true);
    try {
      // One connection for a load that needs more: it waits, and an alarm says so.
      await steer({ ratePerSecond: 2_000, varies: false });
      await putSet(request, {
        policies: [{ plugin: "min-max", parameters: { min: 1, max: 1 } }],
        whenExhausted: { mode: "queue", timeoutMs: 5000, depth: 1000 },
      });
      let cut = false;
      const open: { close(options: { code: number }): Promise<void> }[] = [];
      await page.routeWebSocket(/\/api\/v1\/stream/, (socket) => {
        if (cut) return void socket.close({ code: 1012 });
        socket.connectToServer();
        open.push(socket);
      });
      await signIn(page);
      await page.goto("/wall");
      await expect(page.getByTestId("wall-headline")).not.toContainText("Waiting");
      const tile = page.locator(".wall-tile");
      const troubled = page.locator(".wall-tile.warn, .wall-tile.bad");
      const its = troubled.filter({ has: page.locator(".wall-name", { hasText: DOMAIN }) });
      await expect(its).toBeVisible({ timeout: 30_000 });
      await expect(async () => {
        // The machine may be busy, and then other domains have trouble too.
        const marks = await tile.evaluateAll((tiles) => tiles.map((each) => /warn|bad/.test(each.className)));
        expect(marks, "trouble first").toEqual([...marks].sort((a, b) => Number(b) - Number(a)));
        const [, worst = ""] = (await tile.first().locator(".wall-name").innerText()).split(" ");
        await expect(page.getByTestId("wall-headline")).toContainText(worst, { timeout: 500 });
      }).toPass();
      await expect(page.getByRole("navigation")).toHaveCount(0);
      await expect(page.locator(".wall-more")).toContainText("more domains have no trouble");
      cut = true;
      for (const socket of open) await socket.close({ code: 1012 });
      await expect(page.getByTestId("stale")).toContainText("What is shown is");
      cut = false;
      await expect(page.getByTestId("stale")).toHaveCount(0);
    } finally {
      await steer({ ratePerSecond, varies });
      await putSet(request, before);
    }
  });
});
