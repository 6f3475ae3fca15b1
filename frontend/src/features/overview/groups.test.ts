import { describe, expect, it } from "vitest";
import type { Standing } from "@/stream/schemas";
import { grouped, groupingOf, labelNames } from "./groups";

const domain = (name: string, more: Partial<Standing> = {}) =>
  ({ domain: name, database: "main", tier: "silver", labels: {}, ...more }) as Standing;

const named = (groups: ReturnType<typeof grouped>) => groups.map((g) => [g.name, g.members.map((m) => m.domain)]);

describe("groups of domains", () => {
  it("keep the group with the first domain on top", () => {
    const ordered = [domain("x", { database: "two" }), domain("a"), domain("b", { database: "two", tier: null })];
    expect(named(grouped(ordered, "database"))).toEqual([
      ["two", ["x", "b"]],
      ["main", ["a"]],
    ]);
    expect(named(grouped(ordered, "tier"))).toEqual([
      ["silver", ["x", "a"]],
      ["no tier", ["b"]],
    ]);
  });

  it("are those of a label's values, and one of the domains without it", () => {
    const ordered = [
      domain("a", { labels: { zone: "eu" } }),
      domain("b", { labels: { team: "payments" } }),
      domain("c", { labels: { team: "media", zone: "eu" } }),
      domain("d", { labels: { team: "payments" } }),
    ];
    expect(named(grouped(ordered, "label:team"))).toEqual([
      ["no team", ["a"]],
      ["payments", ["b", "d"]],
      ["media", ["c"]],
    ]);
    expect(named(grouped(ordered, "label:constructor"))).toEqual([["no constructor", ["a", "b", "c", "d"]]]);
    expect(labelNames(ordered)).toEqual(["team", "zone"]);
  });

  it("are read from an address, also of a label that is called as a database", () => {
    for (const text of ["database", "tier", "label:team", "label:tier"]) expect(groupingOf(text)).toBe(text);
    for (const text of [undefined, "", "team", "Tier"]) expect(groupingOf(text)).toBeUndefined();
    expect(named(grouped([domain("a", { labels: { tier: "one" } })], "label:tier"))).toEqual([["one", ["a"]]]);
  });
});
