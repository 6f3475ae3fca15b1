import { readFileSync } from "node:fs";
import { type APIRequestContext, test as base, expect, type Locator, type Page } from "@playwright/test";

/**
 * Of an environment variable with a line for each service, the line of the service that this worker tests. Every worker has
 * one of its own, so a test may change, pause or restart it.
 */
export const mine = (name: string): string | undefined =>
  process.env[name]?.split("\n")[Number(process.env.TEST_PARALLEL_INDEX ?? 0)];

/** The same, of a test that cannot run without it: it fails and is not skipped, so that nobody takes it for passed. */
export function needed(name: string): string {
  const value = mine(name);
  if (!value) throw new Error(`${name} is not set. ./headgate test browser sets it (frontend/test.sh).`);
  return value;
}

/** The token: from HEADGATE_TOKEN, or from the file that HEADGATE_TOKEN_FILE names. */
export const token =
  mine("HEADGATE_TOKEN") ??
  (process.env.HEADGATE_TOKEN_FILE ? readFileSync(process.env.HEADGATE_TOKEN_FILE, "utf8").trim() : "dev");

/** The domain that the tests change. Its policy set is restored after each test. */
export const DOMAIN = process.env.HEADGATE_DOMAIN ?? "bank";

const headers = { Authorization: `Bearer ${token}` };
const policies = `/api/v1/domains/${DOMAIN}/policies`;

export async function readSet(request: APIRequestContext) {
  const response = await request.get(policies, { headers });
  expect(response.ok()).toBe(true);
  return (await response.json()) as { revision: number; policySet: Record<string, unknown> };
}

export async function putSet(request: APIRequestContext, policySet: unknown) {
  const { revision } = await readSet(request);
  const response = await request.put(policies, {
    headers: { ...headers, "If-Match": `"${revision}"` },
    data: policySet,
  });
  expect(response.ok(), await response.text()).toBe(true);
  return (await response.json()) as { revision: number };
}

/** A code that opens one session. */
export async function loginCode(request: APIRequestContext) {
  const response = await request.post("/api/v1/session/codes", { headers });
  expect(response.ok()).toBe(true);
  return ((await response.json()) as { code: string }).code;
}

/** Opens a page with a session of its own. How a browser gets one by itself is told in live.spec.ts. */
export async function signIn(page: Page, path = "/") {
  const response = await page.request.post("/api/v1/session", { headers });
  expect(response.ok(), await response.text()).toBe(true);
  await page.goto(path);
  await expect(page.getByTestId("live")).toContainText("live", { timeout: 30_000 }); // the machine may be busy
}

/** Waits until a page is complete: its requests are answered, its stream is live, its layout is stable. */
export async function settled(page: Page) {
  await expect(page.getByTestId("live")).toContainText("live");
  await page.waitForLoadState("networkidle");
  await still(page);
}

/** Waits until nothing moves. */
export async function still(page: Page) {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((each) => each.playState !== "running" || each.effect?.getComputedTiming().endTime === Infinity),
  );
}

/** The place of a recent instant in a chart of a complete page. */
export async function recentIn(page: Page, chart: Locator) {
  const canvas = chart.locator("canvas");
  await canvas.scrollIntoViewIfNeeded(); // drawn only where it is seen
  await expect(canvas).toHaveAttribute("data-rows", /[1-9]/);
  await settled(page);
  const box = await canvas.boundingBox();
  if (!box) throw new Error("the chart is not shown");
  return { x: box.x + box.width - 40, y: box.y + box.height / 2, within: { x: box.width - 40, y: box.height / 2 } };
}

/** Clicks a chart at a recent instant. */
export async function pickRecent(page: Page, chart: Locator) {
  const { within } = await recentIn(page, chart);
  await chart.locator("canvas").click({ position: within });
}

/** A signed-in page of a domain with a known policy set, which is restored at the end. */
export const test = base.extend<{ knownSet: undefined }>({
  baseURL: mine("HEADGATE_URL") ?? "http://127.0.0.1:8080",
  knownSet: async ({ request }, use) => {
    const before = (await readSet(request)).policySet;
    await putSet(request, {
      policies: [{ plugin: "min-max", parameters: { min: 2, max: 12 } }],
      whenExhausted: { mode: "queue", timeoutMs: 5000, depth: 1000 },
    });
    await use(undefined);
    await putSet(request, before);
  },
});

export { expect };
