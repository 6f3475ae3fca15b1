import { describe, expect, it, vi } from "vitest";
import { alone, decimate, type Keep, measureOf } from "./decimate";
import { RingBuffer } from "./ringBuffer";
import { logAxis, niceStep, steadyAxis, timeTicks } from "./timeAxis";

const ring = (rows: readonly (readonly [number, number | null])[], capacity = 1000) => {
  const buffer = new RingBuffer(["v"] as const, capacity);
  for (const [time, v] of rows) buffer.push(time, { v });
  return buffer;
};
const points = (buffer: RingBuffer<"v">, from: number, to: number, buckets: number, keep: Keep) =>
  decimate(buffer, measureOf(buffer, { column: "v", keep }), from, to, buckets);

describe("ring buffer", () => {
  it("keeps the newest rows and forgets the oldest", () => {
    const buffer = ring(
      [1, 2, 3, 4, 5].map((n) => [n, n * 10] as const),
      3,
    );
    expect(buffer.length).toBe(3);
    expect([0, 1, 2].map((row) => [buffer.time(row), buffer.value("v", row)])).toEqual([
      [3, 30],
      [4, 40],
      [5, 50],
    ]);
  });

  it("refuses a row that is not newer than the last", () => {
    const buffer = ring([[5, 1]]);
    expect(buffer.push(5, { v: 2 })).toBe(false);
    expect(buffer.push(4, { v: 2 })).toBe(false);
    expect(buffer.push(Number.NaN, { v: 2 })).toBe(false);
    expect(buffer.length).toBe(1);
  });

  it("finds times by search, also after it has wrapped", () => {
    const buffer = ring(
      [1, 2, 3, 4, 5, 6, 7].map((n) => [n * 10, n] as const),
      4,
    );
    expect([0, 40, 41, 70, 71].map((t) => buffer.indexAt(t))).toEqual([0, 0, 1, 3, 4]);
  });

  it("gives way to better data for a span", () => {
    const buffer = ring([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    buffer.truncateFrom(2);
    buffer.push(2, { v: 20 });
    expect(buffer.length).toBe(2);
    expect(buffer.value("v", 1)).toBe(20);
  });

  it("says NaN for what was not measured", () => {
    expect(ring([[1, null]]).value("v", 0)).toBeNaN();
  });

  it("agrees with a plain array over a long seeded run", () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 48271) % 2147483647;
      return seed / 2147483647;
    };
    const buffer = new RingBuffer(["v"] as const, 17);
    let model: [number, number][] = [];
    let time = 0;
    for (let i = 0; i < 5_000; i++) {
      if (random() < 0.02) {
        const at = time - random() * 20;
        buffer.truncateFrom(at);
        model = model.filter(([t]) => t < at);
      } else {
        time += random() * 3 - 0.3;
        if (buffer.push(time, { v: i })) model = [...model, [time, i] as [number, number]].slice(-17);
        else time = Math.max(time, buffer.lastTime);
      }
      expect(buffer.length).toBe(model.length);
      const probe = time - random() * 30;
      const expected = model.findIndex(([t]) => t >= probe);
      expect(buffer.indexAt(probe)).toBe(expected < 0 ? model.length : expected);
    }
  });
});

describe("decimation", () => {
  const many = ring(Array.from({ length: 900 }, (_, i) => [i * 100, i === 421 ? 999 : i % 7] as const));

  it("never loses the greatest", () => {
    const kept = points(many, 0, 90_000, 60, "max");
    expect(kept.length).toBeLessThanOrEqual(63);
    expect(kept).toContainEqual({ x: 42_100, y: 999 });
  });

  it("leaves few points as they are, without the unmeasured ones", () => {
    expect(
      points(
        ring([
          [0, 1],
          [10, null],
          [20, 3],
        ]),
        0,
        20,
        100,
        "max",
      ),
    ).toEqual([
      { x: 0, y: 1 },
      { x: 20, y: 3 },
    ]);
  });

  it("keeps the last for limits and the mean for rates", () => {
    const buffer = ring([
      [0, 1],
      [1, 2],
      [2, 6],
      [10, 5],
      [11, 7],
    ]);
    expect(points(buffer, 0, 20, 2, "last")).toEqual([
      { x: 2, y: 6 },
      { x: 11, y: 7 },
    ]);
    expect(points(buffer, 0, 20, 2, "mean").map((p) => p.y)).toEqual([3, 6]);
  });

  it("keeps the mean of all requests where each row is a mean: it counts by how many it is of", () => {
    const buffer = new RingBuffer(["mean", "count"] as const, 10);
    for (const [time, mean, count] of [
      [0, 40, 1],
      [1, null, 0],
      [2, 10, 299],
      [10, 7, null],
      [11, 9, 0],
    ] as const)
      buffer.push(time, { mean, count });
    const line = { column: "mean", keep: "mean", weight: "count" } as const;
    const drawn = decimate(buffer, measureOf(buffer, line), 0, 30, 3);
    expect(drawn).toEqual([
      { x: 0, y: 10.1 },
      { x: 10, y: 8 },
    ]);
  });

  it("does not flicker when the chart scrolls: buckets are fixed in time", () => {
    const first = points(many, 1_000, 81_000, 80, "max");
    const later = points(many, 1_300, 81_300, 80, "max");
    const inside = (p: { x: number }) => p.x > 3_000 && p.x < 78_000;
    expect(later.filter(inside)).toEqual(first.filter(inside));
  });

  it("reaches one row beyond each edge, and answers an empty span with nothing", () => {
    expect(
      points(
        ring([
          [0, 1],
          [10, 2],
          [20, 3],
          [30, 4],
        ]),
        5,
        15,
        100,
        "max",
      ).map((p) => p.x),
    ).toEqual([0, 10, 20]);
    expect(points(ring([]), 0, 10, 10, "max")).toEqual([]);
    expect(points(many, 10, 10, 10, "max")).toEqual([]);
  });
});

describe("axes", () => {
  it("puts ticks on round times, as many as fit", () => {
    const from = Date.UTC(2026, 10, 21, 12, 0, 3);
    expect(timeTicks(from, from + 300_000, 400, "utc").map((t) => t.label)).toEqual([
      "12:01",
      "12:02",
      "12:03",
      "12:04",
      "12:05",
    ]);
    expect(timeTicks(from, from + 60_000, 300, "utc")[0]?.label).toBe("12:00:15");
    expect(timeTicks(from, from, 300, "utc")).toEqual([]);
    expect(timeTicks(from, from + 120_000, 240, "utc").map((t) => t.label)).toEqual([
      "12:00:40",
      "12:01:20",
      "12:02:00",
    ]);
  });

  it("tells the date where a day begins, and of long spans only dates", () => {
    const from = Date.UTC(2026, 10, 21, 10);
    const labels = (days: number, width = 400) =>
      timeTicks(from, from + days * 86_400_000, width, "utc").map((t) => t.label);
    expect(labels(1)).toEqual(["12:00", "18:00", "11-22", "06:00"]);
    expect(labels(7)).toEqual(["11-23", "11-25", "11-27"]);
    expect(labels(400).length).toBeLessThanOrEqual(9);
    expect(timeTicks(from, from + 3_600_000 * 12, 400, "local").length).toBeGreaterThan(2);
  });

  /** New York puts its clocks forward on 2026-03-08 at 07:00 UTC, and back on 2026-11-01 at 06:00 UTC. */
  it("keeps to round times of a clock that is put forward or back within the range", () => {
    vi.stubEnv("TZ", "America/New_York");
    expect(new Date(Date.UTC(2026, 10, 1)).getTimezoneOffset()).toBe(240);
    const ticks = (from: number, hours: number, width: number) =>
      timeTicks(from, from + hours * 3_600_000, width, "local");
    const month = ticks(Date.UTC(2026, 9, 31, 4, 30), 30 * 24, 600);
    expect(month.map((t) => t.label)).toEqual(["11-03", "11-08", "11-13", "11-18", "11-23", "11-28"]);
    const autumn = ticks(Date.UTC(2026, 10, 1, 4, 30), 24, 420);
    expect(autumn.map((t) => t.label)).toEqual(["06:00", "12:00", "18:00"]);
    const spring = ticks(Date.UTC(2026, 2, 8, 4, 30), 12, 420);
    expect(spring.map((t) => t.label)).toEqual(["03-08", "03:00", "06:00", "09:00", "12:00"]);
    expect(spring.map((t) => t.value)).toEqual([5, 7, 10, 13, 16].map((hour) => Date.UTC(2026, 2, 8, hour)));
    const two = ticks(Date.UTC(2026, 2, 8, 4, 30), 6, 300); // at 02:00 the clock shows 03:00
    expect(two.map((t) => t.label)).toEqual(["03-08", "04:00", "06:00"]);
    vi.unstubAllEnvs();
  });

  it("takes calm steps", () => {
    expect([7, 18, 41, 180, 0.4].map((max) => niceStep(max, 3))).toEqual([2.5, 10, 20, 100, 0.2]);
    expect(niceStep(2, 3, true)).toBe(1);
  });

  it("has powers of ten on a long log axis, and steps between them on a short one", () => {
    expect(logAxis(undefined, 0.23, 700)).toEqual({ min: 0.1, max: 1000, ticks: [0.1, 1, 10, 100, 1000] });
    expect(logAxis(undefined, 1, 40)).toEqual({ min: 1, max: 50, ticks: [1, 2, 5, 10, 20, 50] });
    expect(logAxis(undefined, 3, 3)).toEqual({ min: 1, max: 5, ticks: [1, 2, 5] });
  });

  it("keeps a log axis calm, and without values has one nevertheless", () => {
    const shown = logAxis(undefined, 0.23, 700);
    expect(logAxis(shown, 2, 100)).toBe(shown);
    expect(logAxis(shown, 0.09, 700).min).toBe(0.01);
    expect(logAxis(shown, 0.2, 1100).max).toBe(2000);
    expect(logAxis(shown, 3, 20)).not.toBe(shown);
    expect(logAxis(shown, Number.POSITIVE_INFINITY, 0)).toBe(shown);
    expect(logAxis(undefined, Number.POSITIVE_INFINITY, 0).min).toBe(1);
  });

  it("grows at once and shrinks only when the data has halved", () => {
    const shown = steadyAxis(undefined, 41, 3);
    expect(shown).toEqual({ max: 60, step: 20 });
    expect(steadyAxis(shown, 35, 3)).toBe(shown);
    expect(steadyAxis(shown, 90, 3).max).toBeGreaterThanOrEqual(90);
    expect(steadyAxis(shown, 10, 3).max).toBeLessThan(60);
    expect(steadyAxis(undefined, Number.NaN, 3, 4, true)).toEqual({ max: 4, step: 2 });
  });

  it("ends at the whole of a share, however close to it the values are", () => {
    for (const share of [0, 0.5, 0.95, 1])
      expect(steadyAxis(undefined, share, 2, 1, false, 1)).toEqual({ max: 1, step: 0.5 });
  });
});

describe("low traffic", () => {
  it("gives a dot to each measurement that no line leads to", () => {
    const at = (...times: number[]) => times.map((x) => ({ x }));
    expect(alone(at(1_000), 2_500)).toEqual(at(1_000));
    expect(alone(at(1_000, 2_000, 9_000, 20_000, 21_000), 2_500)).toEqual(at(9_000));
    expect(alone([], 2_500)).toEqual([]);
  });
});
