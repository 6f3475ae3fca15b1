import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DOMAIN, expect, mine, putSet, signIn, test } from "./service";

/** The jar of an installed plugin, under another id of the same length, and as a version of that. */
function ownJar(shipped: string, id: string, version: string): string {
  const folder = mkdtempSync(join(tmpdir(), "headgate-plugin-"));
  const classes = mkdtempSync(join(tmpdir(), "headgate-classes-"));
  const tool = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, "bin", "jar") : "jar";
  const installed = resolve(mine("HEADGATE_PLUGINS") ?? "../.headgate/plugins", `${shipped}.jar`);
  execFileSync(tool, ["--extract", "--file", installed], { cwd: classes });
  for (const name of readdirSync(classes, { recursive: true, encoding: "utf8" })) {
    const file = join(classes, name);
    if (statSync(file).isFile()) writeFileSync(file, readFileSync(file, "latin1").replaceAll(shipped, id), "latin1");
  }
  const manifest = join(classes, "META-INF", "MANIFEST.MF");
  writeFileSync(
    manifest,
    readFileSync(manifest, "utf8").replace(/^Plugin-Version: .*$/m, `Plugin-Version: ${version}`),
  );
  const jar = join(folder, `${id}-${version}.jar`);
  execFileSync(tool, ["--create", "--file", jar, "--manifest", manifest, "-C", classes, "."]);
  return jar;
}

test("a version is uploaded beside another, left by an adoption, and removed", async ({
  page,
  request,
  knownSet: _,
}) => {
  await signIn(page, "/plugins");
  const upload = page.getByLabel("Jar of a policy plugin");
  const status = page.getByRole("region", { name: "Upload a plugin" }).getByRole("status");
  const panel = page.getByRole("region", { name: "own-max" });
  const row = (version: string) => panel.getByRole("row").filter({ hasText: version });

  await upload.setInputFiles(ownJar("min-max", "own-max", "0.0.1"));
  await expect(status).toContainText("own-max 0.0.1 is installed (SHA-256 ");
  await expect(row("0.0.1")).toContainText("no policy set");
  await expect(row("0.0.1")).toContainText("uploaded");

  const { revision } = await putSet(request, {
    policies: [{ plugin: "own-max", version: "0.0.1", parameters: { min: 2, max: 12 } }],
  });
  await upload.setInputFiles(ownJar("min-max", "own-max", "0.0.2"));
  await expect(status).toContainText("own-max 0.0.2 is installed (SHA-256 ");
  await expect(row("0.0.1").getByRole("link", { name: DOMAIN, exact: true })).toBeVisible();
  await expect(row("0.0.1").getByRole("button", { name: "Remove 0.0.1" })).toBeHidden();

  await panel.getByRole("button", { name: "Adopt 0.0.2 (1)…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Adopt 0.0.2" }).click();
  await expect(panel.getByText(`Moved to 0.0.2: ${DOMAIN} (rev ${revision + 1})`)).toBeVisible();
  await row("0.0.1").getByRole("button", { name: "Remove 0.0.1…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove 0.0.1" }).click();
  await expect(panel.getByText("own-max 0.0.1 was removed.")).toBeVisible();
  await expect(row("0.0.1")).toHaveCount(0);

  await putSet(request, { policies: [{ plugin: "min-max", parameters: { min: 2, max: 12 } }] });
  await page.reload();
  await row("0.0.2").getByRole("button", { name: "Remove 0.0.2…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove 0.0.2" }).click();
  await expect(panel).toHaveCount(0);
});

test("the id of a plugin that ships is reserved", async ({ page }) => {
  await signIn(page, "/plugins");
  await page.getByLabel("Jar of a policy plugin").setInputFiles(ownJar("min-max", "min-max", "9.10"));
  await expect(page.getByRole("region", { name: "Upload a plugin" }).getByRole("alert")).toContainText(
    "has the Plugin-Id 'min-max', which is reserved",
  );
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
