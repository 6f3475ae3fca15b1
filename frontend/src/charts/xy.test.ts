import { describe, expect, it } from "vitest";
import { SERIES } from "./colors";
import {
  isMarked,
  markOf,
  nearest,
  placesOf,
  pointsOf,
  rowsOf,
  scaleOf,
  sentenceAt,
  valuesAt,
  type Xy,
  type XyLine,
} from "./xy";

const line = (name: string, x: number[], y: number[], style: XyLine["style"] = "line"): XyLine => ({
  name,
  style,
  x,
  y,
  slot: 0,
});
const chart = (...lines: XyLine[]): Xy => ({
  title: "Latency",
  x: { title: "connections", unit: "", logarithmic: false },
  y: { title: "latency", unit: "ms", logarithmic: false },
  lines,
  sentence: "It grows.",
});

describe("an axis", () => {
  it("of values begins at zero and ends above the greatest", () => {
    const { min, max, ticks } = scaleOf([3, 41], false, true, 5);
    expect(min).toBe(0);
    expect(max).toBeGreaterThanOrEqual(41);
    expect(ticks).toEqual([0, 10, 20, 30, 40, 50]);
  });

  it("of values goes below zero where a value does", () => {
    expect(scaleOf([-4, 6], false, true, 5).min).toBeLessThanOrEqual(-4);
  });

  it("of places is as wide as the places", () => {
    expect(scaleOf([1, 4], false, false, 8).ticks).toEqual([1, 2, 3, 4]);
    expect(scaleOf([0.5, 1.5], false, false, 4).ticks).toEqual([0.5, 0.75, 1, 1.25, 1.5]);
    expect(scaleOf([1, 8], false, false, 8)).toEqual({ min: 1, max: 8, ticks: [1, 2, 3, 4, 5, 6, 7, 8] });
  });

  it("of one place has it in the middle, of no place is drawn nevertheless", () => {
    const { min, max } = scaleOf([4], false, false, 8);
    expect((min + max) / 2).toBe(4);
    expect(max).toBeGreaterThan(min);
    expect(scaleOf([0], false, true, 5).ticks.length).toBeGreaterThan(1);
    const empty = scaleOf([], false, true, 5);
    expect(empty.max).toBeGreaterThan(empty.min);
  });

  it("that is logarithmic has ticks of equal ratios", () => {
    const { min, max, ticks } = scaleOf([0.2, 80], true, true, 5);
    expect([min, max]).toEqual([0.1, 100]);
    expect(ticks).toEqual([0.1, 1, 10, 100]);
  });
});

it("leaves out what a logarithmic axis has no place for", () => {
  const log = { ...chart(), y: { title: "wait", unit: "ms", logarithmic: true } };
  expect(pointsOf({ x: [0, 1, 2], y: [3, 0, 5] }, log)).toEqual([
    { x: 0, y: 3 },
    { x: 2, y: 5 },
  ]);
  expect(pointsOf({ x: [0, 1], y: [3, 0] }, chart())).toHaveLength(2);
});

it("has another pair of colour and mark for each of 36 lines", () => {
  const pairs = Array.from({ length: 36 }, (_, slot) => `${SERIES[slot % SERIES.length]} ${markOf(slot)[0]}`);
  expect(new Set(pairs).size).toBe(36);
});

it("visits every place once, in order", () => {
  expect(placesOf([line("a", [1, 4], [1, 1]), line("b", [2, 4], [1, 1])])).toEqual([1, 2, 4]);
  expect(nearest([1, 2, 4], 3.2)).toBe(4);
  expect(nearest([], 3)).toBeUndefined();
});

it("has a value only where there is one, but a step holds until the next", () => {
  const x = [1, 4, 6];
  expect(valuesAt(line("a", x, [10, 20, 30]), 3)).toEqual([]);
  expect(valuesAt(line("a", x, [10, 20, 30], "steps"), 3)).toEqual([10]);
  expect(valuesAt(line("a", x, [10, 20, 30], "steps"), 0)).toEqual([]);
  expect(valuesAt(line("a", x, [10, 20, 30], "steps"), 7)).toEqual([]);
  expect(valuesAt(line("a", [2, 2, 3], [5, 7, 9], "points"), 2)).toEqual([5, 7]);
});

it("says what is at a place", () => {
  const shown = chart(line("auction", [1, 2], [12.34, 20]), line("bank", [2, 2], [3, 4], "points"));
  expect(sentenceAt(shown, 1)).toBe("connections 1: auction 12.3 ms");
  expect(sentenceAt(shown, 2)).toBe("connections 2: auction 20 ms, bank 3 to 4 ms");
});

it("lists its values by place, of many evenly picked ones", () => {
  const shown = chart(line("auction", [1, 2], [1234.5, 20]), line("bank", [2], [3]));
  expect(rowsOf(shown)).toEqual({
    rows: [
      { x: 1, values: ["1,235", "–"] },
      { x: 2, values: ["20", "3"] },
    ],
    of: 2,
  });
  const places = Array.from({ length: 1000 }, (_, i) => i);
  const { rows, of } = rowsOf(chart(line("a", places, places)), 100);
  expect([rows.length, of, rows.at(-1)?.x]).toEqual([100, 1000, 990]);
});

it("marks every value of a short line, some of a long one, and others of the next", () => {
  const marks = (length: number, style: XyLine["style"], slot: number) => {
    const x = Array.from({ length }, (_, i) => i);
    return x.filter((i) => isMarked({ style, x, slot }, i));
  };
  expect(marks(5, "line", 0)).toHaveLength(5);
  expect(marks(500, "points", 0)).toHaveLength(500);
  expect(marks(5, "dashed", 0)).toHaveLength(0);
  const [first, second] = [marks(60, "steps", 0), marks(60, "steps", 1)];
  expect([first.length, second.length]).toEqual([6, 6]);
  expect(first.some((i) => second.includes(i))).toBe(false);
  expect(marks(6, "steps", 0)).toEqual([0, 2, 4]);
  expect(marks(6, "steps", 1)).toEqual([1, 3, 5]);
});
