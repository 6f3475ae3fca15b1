import type { Locator } from "@playwright/test";
import { DOMAIN, expect, putSet, readSet, signIn, test, token } from "./service";

const editor = `Policy of ${DOMAIN}`;

/** Applies the draft. The editor asks first if more connections are in use than the new ceiling. */
async function apply(panel: Locator, revision: number) {
  const button = { name: `Apply as rev ${revision}` };
  await panel.getByRole("button", button).click();
  const confirm = panel.page().getByRole("dialog").getByRole("button", button);
  const done = panel.getByText(`rev ${revision} is in force.`);
  await expect(done.or(confirm)).toBeVisible();
  if (await confirm.isVisible()) await confirm.click();
  await expect(done).toBeVisible();
}

test("a policy is changed: plan, revision, marker, decision and the new ceiling", async ({
  page,
  request,
  knownSet: _,
}) => {
  const { revision } = await readSet(request);
  await signIn(page, `/domains/${DOMAIN}`);
  const panel = page.getByRole("complementary", { name: editor });
  await expect(panel.getByTestId("revision")).toContainText(`rev ${revision}`);
  await expect(page.getByTestId("ceiling")).toHaveText("12");

  await panel.getByLabel("Maximum connections", { exact: true }).fill("9");
  await expect(panel.getByText("was 12")).toBeVisible();
  await expect(panel.getByText("+ max: 9")).toBeVisible();
  await expect(panel.getByTestId("plan")).toBeVisible();

  await apply(panel, revision + 1);
  await expect(panel.getByTestId("revision")).toContainText(`rev ${revision + 1}`);
  await expect(page.getByTestId("ceiling")).toHaveText("9");
  await expect(page.getByTestId("markers")).toContainText(`rev ${revision + 1}`);
  await expect(page.getByTestId("feed")).toContainText(`${DOMAIN} is at revision ${revision + 1}`);
});

test("a fault is shown at its field and nothing is lost or changed", async ({ page, request, knownSet: _ }) => {
  const { revision } = await readSet(request);
  await signIn(page, `/domains/${DOMAIN}`);
  const panel = page.getByRole("complementary", { name: editor });
  await panel.getByLabel("Minimum connections", { exact: true }).fill("30");
  await expect(panel.getByTestId("policy-min-max").getByRole("alert")).toBeVisible();
  await expect(panel.getByRole("button", { name: /Apply as rev/ })).toBeDisabled();
  await expect(panel.getByLabel("Minimum connections", { exact: true })).toHaveValue("30");
  expect((await readSet(request)).revision).toBe(revision);
});

test("form and YAML are in step, and the YAML is what an export writes", async ({ page, request, knownSet: _ }) => {
  const exported = await request.get(`/api/v1/files/export?domain=${DOMAIN}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const [, set = ""] = (await exported.text()).split("    policySet:\n");
  await signIn(page, `/domains/${DOMAIN}`);
  const panel = page.getByRole("complementary", { name: editor });
  await panel.getByText("YAML", { exact: true }).click();
  const text = panel.getByLabel("Policy set as YAML");
  await expect(text).toHaveValue(set.replace(/^ {6}/gm, ""));

  const written = await text.inputValue();
  await text.fill(written.replace("max: 12", "max: 9"));
  await panel.getByText("Form", { exact: true }).click();
  await expect(panel.getByLabel("Maximum connections", { exact: true })).toHaveValue("9");
  await panel.getByLabel("Maximum connections", { exact: true }).fill("10");
  await panel.getByText("YAML", { exact: true }).click();
  await expect(text).toHaveValue(written.replace("max: 12", "max: 10"));

  await text.fill(`${written}policies: []\n`);
  await expect(panel.getByText(/^Line \d+, column 1: “policies” is there twice\.$/)).toBeVisible();
  await expect(panel.getByRole("button", { name: /Apply as rev/ })).toBeDisabled();
  await panel.getByRole("button", { name: "Give the text up" }).click();
  await expect(text).toHaveValue(written.replace("max: 12", "max: 10"));
  await panel.getByRole("button", { name: "Discard" }).click();
});

test("a draft survives a walk to another page", async ({ page, knownSet: _ }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  const panel = page.getByRole("complementary", { name: editor });
  await panel.getByLabel("Maximum connections", { exact: true }).fill("11");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Audit" }).click();
  await expect(page.getByRole("heading", { name: "Audit" })).toBeVisible();
  await page.goBack();
  await expect(panel.getByLabel("Maximum connections", { exact: true })).toHaveValue("11");
  await expect(panel.getByText("was 12")).toBeVisible();
});

test("two tabs edit one policy: the second is told, and nothing is overwritten", async ({
  context,
  request,
  knownSet: _,
}) => {
  test.slow(); // two live pages on two cores
  const { revision } = await readSet(request);
  const first = await context.newPage();
  await signIn(first, `/domains/${DOMAIN}`);
  const second = await context.newPage();
  // The second tab gets no events from the stream, so only the service can refuse its change.
  await second.routeWebSocket(/\/api\/v1\/stream/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const { type, event, seq, time } = JSON.parse(String(message));
      const hidden = type === "event" && event === "policy";
      socket.send(hidden ? JSON.stringify({ type: "bookmark", seq, time }) : message);
    });
  });
  await signIn(second, `/domains/${DOMAIN}`);
  const one = first.getByRole("complementary", { name: editor });
  const two = second.getByRole("complementary", { name: editor });
  await two.getByLabel("Minimum connections", { exact: true }).fill("1");
  await two.getByLabel("Maximum connections", { exact: true }).fill("14"); // above what is in use, so no question
  await expect(two.getByRole("button", { name: `Apply as rev ${revision + 1}` })).toBeEnabled();

  await one.getByLabel("Maximum connections", { exact: true }).fill("9");
  await apply(one, revision + 1);

  await two
    .getByRole("button", { name: `Apply as rev ${revision + 1}` })
    .click({ timeout: 5_000 })
    .catch(() => undefined);
  const conflict = two.getByTestId("conflict");
  await expect(conflict).toContainText(`rev ${revision + 1} by`);
  await expect(conflict).toContainText("+ max: 9");
  await expect(conflict).toContainText("+ max: 14");
  const kept = await readSet(request);
  expect(kept.revision).toBe(revision + 1);
  expect(JSON.stringify(kept.policySet)).toContain('"max":9');

  await conflict.getByRole("button", { name: `Rebase mine on rev ${revision + 1}` }).click();
  await expect(two.getByLabel("Maximum connections", { exact: true })).toHaveValue("14");
  await expect(two.getByText("was 9")).toBeVisible();
  await apply(two, revision + 2);
  expect(JSON.stringify((await readSet(request)).policySet)).toContain('"max":14');
});

test("history shows who changed what, and restores", async ({ page, request, knownSet: _ }) => {
  const { revision } = await putSet(request, {
    policies: [{ plugin: "min-max", parameters: { min: 2, max: 7 } }],
    whenExhausted: { mode: "queue", timeoutMs: 5000, depth: 1000 },
  });
  await signIn(page, `/domains/${DOMAIN}`);
  await page.getByRole("button", { name: "History" }).click();
  const compared = page.getByRole("region", { name: "Compare two revisions" });
  await expect(compared).toContainText("+ max: 7");
  const item = page.locator(".revisions li", { has: page.getByText(`rev ${revision - 1}`, { exact: true }) });
  await item.getByRole("button", { name: `Restore as rev ${revision + 1}` }).click();
  await page
    .getByRole("dialog", { name: /^Restore rev/ })
    .getByRole("button", { name: `Restore as rev ${revision + 1}` })
    .click();
  await expect(page.locator(".revisions")).toContainText(`restored from rev ${revision - 1}`);
  await expect(page.getByTestId("ceiling")).toHaveText("12");
});

test("on a narrow screen the policy is a sheet from below", async ({ page, knownSet: _ }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await signIn(page, `/domains/${DOMAIN}`);
  await page.getByRole("button", { name: /^Policy/ }).click();
  const panel = page.getByRole("complementary", { name: editor });
  await panel.getByLabel("Maximum connections", { exact: true }).fill("10");
  await expect(panel.getByText("was 12")).toBeVisible();
  await expect(panel.getByRole("button", { name: /Apply as rev/ })).toBeInViewport();
});
