import { describe, expect, test } from "vitest";
import type { Overlay } from "./overlay";
import { RingBuffer } from "./ringBuffer";
import { STATISTICS } from "./statistics";
import { sentenceAt, sentenceOf, type Told, toldOf, valueRows } from "./values";

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

const SECOND = 1000;

/** What is told of all lines, or of some, as if a chart had nothing else. */
const told = (
  ring: ReturnType<typeof series>,
  lines: readonly (typeof LINES)[number][] = LINES,
  overlay: Overlay = {},
) => toldOf(lines, { series: ring, gapMs: 2_500 }, undefined, overlay);

const span = (until: number, spanMs = until) => ({ until, spanMs, now: until });

const ms = (value: number) => `${value} ms`;

describe("a chart's values", () => {
  test("each interval has what the chart keeps of it, the newest first", () => {
    const ring = series([
      [3, 10, 8],
      [9, 20, 6],
      [4, 30, 6],
      [5, 50, 7],
    ]);
    expect(valueRows(told(ring), span(4000), 2)).toEqual([
      { time: 4000, values: [5, 40, 7] },
      { time: 2000, values: [9, 15, 6] },
    ]);
  });

  test("the mean of an interval is that of all requests, not that of its seconds", () => {
    const ring = new RingBuffer(["meanMs", "perSecond"] as const, 10);
    ring.push(1_000, { meanMs: 40, perSecond: 1 });
    ring.push(2_000, { meanMs: 10, perSecond: 299 });
    const line = { ...STATISTICS.meanMs, label: "mean" };
    const mean = toldOf([line], { series: ring, gapMs: 2_500 }, undefined, {});
    expect(valueRows(mean, span(3_000), 1)).toEqual([{ time: 3_000, values: [10.1] }]);
  });

  test("an interval without a measurement has no row", () => {
    expect(valueRows(told(series([[3, 10, 8]])), span(4000), 4)).toEqual([{ time: 1000, values: [3, 10, 8] }]);
  });

  test("the sentence has each line's newest value and its bounds", () => {
    const ring = series([
      [3, 10, 8],
      [9, Number.NaN, 8],
      [4, Number.NaN, 8],
    ]);
    expect(sentenceOf(told(ring, LINES.slice(0, 1)), span(3000), ms)).toBe(
      "p99 4 ms now, single values from 3 ms to 9 ms.",
    );
    expect(sentenceOf(told(ring, LINES.slice(0, 1)), { ...span(3000), now: 60_000 }, ms)).toContain("4 ms at the end");
    expect(sentenceOf(told(ring, [LINES[2]]), span(3000), String)).toBe("ceiling 8 throughout.");
  });

  test("a line without a value says so", () => {
    expect(sentenceOf(told(series([]), [LINES[0]]), span(3000), ms)).toBe("p99 not measured.");
  });

  test("a time has the value that was measured nearest to it, unless it is far away", () => {
    const ring = series([
      [3, 10, 8],
      [9, 20, 6],
    ]);
    expect(sentenceAt(told(ring, LINES.slice(0, 1)), 400, ms)).toBe("p99 3 ms");
    expect(sentenceAt(told(ring, LINES.slice(0, 1)), 3_000, ms)).toBe("p99 9 ms");
    expect(sentenceAt(told(ring), 9_000, ms)).toBe("not measured");
  });
});

describe("what explains a chart's values", () => {
  const ring = series(Array.from({ length: 10 }, () => [3, 10, 8] as const));
  const cap = (from: number, to: number, y: number) => ({ from, to, y, name: "cap (mean)", label: "" });
  const p99 = LINES.slice(0, 1);

  test("has the cap that was in force then, step by step", () => {
    const caps = [cap(-50 * SECOND, 4 * SECOND, 30), cap(4 * SECOND, Number.MAX_SAFE_INTEGER, 20)];
    const both = told(ring, p99, { caps });
    expect(valueRows(both, span(10 * SECOND), 2)).toEqual([
      { time: 10 * SECOND, values: [3, 20] },
      { time: 5 * SECOND, values: [3, 20] },
    ]);
    expect(valueRows(both, span(10 * SECOND), 5).map(({ values }) => values[1])).toEqual([20, 20, 20, 30, 30]);
    expect(sentenceOf(both.slice(1), span(10 * SECOND), ms)).toBe("cap (mean) 30 ms, then 20 ms.");
    expect(sentenceAt(both, 3_900, ms)).toBe("p99 3 ms, cap (mean) 30 ms");
    expect(sentenceAt(both, 4_000, ms)).toBe("p99 3 ms, cap (mean) 20 ms");
  });

  test("says when no cap was in force, and has no row of a cap alone", () => {
    const both = told(series([]), p99, { caps: [cap(2 * SECOND, 4 * SECOND, 30)] });
    expect(sentenceOf(both, span(10 * SECOND), ms)).toBe("p99 not measured; cap (mean) none, then 30 ms, then none.");
    expect(valueRows(both, span(10 * SECOND))).toEqual([]);
  });

  test("has what is predicted, and many steps by their bounds", () => {
    const points = Array.from({ length: 6 }, (_, i) => ({ x: i * SECOND, y: 4 + i }));
    const traces = [
      { label: "predicted mean", color: "", points },
      { label: "shadow ceiling", end: "shadow 9", color: "", stepped: true, points },
    ];
    const [, predicted, shadow] = told(ring, p99, { traces });
    expect(valueRows([predicted as Told], span(10 * SECOND), 5)[0]).toEqual({ time: 6_000, values: [9] });
    expect(sentenceOf([shadow as Told], span(10 * SECOND), String)).toBe("shadow ceiling 9 now, from 4 to 9.");
  });

  test("has what a line adds, where it is drawn on top of others", () => {
    const [on] = toldOf([{ ...LINES[0], told: "ceiling" }], { series: ring, gapMs: 2_500 }, undefined, {});
    expect(valueRows([on as Told], span(10 * SECOND), 2)[0]?.values).toEqual([8]);
  });

  test("has the earlier range beside each line that it has", () => {
    const earlier = { series: series([[7, 20, 4]]), gapMs: 2_500, name: "a day before", shiftMs: 9 * SECOND };
    const lines = [LINES[0], { ...LINES[2], nowOnly: true }];
    const all = toldOf(lines, { series: ring, gapMs: 2_500 }, earlier, {});
    expect(all.map(({ label }) => label)).toEqual(["p99", "ceiling", "p99, a day before"]);
    expect(valueRows(all, span(10 * SECOND), 2)[0]?.values).toEqual([3, 8, 7]);
  });
});
