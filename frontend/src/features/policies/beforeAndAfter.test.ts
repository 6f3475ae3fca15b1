import { expect, it } from "vitest";
import { beforeAndAfter } from "./beforeAndAfter";

const at = (time: string) => ({ createdAt: `2026-11-23T${time}Z` });
const now = Date.parse("2026-11-23T20:00:00Z");

it.each([
  ["an hour at most", at("12:00:00"), at("01:00:00"), undefined, ["12:00:00", "13:00:00", "11:00:00"]],
  ["until the next one", at("12:00:00"), at("01:00:00"), at("12:05:00"), ["12:00:00", "12:05:00", "11:55:00"]],
  ["since the former one", at("12:00:00"), at("11:59:00"), undefined, ["12:00:00", "12:01:00", "11:59:00"]],
  [
    "as much before as after, with its mark",
    at("12:00:00.6"),
    at("11:59:48.9"),
    undefined,
    ["12:00:00", "12:00:11", "11:59:49"],
  ],
  ["until now", at("19:50:00"), at("01:00:00"), undefined, ["19:50:00", "20:00:00", "19:40:00"]],
] as const)("compares %s", (_, revision, before, after, [from, to, compare]) => {
  expect(beforeAndAfter(revision, before, after, now)).toEqual({
    from: `2026-11-23T${from}Z`,
    to: `2026-11-23T${to}Z`,
    compare: `2026-11-23T${compare}Z`,
  });
});

it.each([
  ["that is seconds old", at("19:59:55"), at("01:00:00"), undefined],
  ["that was soon replaced", at("12:00:00"), at("01:00:00"), at("12:00:04")],
  ["that a start made", { createdAt: null as never }, undefined, undefined],
])("compares nothing of a revision %s", (_, revision, before, after) => {
  expect(beforeAndAfter(revision, before, after, now)).toBeNull();
});
