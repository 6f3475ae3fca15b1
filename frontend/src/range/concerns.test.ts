import { expect, it } from "vitest";
import { concerns } from "./concerns";

it.each([
  ["of the domain", { domain: "bank", database: "main" }, true],
  ["of another domain on its database", { domain: "shop", database: "main" }, false],
  ["of its database", { domain: null, database: "main" }, true],
  ["of another database", { domain: null, database: "other" }, false],
  ["of all", { domain: null, database: null }, true],
  ["of the service, on all", { domain: null, database: null, domains: [] }, true],
  ["of the service, on some with it", { domain: null, database: null, domains: ["bank", "shop"] }, true],
  ["of the service, on some without it", { domain: null, database: null, domains: ["shop"] }, false],
] as const)("knows what concerns a domain: %s", (_, place, concerned) => {
  expect(concerns(place, "bank", "main")).toBe(concerned);
});
