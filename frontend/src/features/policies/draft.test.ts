import { describe, expect, it } from "vitest";
import type { PolicySet } from "@/api/types";
import { asSet, changes, isStale, presets, rebase, sameSet, subjectOf } from "./draft";

const set = (max: number, cap?: number, timeoutMs = 5000): PolicySet => ({
  policies: [
    { plugin: "min-max", parameters: { min: 2, max } },
    ...(cap === undefined ? [] : [{ plugin: "latency-cap", parameters: { maxLatencyMs: cap, statistic: "mean" } }]),
  ],
  whenExhausted: { mode: "queue", timeoutMs, depth: 1000 },
});

describe("a draft", () => {
  const draft = { baseRevision: 8, base: set(20), set: set(15) };

  it("is stale when another revision is in force, or another set by the same number", () => {
    expect(isStale(draft, { revision: 8, policySet: { ...set(20), comment: "why" } })).toBe(false);
    expect(isStale(draft, { revision: 9, policySet: set(20) })).toBe(true);
    expect(isStale(draft, { revision: 1, policySet: set(20) })).toBe(true);
    expect(isStale(draft, { revision: 8, policySet: set(12) })).toBe(true);
  });
});

describe("changes", () => {
  it("names what was changed, added and removed", () => {
    expect(changes(set(20, 20), set(20, 25))).toEqual([
      { subject: "latency-cap", kind: "changed", fields: [{ name: "maxLatencyMs", from: 20, to: 25 }] },
    ]);
    expect(changes(set(20), set(20, 25))[0]).toMatchObject({ subject: "latency-cap", kind: "added" });
    expect(changes(set(20, 25), set(20))[0]).toMatchObject({ subject: "latency-cap", kind: "removed" });
    expect(changes(set(20), set(20, undefined, 100))[0]).toMatchObject({ subject: "when exhausted", kind: "changed" });
    expect(changes(set(20, 20), set(20, 20))).toEqual([]);
  });

  it("does not mind the order of keys or a comment", () => {
    const a = { policies: [{ plugin: "min-max", parameters: { min: 1, max: 2 } }] };
    expect(sameSet(a, { policies: [{ plugin: "min-max", parameters: { max: 2, min: 1 } }], comment: "why" })).toBe(
      true,
    );
  });

  it("tells two of one plugin apart", () => {
    const twice = {
      policies: [
        { plugin: "tiers", parameters: {} },
        { plugin: "tiers", parameters: {} },
      ],
    };
    expect([0, 1].map((i) => subjectOf(twice, i))).toEqual(["tiers", "tiers (2)"]);
  });
});

describe("rebase", () => {
  it("puts my fields on top of theirs where we touched different ones", () => {
    const { set: merged, conflicts } = rebase(set(20, 20), set(20, 25), set(15, 20));
    expect(sameSet(merged, set(15, 25))).toBe(true);
    expect(conflicts).toEqual([]);
  });

  it("names a field that both changed, and lets mine stand there", () => {
    const { set: merged, conflicts } = rebase(set(20, 20), set(20, 25), set(20, 30));
    expect(sameSet(merged, set(20, 25))).toBe(true);
    expect(conflicts).toEqual([{ subject: "latency-cap", name: "maxLatencyMs", base: 20, mine: 25, theirs: 30 }]);
  });

  it("is no conflict when both did the same", () => {
    expect(rebase(set(20), set(10), set(10)).conflicts).toEqual([]);
  });

  it("keeps what either added, and lets go what either removed untouched", () => {
    const tiers = { plugin: "tiers", parameters: { tier: "gold" } };
    const theirs = { ...set(20, 20), policies: [...set(20, 20).policies, tiers] };
    const { set: merged } = rebase(set(20, 20), set(20), theirs);
    expect(merged.policies.map((p) => p.plugin)).toEqual(["min-max", "tiers"]);
    expect(rebase(set(20, 20), set(20, 20), set(20)).set.policies.map((p) => p.plugin)).toEqual(["min-max"]);
  });

  it("keeps a policy that I changed and they removed, and says so", () => {
    const { set: merged, conflicts } = rebase(set(20, 20), set(20, 25), set(20));
    expect(merged.policies.map((p) => p.plugin)).toContain("latency-cap");
    expect(conflicts).toMatchObject([{ subject: "latency-cap", theirs: undefined }]);
  });
});

describe("versions of plugins", () => {
  const at = (version: string, max: number): PolicySet => ({
    policies: [{ plugin: "min-max", version, parameters: { max } }],
  });

  it("are kept through a rebase and a text, and their change is told", () => {
    expect(rebase(at("1", 5), at("1", 9), at("2", 5)).set.policies).toEqual(at("2", 9).policies);
    expect(asSet(at("1", 5)).policies).toEqual(at("1", 5).policies);
    expect(changes(at("1", 5), at("2", 5))).toEqual([
      { subject: "min-max", kind: "changed", fields: [{ name: "plugin version", from: "1", to: "2" }] },
    ]);
    expect(() => asSet({ policies: [{ plugin: "x", version: 2 }] })).toThrow(/version/);
  });
});

describe("a value from outside", () => {
  it("is a set or is refused, with a reason and a place", () => {
    expect(sameSet(asSet(set(20, 20)), set(20, 20))).toBe(true);
    expect(asSet({ policies: [{ plugin: "x" }] }).policies[0]?.parameters).toEqual({});
    for (const [value, message, path] of [
      [[], /object/, []],
      [null, /object/, []],
      [{}, /policies/, ["policies"]],
      [{ policies: [{}] }, /\/policies\/0/, ["policies", 0, "plugin"]],
      [{ policies: [], polices: [] }, /polices/, ["polices"]],
      [{ policies: [{ plugin: "x", parameters: 3 }] }, /parameters/, ["policies", 0, "parameters"]],
    ] as const)
      expect(() => asSet(value)).toThrow(expect.objectContaining({ message: expect.stringMatching(message), path }));
  });

  it("starts a new policy with what its schema requires and presets", () => {
    expect(presets({ properties: { a: { default: 1 }, b: { default: 2 }, c: {} }, required: ["a", "c"] })).toEqual({
      a: 1,
    });
    expect(presets(null)).toEqual({});
  });
});
