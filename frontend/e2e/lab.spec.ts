/** A run of an experiment, from its form to its end. */
import { expect, settled, signIn, test } from "./service";

test("a run is started after a question, tells its progress, and can be cancelled", async ({ page }) => {
  await signIn(page, "/lab");
  await page.getByRole("button", { name: "Start… a run of policy-sweep" }).click();
  const form = page.getByRole("dialog", { name: "A run of policy-sweep" });
  const connections = form.getByLabel("connections");
  await connections.fill("3");
  await expect(form.getByRole("alert")).toHaveText("must be 4 to 50");
  await expect(form.getByRole("button", { name: "Start…" })).toBeDisabled();
  await connections.fill("4");
  await form.getByLabel("seconds", { exact: true }).fill("1");
  await form.getByLabel("policySeconds").fill("6");
  await form.getByLabel("seed").fill("7");
  await form.getByRole("button", { name: "Start…" }).click();

  const question = page.getByRole("dialog", { name: "Start policy-sweep?" });
  await expect(question).toContainText("uses the whole machine");
  await expect(question).toContainText("the figures of all domains suffer");
  await question.getByRole("button", { name: "Start the run" }).click();

  await expect(page).toHaveURL(/\/lab\/runs\/\d+$/);
  const id = page.url().split("/").at(-1);
  await expect(page.getByRole("heading", { name: `Run ${id} of policy-sweep` })).toBeVisible();
  const progress = page.getByRole("progressbar", { name: `Progress of run ${id}` });
  await expect(progress).toBeVisible();
  await expect(page.getByRole("region", { name: "In progress" }).getByRole("status")).toHaveText(/./);
  await expect(page.getByRole("region", { name: "Set-up" })).toContainText(/seed\s*7/);

  await page.goto("/lab");
  await settled(page);
  const row = page.getByRole("region", { name: "policy-sweep", exact: true }).getByRole("row", { name: `Run ${id}` });
  await expect(row).toContainText("running");
  await page.getByRole("button", { name: "Cancel the run…" }).click();
  await page
    .getByRole("dialog", { name: `Cancel run ${id}?` })
    .getByRole("button", { name: "Cancel the run" })
    .click();
  await expect(row).toContainText("cancelled");
  await expect(progress).toHaveCount(0);

  await row.getByRole("button", { name: `Delete… run ${id}` }).click();
  await page.getByRole("button", { name: `Delete run ${id}`, exact: true }).click();
  await expect(row).toHaveCount(0);
});

test("a run that does not exist is said not to exist", async ({ page }) => {
  await signIn(page, "/lab/runs/999999");
  await expect(page.getByRole("heading", { name: "There is no run 999999" })).toBeVisible();
});
