import type { Page } from "@playwright/test";
import { DOMAIN, expect, pickRecent, putSet, readSet, settled, signIn, test, token } from "./service";

const headers = { Authorization: `Bearer ${token}` };
const charts = (page: Page) => page.locator(".charts");
const rows = async (page: Page) => Number(await page.locator(".timechart canvas").first().getAttribute("data-rows"));

/** What the first chart's axis reaches over, in seconds. */
async function reach(page: Page) {
  const chart = page.locator(".timechart canvas").first();
  return (Number(await chart.getAttribute("data-until")) - Number(await chart.getAttribute("data-from"))) / 1000;
}

/** Opens the last 15 minutes by the picker, and waits until they are drawn. */
async function openLast15(page: Page) {
  await signIn(page, `/domains/${DOMAIN}`);
  await page.getByRole("radiogroup", { name: "Range" }).getByText("15 m").click();
  await expect(page).toHaveURL(/range=15m/);
  await expect(charts(page)).toHaveAttribute("data-range", "15m");
  await expect.poll(() => reach(page)).toBe(900);
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

/** Drags over the middle half of a chart. */
async function drag(page: Page, chart = 0, release = true) {
  const box = await page.locator(".timechart canvas").nth(chart).boundingBox();
  if (!box) throw new Error("the chart is not there");
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.4, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, y, { steps: 4 });
  await page.mouse.move(box.x + box.width * 0.8, y, { steps: 4 });
  if (release) await page.mouse.up();
}

const length = (page: Page) => {
  const { searchParams } = new URL(page.url());
  return (Date.parse(searchParams.get("to") ?? "") - Date.parse(searchParams.get("from") ?? "")) / 1000;
};

test("dragging over a chart zooms in, Escape and a button zoom out, and back goes back", async ({ page }) => {
  await openLast15(page);
  await drag(page);
  await expect(page).toHaveURL(/from=.*&to=/);
  const zoomed = length(page);
  expect(zoomed).toBeGreaterThan(300);
  expect(zoomed).toBeLessThan(600);
  const address = page.url();
  await page.reload();
  await settled(page);
  expect(page.url()).toBe(address);
  await page.getByRole("button", { name: "Zoom out" }).click();
  await expect(page).not.toHaveURL(address);
  expect(length(page)).toBe(2 * zoomed);
  await page.keyboard.press("Escape");
  await expect.poll(() => length(page)).toBe(4 * zoomed);
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL(address);
});

test("a drag that Escape ends selects nothing, and on the waiting chart a click is no drag", async ({ page }) => {
  await openLast15(page);
  const waiting = page.locator(".timechart canvas").nth(2);
  await waiting.scrollIntoViewIfNeeded();
  await drag(page, 2, false);
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await expect(page).toHaveURL(/range=15m/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await waiting.click();
  await expect(page.getByRole("dialog")).toContainText(`${DOMAIN} at`);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await drag(page, 2);
  await expect(page).toHaveURL(/from=.*&to=/);
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("the range before is drawn beneath, and its figures stand beside those of now", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  await expect.poll(() => rows(page)).toBeGreaterThan(15);
  const compare = page.getByRole("combobox", { name: "Compare with" });
  await expect(compare).toBeDisabled();
  // Five seconds that have measured ones before them.
  const until = Number(await page.locator(".timechart canvas").first().getAttribute("data-until")) - 3_000;
  const [from, to] = [until - 5_000, until].map((time) => new Date(time).toISOString());
  await page.goto(`/domains/${DOMAIN}?from=${from}&to=${to}`);
  await compare.selectOption("the range before");
  await expect(page).toHaveURL(/compare=before/);
  const table = page.getByTestId("differences");
  await expect(table.getByRole("row", { name: /^statements [\d,]+ [\d,]+ / })).toBeVisible();
  await expect(table.getByRole("row", { name: /^latency p99 / })).toBeVisible();
  await expect(charts(page).getByText("the range before")).toHaveCount(5);
  await compare.selectOption("from…");
  await expect(page.getByLabel("Compare with the range from")).toBeVisible();
  await compare.selectOption("Compare with…");
  await expect(table).toHaveCount(0);
});

test("rows, pictures and the incident can be saved", async ({ page }) => {
  await openLast15(page);
  const saved = async (item: string) => {
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: item, exact: true }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    return { name: download.suggestedFilename(), content: Buffer.concat(chunks) };
  };
  const csv = await saved("Rows as CSV");
  expect(csv.name).toMatch(new RegExp(`^${DOMAIN}-[\\dTZ-]+\\.csv$`));
  const lines = csv.content.toString().trim().split("\r\n");
  expect(lines[0]).toMatch(/^time,.*p99Ms/);
  expect(lines.length).toBeGreaterThan(5);
  const png = await saved("Latency as PNG");
  expect(png.name).toContain(`${DOMAIN}-latency-`);
  expect(png.content.subarray(1, 4).toString()).toBe("PNG");
  expect(png.content.length).toBeGreaterThan(2_000);
  const incident = (await saved("Incident as Markdown")).content.toString();
  expect(incident).toContain(`# ${DOMAIN}, `);
  expect(incident).toContain("| latency p50, p95, p99 |");
  // of 900 s a character has 15, of the 901 that the range may touch 16
  expect(incident).toMatch(/\| latency p99 \| `[▁▂▃▄▅▆▇█·]{57,60}` \| [\d.]+ [µm]?s \|/);
  expect(incident).toContain(`/domains/${DOMAIN}?from=`);
});

test("the axis of the latency is logarithmic by choice", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  const latency = page.locator(".timechart canvas").first();
  await expect(latency).toHaveAttribute("data-scale", "linear");
  await page.getByLabel("Log latency").check();
  await expect(page).toHaveURL(/log=1/);
  await expect(latency).toHaveAttribute("data-scale", "logarithmic");
  await page.reload();
  await expect(latency).toHaveAttribute("data-scale", "logarithmic");
  await expect(page.locator(".timechart canvas").nth(1)).toHaveAttribute("data-scale", "linear");
});

test("freezing keeps the last two minutes, and live goes on", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  await expect.poll(() => rows(page)).toBeGreaterThan(5);
  await page.locator(".timechart").first().focus();
  await page.keyboard.press("f");
  await expect(page).toHaveURL(/from=.*&to=/);
  expect(length(page)).toBe(120);
  await expect.poll(() => rows(page)).toBeGreaterThan(5);
  await page.getByRole("radiogroup", { name: "Range" }).getByText("Live").click();
  await expect(charts(page)).toHaveAttribute("data-range", "live");
  await page.getByRole("button", { name: "Freeze" }).click();
  await expect(page.getByTestId("range")).toBeVisible();
});

test("a range of which nothing is kept says so, and one that makes no sense is live", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}?from=2020-01-01T00:00:00Z&to=2020-01-01T01:00:00Z`);
  await expect(page.getByText(`Nothing is kept of ${DOMAIN}`)).toBeVisible();
  await page.goto(`/domains/${DOMAIN}?from=tomorrow&to=yesterday&range=2h`);
  await expect(charts(page)).toHaveAttribute("data-range", "live");
});

test("a database's page looks back, and leaves out what is only known of now", async ({ page }) => {
  await signIn(page, "/databases/main");
  const budget = page.getByRole("region", { name: "Budget of main" });
  await expect(budget).toBeVisible();
  await expect.poll(() => rows(page)).toBeGreaterThan(15);
  const open = page.locator(".timechart canvas").first();
  const to = Math.floor(Number(await open.getAttribute("data-until")) / 1_000) * 1_000 - 3_000;
  const time = new Date(to - 2_000).toISOString();
  const text = `e2e ${to}`;
  const data = { domain: DOMAIN, kind: "note", text, time };
  const { id } = await (await page.request.post("/api/v1/annotations", { headers, data })).json();
  const address = `/databases/main?from=${new Date(to - 60_000).toISOString()}&to=${new Date(to).toISOString()}`;
  await page.goto(address);
  await expect(page.getByTestId("range")).toBeVisible();
  await expect(budget).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Domains" })).toHaveCount(0);
  await expect.poll(() => rows(page)).toBeGreaterThan(5);
  await expect(open).toHaveAttribute("data-until", String(to));
  const domain = page.locator(".multiple").filter({ has: page.getByRole("link", { name: DOMAIN }) });
  await expect(domain.getByTestId("range-figures")).toContainText(/Statements · errors[1-9]/);
  await expect(domain.locator("canvas")).toHaveAttribute("data-until", String(to));
  await expect(domain.getByTestId("markers")).toContainText(text);

  await drag(page);
  await expect.poll(() => length(page)).toBeLessThan(40);
  const zoomed = String(Date.parse(new URL(page.url()).searchParams.get("to") ?? ""));
  await expect(open).toHaveAttribute("data-until", zoomed);
  await domain.locator("canvas").scrollIntoViewIfNeeded();
  await expect(domain.locator("canvas")).toHaveAttribute("data-until", zoomed);
  await domain.getByRole("link", { name: DOMAIN }).click();
  await expect(page).toHaveURL(new RegExp(`/domains/${DOMAIN}\\?from=.*&to=`));
  await expect(page.locator(".timechart canvas").first()).toHaveAttribute("data-until", zoomed);
  await page.goBack();
  await page.getByRole("radiogroup", { name: "Range" }).getByText("Live").click();
  await expect(budget).toBeVisible();
  await page.request.delete(`/api/v1/annotations/${id}`, { headers });
});

test("a point of any chart leads to the decisions around it, and a decision back to the charts", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  const chart = page.getByRole("group", { name: `Connections of ${DOMAIN}` });
  await pickRecent(page, chart);
  await page.getByRole("link", { name: "The decisions around it" }).click();
  await expect(page).toHaveURL(new RegExp(`/decisions\\?domain=${DOMAIN}&at=`));
  await page.getByRole("button", { name: "Decisions of all times" }).click();
  await expect(page).not.toHaveURL(/at=/);
  await page.getByTestId("log").locator("summary").first().click();
  await page
    .getByRole("link", { name: `charts of ${DOMAIN} then` })
    .first()
    .click();
  await expect(page).toHaveURL(new RegExp(`/domains/${DOMAIN}\\?from=.*&to=`));
  await expect(page.getByTestId("range")).toBeVisible();
});

test("a moment is annotated on the page and the mark is taken away", async ({ page }) => {
  const text = `e2e ${Date.now()}`;
  await signIn(page, `/domains/${DOMAIN}`);
  await page.getByRole("button", { name: "Annotate" }).click();
  const dialog = page.getByRole("dialog", { name: /^Annotate/ });
  await dialog.getByLabel("Text").fill(text);
  await dialog.getByRole("button", { name: "Annotate" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByTestId("markers")).toContainText(text);
  await page.getByRole("button", { name: "Annotate" }).click();
  await dialog.getByRole("button", { name: `Remove note ${text}` }).click();
  const question = page.getByRole("dialog", { name: `Remove note ${text}?` });
  await expect(question).toContainText(`from the charts of ${DOMAIN}, for everybody`);
  await question.getByRole("button", { name: "Remove it" }).click();
  await expect(question).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("markers")).not.toContainText(text);
});

/** Where the crosshair stands in the heat map, in px of the page; null without one. */
const crosshairOfHeatmap = (page: Page) =>
  page.locator(".heat canvas").evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const ctx = canvas.getContext("2d")!;
    const { data } = ctx.getImageData(0, 0, canvas.width, canvas.height);
    // Only the crosshair is drawn over the gaps between the rows, from top to bottom.
    const isOver = (x: number) => {
      for (let y = 0; y < canvas.height; y++) if (data[4 * (y * canvas.width + x) + 3]! < 255) return false;
      return true;
    };
    for (let x = 0; x < canvas.width; x++)
      if (isOver(x)) return canvas.getBoundingClientRect().left + ((x + 0.5) * canvas.clientWidth) / canvas.width;
    return null;
  });

test("an instant is at the same place on the heat map of connections as on the charts", async ({ page }) => {
  await openLast15(page);
  const chart = page.locator('[data-chart="Statements per second"] canvas'); // the one that is next to it
  const newest = Number(await page.locator(".timechart canvas").first().getAttribute("data-until")) - 2_000;
  const to = newest - (newest % 1_000);
  for (const seconds of [60, 301, 3_607]) {
    const [from, end] = [to - seconds * 1_000, to].map((time) => new Date(time).toISOString());
    await page.goto(`/domains/${DOMAIN}?from=${from}&to=${end}`);
    await expect(page.locator(".heat canvas")).toBeVisible(); // its code comes last
    await page.locator(".heat").scrollIntoViewIfNeeded();
    await expect(page.locator(".heat .names span")).not.toHaveCount(0);
    await expect(chart).toHaveAttribute("data-until", String(to));
    await settled(page);
    const [left, right] = ((await chart.getAttribute("data-plot")) ?? "").split(" ").map(Number) as [number, number];
    const box = await chart.boundingBox();
    if (!box) throw new Error("the chart is not shown");
    for (const share of [0.02, 0.5, 0.98]) {
      const x = Math.round(box.x + left + share * (right - left));
      await page.mouse.move(x, box.y + box.height / 2);
      const off = async () => Math.abs(((await crosshairOfHeatmap(page)) ?? Number.NaN) - x);
      await expect.poll(off, `${seconds} s, at ${share}`).toBeLessThanOrEqual(2);
    }
  }
});

test("the time under a revision is compared with the time before it, from its place in the history", async ({
  page,
  request,
  knownSet: _,
}) => {
  await signIn(page, `/domains/${DOMAIN}`);
  const first = (await readSet(request)).revision;
  const enough = Date.now() + 10_500; // before which nothing is worth comparing
  await expect.poll(() => Date.now(), { timeout: 15_000 }).toBeGreaterThan(enough);
  const { revision } = await putSet(request, { policies: [{ plugin: "min-max", parameters: { min: 2, max: 11 } }] });
  expect(revision).toBe(first + 1);
  const history = page.getByRole("dialog", { name: `History of ${DOMAIN}` });
  const item = history.getByRole("listitem").filter({ has: page.getByText(`rev ${revision}`, { exact: true }) });
  const link = item.getByRole("link", { name: "Charts before and after" });
  await expect(async () => {
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "History" }).click();
    await expect(item).toContainText("min-max");
    await expect(link).toBeVisible({ timeout: 200 });
  }).toPass({ timeout: 30_000 });
  await link.click();
  await expect(history).toHaveCount(0);
  await expect(page).toHaveURL(/from=.*&to=.*&compare=/);
  const { searchParams } = new URL(page.url());
  const at = (name: string) => Date.parse(searchParams.get(name) ?? "");
  expect(at("from") - at("compare")).toBe(at("to") - at("from"));
  await expect(page.getByTestId("markers")).toContainText(`rev ${revision}`);
  const table = page.getByTestId("differences");
  await expect(table.getByRole("row", { name: /^statements [\d,]+ [\d,]+ / })).toBeVisible();
  await expect(charts(page).getByText(/^from \d{4}-/)).toHaveCount(5);
});
