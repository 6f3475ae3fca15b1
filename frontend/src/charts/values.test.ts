import { describe, expect, test } from "vitest";
import { RingBuffer } from "./ringBuffer";
import { sentenceOf, valueRows } from "./values";

const LINES = [
  { column: "p99Ms", label: "p99", keep: "max" },
  { column: "perSecond", label: "done", keep: "mean" },
  { column: "ceiling", label: "ceiling", keep: "last" },
] as const;

function series(rows: readonly (readonly [number, number, number])[]) {
  const ring = new RingBuffer(["p99Ms", "perSecond", "ceiling"] as const, 100);
  for (const [i, [p99Ms, perSecond, ceiling]] of rows.entries()) ring.push(i * 1000, { p99Ms, perSecond, ceiling });
  return ring;
}

const ms = (value: number) => `${value} ms`;

describe("a chart's values", () => {
  test("each interval has what the chart keeps of it, the newest first", () => {
    const ring = series([
      [3, 10, 8],
      [9, 20, 6],
      [4, 30, 6],
      [5, 50, 7],
    ]);
    expect(valueRows(LINES, { series: ring, until: 4000, spanMs: 4000 }, 2)).toEqual([
      { time: 4000, values: [5, 40, 7] },
      { time: 2000, values: [9, 15, 6] },
    ]);
  });

  test("an interval without a measurement has no row", () => {
    const ring = series([[3, 10, 8]]);
    expect(valueRows(LINES, { series: ring, until: 4000, spanMs: 4000 }, 4)).toEqual([
      { time: 1000, values: [3, 10, 8] },
    ]);
  });

  test("the sentence has each line's newest value and its bounds", () => {
    const ring = series([
      [3, 10, 8],
      [9, Number.NaN, 8],
      [4, Number.NaN, 8],
    ]);
    expect(sentenceOf(LINES.slice(0, 1), { series: ring, until: 3000, spanMs: 3000 }, ms)).toBe(
      "p99 4 ms now, single values from 3 ms to 9 ms.",
    );
    expect(sentenceOf([LINES[2]], { series: ring, until: 3000, spanMs: 3000 }, String)).toBe("ceiling 8 throughout.");
  });

  test("a line without a value says so", () => {
    expect(sentenceOf([LINES[0]], { series: series([]), until: 3000, spanMs: 3000 }, ms)).toBe("p99 not measured.");
  });
});
