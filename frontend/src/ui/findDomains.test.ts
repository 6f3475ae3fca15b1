import { describe, expect, it } from "vitest";
import type { Standing } from "@/stream/schemas";
import { byTrouble, fits } from "./findDomains";

const domain = (name: string, more: Partial<Standing> = {}, severity: Standing["health"]["severity"] = "fine") =>
  ({
    domain: name,
    database: "main",
    tier: "silver",
    labels: {},
    revision: 1,
    state: "open",
    health: { code: severity, label: severity, severity, sentence: name, since: null as never, reach: "domain" },
    limit: { by: "nothing", policy: null, holdsBack: false },
    ...more,
  }) as Standing;

describe("finding domains", () => {
  it("finds by name, database, tier and state, every word in any of them", () => {
    const bank = domain("bank", { tier: "gold", database: "eu-main" }, "warning");
    for (const text of ["", "ban", "EU", "gold", "warning", "gold eu bank"]) expect(fits(bank, text)).toBe(true);
    for (const text of ["gallery", "gold us", "critical"]) expect(fits(bank, text)).toBe(false);
  });

  it("finds by a label, its name, its value and parts of them", () => {
    const bank = domain("bank", { labels: { team: "payments & Co", zone: "eu" } });
    for (const text of ["team:payments", "TEAM", "zone:eu", "payments co", "am:pay", "zone team:p bank"])
      expect(fits(bank, text)).toBe(true);
    for (const text of ["team:eu", "zone:payments", "team:media"]) expect(fits(bank, text)).toBe(false);
  });

  it("puts trouble first, then the better tier, then the name", () => {
    const order = [
      domain("c"),
      domain("b", { tier: "bronze" }),
      domain("a", { tier: null }),
      domain("z", {}, "critical"),
      domain("y", { tier: "gold" }),
      domain("x", {}, "warning"),
      domain("d"),
    ].sort(byTrouble);
    expect(order.map((each) => each.domain)).toEqual(["z", "x", "y", "c", "d", "b", "a"]);
  });
});
