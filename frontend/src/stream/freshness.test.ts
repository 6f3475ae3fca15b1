import { expect, it } from "vitest";
import { isCurrent, levelOf, whenSeen } from "./freshness";

const NEVER = Number.POSITIVE_INFINITY;

it.each([
  ["no data yet", false, "connecting", NEVER, "waiting"],
  ["a stream that never opened", false, "lost", NEVER, "unreachable"],
  ["a stream that was interrupted", true, "lost", 400, "lost"],
  ["data of now", true, "live", 400, "live"],
  ["data that comes late", true, "live", 2_600, "late"],
] as const)("tells %s", (_, hasSnapshot, status, ageMs, level) => {
  expect(levelOf({ hasSnapshot, status, ageMs })).toBe(level);
});

it("takes data for current only while the stream brings it", () => {
  expect((["waiting", "unreachable", "live", "late", "lost"] as const).filter(isCurrent)).toEqual(["live", "late"]);
});

it("says of a sentence that it was true when the stream was last there", () => {
  expect(whenSeen("bank is fine", "lost")).toBe("When last seen: bank is fine");
  for (const level of ["waiting", "unreachable", "live", "late"] as const)
    expect(whenSeen("bank is fine", level)).toBe("bank is fine");
});
