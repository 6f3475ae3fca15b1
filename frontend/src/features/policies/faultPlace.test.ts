import { expect, it } from "vitest";
import { faultPlace } from "./faultPlace";

const set = {
  policies: [
    { plugin: "tiers", parameters: {} },
    { plugin: "min-max", parameters: { min: 30, max: 20 } },
    { plugin: "schedule", parameters: {} },
  ],
};

const from = { title: "From", type: "string" };
const windows = { title: "Windows", type: "array", items: { type: "object", properties: { from } } };
const plugins = [
  plugin("min-max", { min: { title: "Least connections" }, max: { title: "max" } }),
  plugin("schedule", { windows }),
];

function plugin(id: string, properties: object) {
  return { id, version: "1", newest: true, parameterSchema: { properties } } as never;
}

it.each([
  ["/policies/1/parameters/min", "min-max: Least connections", "min", ["p1_min"]],
  ["/policies/1/parameters/max", "min-max: max", null, ["p1_max"]],
  ["/policies/1/parameters/unknown", "min-max: unknown", null, ["p1_unknown"]],
  [
    "/policies/2/parameters/windows/0/from",
    "schedule: Windows 1 From",
    "from",
    ["p2_windows_0_from", "p2_windows_0", "p2_windows"],
  ],
  ["/policies/2/parameters/windows/0", "schedule: Windows 1", "windows", ["p2_windows_0", "p2_windows"]],
  ["/policies/2/parameters", "schedule:", null, []],
  ["/policies/2/plugin", "schedule: plugin", null, []],
  ["/policies/0", "tiers:", null, []],
  ["/whenExhausted/timeoutMs", "When exhausted: Longest wait (ms)", "timeoutMs", []],
] as const)("says %s as the form does", (pointer, words, key, ids) => {
  expect(faultPlace(set, pointer, plugins)).toMatchObject({ words, key, ids });
});

it.each(["", "/policies", "/policies/7/parameters/min", "/comment"])("knows no field of “%s”", (pointer) => {
  expect(faultPlace(set, pointer, plugins)).toBeNull();
});
