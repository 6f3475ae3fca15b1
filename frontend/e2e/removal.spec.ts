import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, needed, settled, signIn, test, token } from "./service";

const headers = { Authorization: `Bearer ${token}` };

async function make(page: Page, what: string, data: object) {
  const made = await page.request.post(`/api/v1/${what}`, { headers, data });
  expect(made.ok(), await made.text()).toBe(true);
}

async function confirm(page: Page, name: string) {
  await page.getByRole("button", { name: `Remove ${name}…` }).click();
  const question = page.getByRole("dialog", { name: `Remove ${name}?` });
  await question.getByLabel(`Type ${name} to continue`).fill(name);
  await question.getByRole("button", { name: `Remove ${name}` }).click();
}

test("whoever removes a domain on its page is led to the overview, and its draft is gone with it", async ({ page }) => {
  const policySet = { policies: [{ plugin: "min-max", parameters: { min: 0, max: 2 } }] };
  const domain = { name: "short-lived", database: "main", policySet };
  await make(page, "domains", domain);
  await signIn(page, "/domains/short-lived");
  await settled(page);
  await page.getByLabel("Maximum connections", { exact: true }).fill("3");
  await expect(page.getByText("was 2")).toBeVisible();
  await page.getByText("Remove short-lived", { exact: true }).click();
  await confirm(page, "short-lived");
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("link", { name: "short-lived" })).toHaveCount(0);

  await make(page, "domains", domain);
  await page.goto("/domains/short-lived");
  await settled(page);
  await expect(page.getByLabel("Maximum connections", { exact: true })).toHaveValue("2");
  await page.getByText("Remove short-lived", { exact: true }).click();
  await confirm(page, "short-lived");
  await expect(page).toHaveURL("/");
});

test("whoever removes a database on its page is led to the list of databases", async ({ page }) => {
  const read = (path: string) => readFileSync(join(needed("HEADGATE_DATA"), "postgres", path), "utf8").trim();
  const server = { host: "127.0.0.1", port: Number(read("port")), database: "postgres", user: "postgres" };
  await make(page, "databases", { name: "spare", ...server, password: read("password"), budget: 2 });
  await signIn(page, "/databases/spare");
  await settled(page);
  await confirm(page, "spare");
  await expect(page).toHaveURL("/databases");
  await expect(page.getByRole("link", { name: "spare", exact: true })).toHaveCount(0);
});
