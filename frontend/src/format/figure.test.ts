import { expect, it } from "vitest";
import { figure, withUnit } from "./figure";

it("has three significant digits, or the whole part", () => {
  expect([0, 0.012345, 1.5, 12.34, 99.94, 99.96, 123.4, 12345.6, -3.4567].map(figure)).toEqual([
    "0",
    "0.0123",
    "1.5",
    "12.3",
    "99.9",
    "100",
    "123",
    "12,346",
    "-3.46",
  ]);
  expect([null, undefined, Number.NaN].map(figure)).toEqual(["–", "–", "–"]);
});

it("has its unit if there is one", () => {
  expect(withUnit(2.5, "ms")).toBe("2.5 ms");
  expect(withUnit(2.5, "")).toBe("2.5");
});
