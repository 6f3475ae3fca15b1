/** Find my size, from its form to a draft in the editor. */
import { DOMAIN, expect, readSet, signIn, test } from "./service";

test("a size is searched for on the live load, and its answer becomes a draft", async ({
  page,
  request,
  knownSet: _,
}) => {
  test.setTimeout(150_000); // the search itself may take a minute
  const { revision } = await readSet(request);
  await signIn(page, `/domains/${DOMAIN}`);
  const editor = page.getByRole("complementary", { name: `Policy of ${DOMAIN}` });
  await editor.getByRole("button", { name: "Find my size" }).click();
  const drawer = page.getByRole("dialog", { name: `Find the size of ${DOMAIN}` });
  const within = drawer.getByLabel("ends within, s");
  await within.fill("59");
  await expect(drawer.getByRole("alert")).toHaveText("must be a whole number, 60 to 900");
  await within.fill("900");
  await drawer.getByLabel("most connections").fill("6");
  const confirm = page
    .getByRole("dialog", { name: `Search for the size of ${DOMAIN}?` })
    .getByRole("button", { name: "Search" });
  await drawer.getByRole("button", { name: /^Search/ }).click();
  await confirm.click();
  await expect(drawer.getByRole("progressbar")).toBeVisible();
  await drawer.getByRole("button", { name: "Cancel the search" }).click();
  await expect(drawer.getByText("It was cancelled.")).toBeVisible();

  await drawer.getByLabel("ends within, s").fill("60");
  await drawer.getByLabel("most connections").fill("6");
  await drawer.getByRole("button", { name: "Search again" }).click();
  await confirm.click();
  await expect(drawer.getByTestId("found-size")).toContainText(/\d connections?\./, { timeout: 70_000 });
  await expect(drawer.getByRole("group", { name: "throughput by size" })).toBeVisible();

  await drawer.getByRole("button", { name: "Use as draft" }).click();
  await expect(drawer).toBeHidden();
  await expect(editor.getByRole("button", { name: `Apply as rev ${revision + 1}` })).toBeVisible();
  expect((await readSet(request)).revision).toBe(revision);
  await editor.getByRole("button", { name: "Discard" }).click();
});
