import { DOMAIN, expect, signIn, test, token } from "./service";

const editor = `Policy of ${DOMAIN}`;
const headers = { Authorization: `Bearer ${token}` };

test("a set that files have taken over is read-only with the reason, copied as YAML, and released again", async ({
  page,
  context,
  request,
  knownSet: _,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signIn(page, `/domains/${DOMAIN}`);
  const panel = page.getByRole("complementary", { name: editor });
  const max = panel.getByLabel("Maximum connections", { exact: true });
  await expect(max).toBeEnabled();

  const file = await (await request.get(`/api/v1/files/export?domain=${DOMAIN}`, { headers })).text();
  const applied = await request.post("/api/v1/files/apply?source=e2e.yaml", {
    headers: { ...headers, "Content-Type": "application/yaml" },
    data: file,
  });
  expect(applied.ok(), await applied.text()).toBe(true);
  try {
    const note = panel.getByTestId("managed");
    await expect(note).toContainText("managed by files: e2e.yaml");
    await expect(max).toBeDisabled();
    await expect(page.getByRole("main").getByText("managed by files", { exact: true })).toBeVisible();
    await note.getByRole("button", { name: "Copy as YAML" }).click();
    await expect(note.getByRole("status")).toHaveText("Copied.");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`name: ${DOMAIN}`);
  } finally {
    const released = await request.post(`/api/v1/files/release?name=${DOMAIN}`, { headers });
    expect(released.ok(), await released.text()).toBe(true);
  }
  await expect(panel.getByTestId("managed")).toBeHidden();
  await expect(page.getByRole("main").getByText("managed by files", { exact: true })).toBeHidden();
  await expect(max).toBeEnabled();
});
