import { DOMAIN, expect, settled, signIn, test } from "./service";

test("a client is added with a password that is shown once, and removed", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await signIn(page, `/domains/${DOMAIN}`);
  await settled(page); // the connections come with the stream and push the panel down
  const panel = page.getByRole("region", { name: /^Clients/ });
  await panel.getByRole("button", { name: "Add a client" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("no name");
  await dialog.getByRole("button", { name: "Add the client" }).click();
  await expect(dialog.getByRole("alert")).toContainText("must be a user's name");
  await dialog.getByLabel("Name").fill("browser-test");
  await dialog.getByRole("button", { name: "Add the client" }).click();
  await expect(dialog.getByText("This password is shown once.")).toBeVisible();
  const password = await dialog.getByLabel("password", { exact: true }).inputValue();
  expect(password).toMatch(/^[\w-]{24,}$/);
  await expect(dialog.getByLabel("psql command", { exact: true })).toHaveValue(
    new RegExp(`^psql -h 127\\.0\\.0\\.1 -p \\d+ -U browser-test -d ${DOMAIN}$`),
  );
  await dialog.getByRole("button", { name: "Done" }).click();

  await expect(panel.getByText("browser-test")).toBeVisible();
  expect(await page.content()).not.toContain(password);
  await panel.getByRole("button", { name: "Remove browser-test…" }).click();
  const question = page.getByRole("dialog");
  await question.getByLabel("Type browser-test to continue").fill("browser-test");
  await question.getByRole("button", { name: "Remove browser-test" }).click();
  await expect(panel.getByText("browser-test")).toHaveCount(0);
});

test("how clients are served is changed, and what is not allowed is said at its field", async ({ page }) => {
  await signIn(page, `/domains/${DOMAIN}`);
  await settled(page); // the connections come with the stream and push the panel down
  const panel = page.getByRole("region", { name: /^Clients/ });
  await panel.getByRole("button", { name: "Settings…" }).click();
  const dialog = page.getByRole("dialog", { name: /^Wire port settings/ });
  const confirm = page.getByRole("button", { name: "Change the settings" });
  const before = await dialog.getByLabel("Maximum clients").inputValue();
  await dialog.getByLabel("Maximum clients").fill("0");
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await confirm.click();
  await expect(dialog.getByRole("alert")).toContainText("must be a number of clients, was 0");
  await dialog.getByLabel("Maximum clients").fill("321");
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await confirm.click();
  await expect(panel.getByText(/of 321 connected/)).toBeVisible();

  await panel.getByRole("button", { name: "Settings…" }).click();
  await dialog.getByLabel("Maximum clients").fill(before);
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await expect(dialog).toHaveCount(0);
});
