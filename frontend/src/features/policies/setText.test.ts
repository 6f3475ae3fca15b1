import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { PolicySet } from "@/api/types";
import { readSet, writeSet } from "./setText";

/** What the service's Export writes for a set: ExportTest.java reads and writes the same file. */
const EXPORTED = readFileSync(
  new URL("../../../../backend/server/src/test/resources/policy-set.yaml", import.meta.url),
  {
    encoding: "utf8",
  },
);

const set = (parameters: Record<string, unknown>): PolicySet => ({ policies: [{ plugin: "x", parameters }] });
const value = (yaml: string) => readSet(`policies: [{plugin: x, parameters: {a: ${yaml}}}]`).policies[0]?.parameters?.a;

describe("a set as text", () => {
  it("is written, byte for byte, as the service writes it", () => {
    expect(writeSet(readSet(EXPORTED))).toBe(EXPORTED);
  });

  it("has no comment, and is written out where an object is there twice", () => {
    const same = { b: 1 };
    expect(writeSet({ ...set({ a: same, c: same }), comment: "why" })).toBe(
      "policies:\n  - plugin: x\n    parameters:\n      a:\n        b: 1\n      c:\n        b: 1\n",
    );
  });

  it("comes back as it was, also the texts that look like something else", () => {
    const texts = [
      "1",
      "true",
      "~",
      "null",
      "",
      "yes",
      "---",
      "'a'",
      '"a"',
      "a\tb",
      "\na\n\n",
      "- a",
      "😀",
      "\u0007",
      "a \nb",
    ];
    const all = set({ texts, nested: [[1, [2]], {}, []], small: 1e-7, large: 1e21, no: false, none: null, "a: b": 1 });
    expect(readSet(writeSet(all))).toEqual(all);
  });

  it("may be JSON, also on one line, with tabs and with escapes", () => {
    const all = {
      ...set({ a: [1, -2.5, 1e21, "1", "\u2028\\/\n", true, null], b: {} }),
      whenExhausted: { mode: "fail" },
    };
    for (const space of [undefined, 2, "\t"]) expect(readSet(JSON.stringify(all, null, space))).toEqual(all);
    expect(value('"\\/\\ud83d\\ude00"')).toBe("/😀");
  });

  it.each([
    ["5", 5],
    ["-5", -5],
    ["2.50", 2.5],
    ["1e3", 1000],
    ["'5'", "5"],
    ['"5"', "5"],
    ["010", "010"],
    ["0x10", "0x10"],
    ["+5", "+5"],
    [".5", ".5"],
    ["true", true],
    ["True", "True"],
    ["yes", "yes"],
    ["'true'", "true"],
    ["null", null],
    ["~", "~"],
    ["22:30", "22:30"],
    ["2026-11-26", "2026-11-26"],
    ["<<", "<<"],
  ])("takes %s for what the service takes it for", (yaml, json) => {
    expect(value(yaml)).toBe(json);
  });

  it("takes every name for a text", () => {
    expect(readSet("policies: [{plugin: x, parameters: {1: a, true: b, ~: c}}]").policies[0]?.parameters).toEqual({
      "1": "a",
      true: "b",
      "~": "c",
    });
  });
});

describe("a text that is no set", () => {
  it.each([
    ["{", /^Line 1, column 2: Flow map/],
    ["policies:\n  - plugin: a: b\n", /^Line 2, column 13: Nested mappings/],
    ["policies:\n\t- plugin: a\n", /^Line 2, column 1: Tabs/],
    ["policies: []\npolicies: []\n", /^Line 2, column 1: “policies” is there twice\.$/],
    ['{"policies":[{"plugin":"x","parameters":{"max":1,"max":2}}]}', /^Line 1, column 50: “max” is there twice\.$/],
    ['policies: [{plugin: x, parameters: {1: a, "1": b}}]', /^Line 1, column 43: “1” is there twice\.$/],
    ["policies:\n  - &one\n    plugin: x\n", /^Line 2, column 5: The anchor &one is not allowed here\./],
    ["&all\npolicies: []\n", /^Line 1, column 1: The anchor &all/],
    ["policies:\n  - plugin: *one\n", /^Line 2, column 13: The alias \*one is not allowed here\./],
    ["policies: [{plugin: x, parameters: {<<: *a}}]", /^Line 1, column 41: The alias \*a/],
    ["policies: []\nwhenExhausted: {? *a : 1}", /^Line 2, column 19: The alias \*a/],
    ["policies:\n  - plugin: !!str 1\n", /^Line 2, column 13: The tag !!str is not allowed here\./],
    ["policies: !own []\n", /^Line 1, column 11: The tag !own/],
    ["--- !!map\npolicies: []\n", /^Line 1, column 5: The tag !!map/],
    ["policies: [{plugin: x, parameters: {? [a] : 1}}]", /^Line 1, column 39: A name must be a text\.$/],
    ["policies: []\n---\npolicies: []\n", /^Line 2, column 1: A policy set is one document/],
    ["policies: [{plugin: x, parameters: {a: .nan}}]", /^Line 1, column 40: \.nan is not a number that JSON has\.$/],
    ["policies: [{plugin: x, parameters: {a: 1e999}}]", /^Line 1, column 40: 1e999 is not a number/],
    [
      "policies: [{plugin: x, parameters: {a: 9007199254740993}}]",
      /^Line 1, column 40: 9007199254740993 would lose digits/,
    ],
  ])("says so of %s, with line and column", (text, reason) => {
    expect(() => readSet(text)).toThrow(reason);
  });

  it.each([60, 50_000])("says so of %d open brackets, with line and column", (brackets) => {
    expect(() => readSet(`policies: ${"[".repeat(brackets)}`)).toThrow(
      /^Line 1, column \d+: It is nested too deeply: at most 50 levels/,
    );
  });

  it("says so of brackets that are nested too deeply and closed", () => {
    expect(() => readSet(`policies: ${"[".repeat(60)}${"]".repeat(60)}`)).toThrow(/nested too deeply/);
  });

  it.each([
    ["", /^Line 1, column 1: A policy set is an object/],
    ["# nothing\n", /object/],
    ["[]", /object/],
    ["{}", /^Line 1, column 1: “policies” must be a list/],
    ["policies:\n", /“policies” must be a list/],
    [
      "policies:\n  - plugin: x\n  - version: '1'\n",
      /^Line 3, column 5: \/policies\/1: “plugin” must name a plugin\.$/,
    ],
    ["policies:\n  - plugin: 5\n", /^Line 2, column 5: \/policies\/0: “plugin”/],
    ["policies:\n  - plugin: x\n    version: 2\n", /^Line 3, column 5: \/policies\/0\/version must be a string\.$/],
    ["policies: []\npolices:\n  - a\n", /^Line 2, column 1: “polices” is not part of a policy set\.$/],
    ["policies: [{plugin: x, parameters: 3}]", /^Line 1, column 24: \/policies\/0\/parameters must be an object\.$/],
    ["policies: []\nwhenExhausted: fail\n", /^Line 2, column 1: “whenExhausted” must be an object\.$/],
  ])("says which part of %j is missing or wrong", (text, reason) => {
    expect(() => readSet(text)).toThrow(reason);
  });

  it("gives a policy without parameters empty ones", () => {
    expect(readSet("policies:\n  - plugin: x\n").policies[0]).toEqual({ plugin: "x", parameters: {} });
  });
});
