import { expect, it } from "vitest";
import { faultPlace } from "./faultPlace";

const set = {
  policies: [
    { plugin: "tiers", parameters: {} },
    { plugin: "min-max", parameters: { min: 30, max: 20 } },
    { plugin: "schedule", parameters: {} },
  ],
};

it.each([
  ["/policies/1/parameters/min", "min-max: min", ["p1_min"]],
  [
    "/policies/2/parameters/windows/0/from",
    "schedule: windows 1 from",
    ["p2_windows_0_from", "p2_windows_0", "p2_windows"],
  ],
  ["/policies/2/parameters", "schedule:", []],
  ["/policies/2/plugin", "schedule: plugin", []],
  ["/policies/0", "tiers:", []],
  ["/whenExhausted/timeoutMs", "When exhausted: timeoutMs", []],
] as const)("says %s in words", (pointer, words, ids) => {
  expect(faultPlace(set, pointer)).toMatchObject({ words, ids });
});

it.each(["", "/policies", "/policies/7/parameters/min", "/comment"])("knows no field of “%s”", (pointer) => {
  expect(faultPlace(set, pointer)).toBeNull();
});
