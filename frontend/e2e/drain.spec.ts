import { DOMAIN, expect, signIn, test, token } from "./service";

const SENTENCE = "has been draining and refusing requests";

test("a drain under load is told alike in every place, and so is its end", async ({ page, knownSet: _ }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  const navigation = page.getByRole("navigation", { name: "Pages" });
  const entry = navigation.getByRole("link", { name: DOMAIN });
  const chip = page.locator(".domain-head .chip", { hasText: "draining" });
  const figure = (label: string) => page.locator(".stat div", { hasText: label }).locator("dd").first();
  const row = page
    .getByRole("region", { name: "Domains" })
    .getByRole("row")
    .filter({ has: page.getByRole("link", { name: DOMAIN, exact: true }) });
  /** The number in the tab's title is that of the navigation. Others may be in trouble too. */
  const countsAgree = () =>
    expect
      .poll(async () => {
        const badge = navigation.getByTestId("unattended").locator("span").first();
        const unattended = (await badge.count()) > 0 ? `(${await badge.innerText()}) ` : "";
        return (await page.title()) === `${unattended}${DOMAIN} · Headgate` ? unattended : "they differ";
      })
      .not.toBe("they differ");

  await page.getByRole("button", { name: "Drain", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Drain ${DOMAIN}?` });
  await expect(dialog).toContainText("New requests are refused until you resume");
  await dialog.getByRole("button", { name: `Drain ${DOMAIN}` }).click();
  try {
    await expect(page.getByRole("status").filter({ hasText: "Draining until you resume" })).toBeVisible();
    await expect(chip).toBeVisible();
    await expect(entry.getByText("draining")).toBeAttached();
    await expect(figure("In use / open")).toHaveText("0 / 0");
    await expect(page.getByTestId("turned-away")).toHaveText(/^[1-9]/);
    await expect(page).toHaveTitle(new RegExp(`^\\([1-9]\\d*\\) ${DOMAIN} · Headgate$`));
    await countsAgree();
    await expect(page.locator("link[rel=icon]")).toHaveAttribute("href", /%23(d08a1d|d64545)/);

    await navigation.getByRole("link", { name: "Overview" }).click();
    await expect(row).toContainText("draining");
    await expect(row.getByRole("img", { name: /^0 in use of 0 open/ })).toBeVisible();
    await expect(page.getByTestId("headline")).not.toContainText("fine");
    const listed = await page.request.get(`/api/v1/domains/${DOMAIN}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(((await listed.json()) as { pool: { health: object } }).pool.health).toMatchObject({
      severity: "warning",
      sentence: `${DOMAIN} ${SENTENCE}`,
    });

    await page.goto(`/alarms?domain=${DOMAIN}&alarm=draining`);
    await expect(page.getByTestId("open-alarms")).toContainText(`${DOMAIN} ${SENTENCE}.`);

    await entry.click();
    await expect(page.locator(".state-line")).toContainText(new RegExp(`${DOMAIN} ${SENTENCE} for \\d`));
    await page.getByRole("button", { name: "Resume" }).click();
    await expect(page.getByRole("button", { name: "Drain", exact: true })).toBeVisible();
  } finally {
    await page.request.post(`/api/v1/domains/${DOMAIN}/resume`, { headers: { Authorization: `Bearer ${token}` } });
  }
  await expect(chip).toHaveCount(0);
  await expect(entry.getByText("draining")).toHaveCount(0);
  await expect(figure("In use / open")).toHaveText(/^\d+ \/ [1-9]/);
  await countsAgree();
  await navigation.getByRole("link", { name: "Overview" }).click();
  await expect(row).not.toContainText("draining");
  await page.goto(`/alarms?domain=${DOMAIN}&alarm=draining`);
  await expect(page.getByText("No open alarm fits this filter")).toBeVisible();
  await expect(page.getByTestId("past-alarms").getByRole("listitem").first()).toContainText(
    `${DOMAIN} was draining and refusing requests`,
  );
});
