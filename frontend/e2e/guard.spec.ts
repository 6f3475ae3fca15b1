import { DOMAIN, expect, readSet, signIn, test } from "./service";

test("a guard that fires takes the set back, and the page says so, why, and what is in force", async ({
  page,
  request,
  knownSet: _,
}) => {
  const { revision } = await readSet(request);
  const [tried, restored] = [revision + 1, revision + 2];
  await signIn(page, `/domains/${DOMAIN}`);
  const panel = page.getByRole("complementary", { name: `Policy of ${DOMAIN}` });
  const max = panel.getByLabel("Maximum connections", { exact: true });
  await max.fill("13");
  await panel.getByLabel(/^Guard: restore/).check();
  await panel.getByLabel("Guard: p99 in milliseconds").fill("0.001"); // no statement is so fast
  await panel.getByRole("button", { name: `Apply as rev ${tried}` }).click();

  const why = /The p99 of \d+ requests in the last [\d.]+ s was [\d.]+ ms, above the bound of 0\.001 ms\./;
  const note = panel.getByTestId("taken-back");
  await expect(note).toContainText(`took rev ${tried} back: rev ${revision} is in force again, as rev ${restored}.`);
  await expect(note).toContainText(why);
  await expect(panel.getByTestId("revision")).toHaveText(`rev ${restored} · live`);
  await expect(max).toHaveValue("12");
  await expect(panel.getByTestId("guard")).toHaveCount(0);
  await expect(panel.getByText(/is in force\.$/)).toHaveCount(0);
  await expect(page.getByTestId("ceiling")).toHaveText("12");
  await expect(page.getByTestId("markers")).toContainText(
    new RegExp(`rev ${tried} by admin.*rev ${restored} by guard`),
  );
  await expect(page.getByTestId("feed")).toContainText(`${DOMAIN} is at revision ${restored}`);
  await panel.getByRole("button", { name: "History" }).click();
  const newest = page.locator(".revisions li").first();
  await expect(newest).toContainText(new RegExp(`rev ${restored}.*live.*restored from rev ${revision}.*by guard`));
  await expect(newest).toContainText(why);
});
