import { describe, expect, test } from "vitest";
import { linePath } from "./linePath";

describe("a line's path", () => {
  test("spreads values over the box, the largest at its top", () => {
    expect(linePath([0, 5, 10], 10, 100, 22)).toBe("M0.0 21.0L50.0 11.0L100.0 1.0");
  });
  test("cuts off what is above the top, and draws one value as a point", () => {
    expect(linePath([20], 10, 100, 22)).toBe("M0.0 1.0");
    expect(linePath([], 10, 100, 22)).toBe("");
  });
});
