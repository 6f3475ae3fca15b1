import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DOMAIN, expect, putSet, signIn, test } from "./service";

/** The jar of an installed plugin, as another version. */
function asVersion(plugin: string, version: string): string {
  const folder = mkdtempSync(join(tmpdir(), "headgate-plugin-"));
  const jar = join(folder, `${plugin}-${version}.jar`);
  copyFileSync(join(process.env.HEADGATE_PLUGINS ?? "../.headgate/plugins", `${plugin}.jar`), jar);
  const manifest = join(folder, "manifest");
  writeFileSync(manifest, `Plugin-Version: ${version}\n`);
  const tool = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, "bin", "jar") : "jar";
  execFileSync(tool, ["--update", "--file", jar, "--manifest", manifest], { stdio: "ignore" });
  return jar;
}

test("a version is uploaded beside another, left by an adoption, and removed", async ({
  page,
  request,
  knownSet: _,
}) => {
  await signIn(page, "/plugins");
  const panel = page.getByRole("region", { name: "min-max" });
  const row = (version: string) => panel.getByRole("row").filter({ hasText: version });
  const [shipped] = /\d+\.\d+\.\d+/.exec(await panel.getByRole("row").nth(1).innerText()) as RegExpExecArray;

  await page.getByLabel("Jar of a policy plugin").setInputFiles(asVersion("min-max", "0.0.1"));
  await expect(page.getByRole("region", { name: "Upload a plugin" }).getByRole("status")).toContainText(
    "min-max 0.0.1 is installed (SHA-256 ",
  );
  await expect(row("0.0.1")).toContainText("nobody");
  await expect(row("0.0.1")).toContainText("uploaded");

  const { revision } = await putSet(request, {
    policies: [{ plugin: "min-max", version: "0.0.1", parameters: { min: 2, max: 12 } }],
  });
  await expect(row("0.0.1").getByRole("link", { name: DOMAIN, exact: true })).toBeVisible();
  await expect(row("0.0.1").getByRole("button", { name: "Remove 0.0.1" })).toBeHidden();

  await panel.getByRole("button", { name: `Adopt ${shipped} (1)` }).click();
  await expect(panel.getByText(`Moved to ${shipped}: ${DOMAIN} (rev ${revision + 1})`)).toBeVisible();
  await row("0.0.1").getByRole("button", { name: "Remove 0.0.1" }).click();
  await expect(panel.getByText("min-max 0.0.1 was removed.")).toBeVisible();
  await expect(row("0.0.1")).toHaveCount(0);
});

test("what is no plugin is refused with the reason, and nothing is installed", async ({ page }) => {
  await signIn(page, "/plugins");
  const panels = page.getByRole("main").getByRole("table");
  await expect(panels.first()).toBeVisible();
  const before = await panels.count();
  await page
    .getByLabel("Jar of a policy plugin")
    .setInputFiles({ name: "notes.jar", mimeType: "application/java-archive", buffer: Buffer.from("not a jar") });
  await expect(page.getByRole("region", { name: "Upload a plugin" }).getByRole("alert")).toBeVisible();
  expect(await panels.count()).toBe(before);
});
