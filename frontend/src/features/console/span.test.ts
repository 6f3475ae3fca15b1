import { expect, it } from "vitest";
import { spanOfColumns, spanOfRows } from "./span";

it("shows the rows in sight and some more, and leaves room for the others", () => {
  expect(spanOfRows(1000, 20, 0, 100, 2)).toEqual({ from: 0, to: 7, before: 0, after: 993 * 20 });
  expect(spanOfRows(1000, 20, 4010, 100, 2)).toEqual({ from: 198, to: 208, before: 198 * 20, after: 792 * 20 });
  expect(spanOfRows(1000, 20, 20_000, 100, 2)).toEqual({ from: 998, to: 1000, before: 998 * 20, after: 0 });
  expect(spanOfRows(0, 20, 500, 100, 2)).toEqual({ from: 0, to: 0, before: 0, after: 0 });
});

it("shows the columns in sight, also those in part", () => {
  const sizes = [100, 50, 200, 80];
  expect(spanOfColumns(sizes, 0, 120)).toEqual({ from: 0, to: 2, before: 0, after: 280 });
  expect(spanOfColumns(sizes, 149, 2)).toEqual({ from: 1, to: 3, before: 100, after: 80 });
  expect(spanOfColumns(sizes, 150, 500)).toEqual({ from: 2, to: 4, before: 150, after: 0 });
  expect(spanOfColumns([], 0, 100)).toEqual({ from: 0, to: 0, before: 0, after: 0 });
});
