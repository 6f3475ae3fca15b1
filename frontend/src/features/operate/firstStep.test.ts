import { expect, it } from "vitest";
import { isInFirstStep } from "./firstStep";

const time = ["2026-11-26T03:00:00Z", "2026-11-26T03:10:00Z"];

it("knows a connection whose first step is not over", () => {
  expect(isInFirstStep(time, [null, 4], Date.parse("2026-11-26T03:08:00Z"))).toBe(true);
  expect(isInFirstStep(time, [null, 4], Date.parse("2026-11-26T03:10:01Z"))).toBe(false);
  expect(isInFirstStep(time, [4, 0], Date.parse("2026-11-26T03:08:00Z"))).toBe(false);
  expect(isInFirstStep(time, [null, null], Date.parse("2026-11-26T03:08:00Z"))).toBe(false);
});
