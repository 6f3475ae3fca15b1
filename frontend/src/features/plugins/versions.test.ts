import { describe, expect, it } from "vitest";
import type { PolicyPlugin } from "@/api/types";
import { drifts, groups, keptBecause, movable, told, unfit, userOf } from "./versions";

const plugin = (id: string, version: string, usedBy: string[] = [], builtIn = false): PolicyPlugin => ({
  id,
  version,
  description: "",
  source: `${id}.jar`,
  sha256: "ab".repeat(32),
  builtIn,
  newest: false,
  parameterSchema: {},
  usedBy,
});

describe("versions of plugins", () => {
  const listed = [
    plugin("cap", "1.9", ["bank", "auction"], true),
    plugin("cap", "1.10", ["gallery", "database/main"]),
    plugin("cap", "2.0"),
    plugin("tiers", "1"),
  ];
  const [cap, tiers] = groups(listed);

  it("stand side by side, the newest first", () => {
    expect(cap?.versions.map((p) => p.version)).toEqual(["2.0", "1.10", "1.9"]);
    expect(tiers?.versions).toHaveLength(1);
  });

  it("take over the users of the older ones alone", () => {
    if (!cap) throw new Error("no group");
    expect(movable(cap, listed[2] as PolicyPlugin)).toEqual(["auction", "bank", "database/main", "gallery"]);
    expect(movable(cap, listed[1] as PolicyPlugin)).toEqual(["auction", "bank"]);
    expect(movable(cap, listed[0] as PolicyPlugin)).toEqual([]);
  });

  it("stay when they ships with the service or are used", () => {
    expect(listed.map(keptBecause)).toEqual(["ships with the service", "used by gallery, database/main", null, null]);
  });

  it("tell which parameters a version changes", () => {
    const base = { from: ["1.9"], revision: 4, outcome: "adopted", reason: null };
    expect(
      drifts([
        {
          ...base,
          domain: "bank",
          parameters: [
            { pointer: "/policies/0/parameters/max", from: 19, to: 3 },
            { pointer: "/policies/0/parameters/mode", from: null, to: "calm" },
          ],
        },
        { ...base, domain: "auction", parameters: [] },
      ]),
    ).toEqual(["bank /policies/0/parameters/max: 19 -> 3", 'bank /policies/0/parameters/mode: nothing -> "calm"']);
  });

  it("tell who moved and who could not", () => {
    const base = { from: ["1.9"], reason: null, parameters: [] };
    expect(
      told(
        [
          { ...base, domain: "bank", revision: 4, outcome: "adopted" },
          { ...base, domain: "auction", revision: 2, outcome: "refused", reason: "/policies/0 has a floor of 9" },
        ],
        "2.0",
      ),
    ).toBe("Moved to 2.0: bank (rev 4). auction keeps 1.9: /policies/0 has a floor of 9.");
    expect(told([], "2.0")).toBe("No set was moved.");
  });
});

describe("a file", () => {
  it("is sent when it may be a plugin", () => {
    expect(unfit({ name: "cap.jar", size: 4_000 })).toBeNull();
    expect(unfit({ name: "cap.zip", size: 4_000 })).toBe("cap.zip is not a jar.");
    expect(unfit({ name: "cap.jar", size: 17 * 1024 * 1024 })).toBe("cap.jar is larger than 16 MiB.");
  });
});

describe("a user", () => {
  it("is a domain or a database", () => {
    expect(userOf("bank")).toEqual({ kind: "domain", name: "bank" });
    expect(userOf("database/main")).toEqual({ kind: "database", name: "main" });
  });
});
