import { describe, expect, it } from "vitest";
import { type Cap, chartsSection, type Rows, sparkline } from "./sparklines";

const FROM = Date.UTC(2026, 10, 23, 11);
const MINUTE = 60_000;
const NAMES = [
  ...["meanMs", "p50Ms", "p95Ms", "p99Ms", "inUse", "size", "floor", "ceiling", "waiting"],
  ...["leasesPerSecond", "refusedPerSecond", "perSecond", "errorsPerSecond", "waitP99Ms"],
];

/** Rows of a second each, from 11:00:00. The columns that are not named are null. */
function seconds(count: number, columns: Partial<Record<string, (second: number) => number | null>>): Rows {
  const of = (name: string) => Array.from({ length: count }, (_, i) => columns[name]?.(i) ?? null);
  return {
    stepMs: 1_000,
    time: Array.from({ length: count }, (_, i) => new Date(FROM + (i + 1) * 1_000).toISOString()),
    columns: Object.fromEntries(NAMES.map((name) => [name, of(name)])) as Rows["columns"],
  };
}

const section = (rows: Rows, ms: number, caps: readonly Cap[] = []) => chartsSection(rows, caps, FROM, FROM + ms);

/** The cells of a series: its line, the top of its scale, least, greatest, last. */
function rowOf(lines: readonly string[], series: string): string[] {
  const found = lines.filter((line) => line.startsWith(`| ${series} |`));
  expect(found).toHaveLength(1);
  return (found[0] as string).replace(/ \|$/, "").split(" | ").slice(1);
}

describe("a line of characters", () => {
  it("goes from zero to the top, and draws nothing above zero as zero", () => {
    expect(sparkline([0, 0.01, 1, 4, 7, 100], 7)).toBe("▁▂▂▅██");
  });

  it("has a dot where nothing was measured", () => {
    expect(sparkline([7, Number.NaN, 7], 7)).toBe("█·█");
  });

  it("is flat where nothing changes: high, or at zero", () => {
    expect(sparkline([3, 3, 3], 3)).toBe("███");
    expect(sparkline([0, 0, 0], 0)).toBe("▁▁▁");
  });
});

describe("the charts of an incident", () => {
  it("have at most 60 characters, and tell when the first and the last begin", () => {
    const lines = section(seconds(900, { waiting: () => 2 }), 15 * MINUTE);
    expect(lines.join("\n")).toContain(
      "Each character is 15 s: the first begins at 2026-11-23 11:00:00, the last at 2026-11-23 11:14:45 UTC.",
    );
    expect(rowOf(lines, "requests waiting")).toEqual([`\`${"█".repeat(60)}\``, "2", "2", "2", "2"]);
  });

  it("show each row of a short range, the last one in its own character", () => {
    const lines = section(seconds(5, { waiting: (second) => second }), 5_000);
    expect(rowOf(lines, "requests waiting")).toEqual(["`▁▃▅▆█`", "4", "0", "4", "4"]);
  });

  it("keep a single second's spike of what hurts when it is high", () => {
    const spike = (calm: number, high: number) => (second: number) => (second === 451 ? high : calm);
    const hurt = { p99Ms: spike(10, 700), inUse: spike(1, 7), waiting: spike(0, 40), refusedPerSecond: spike(0, 9) };
    const lines = section(seconds(900, hurt), 15 * MINUTE);
    const alone = (low: string) => `\`${low.repeat(30)}█${low.repeat(29)}\``;
    expect(rowOf(lines, "latency p99")).toEqual([alone("▂"), "700 ms", "10 ms", "700 ms", "10 ms"]);
    expect(rowOf(lines, "connections in use")).toEqual([alone("▂"), "7", "1", "7", "1"]);
    expect(rowOf(lines, "requests waiting")).toEqual([alone("▁"), "40", "0", "40", "0"]);
    expect(rowOf(lines, "leases refused")).toEqual([alone("▁"), "9/s", "0/s", "9/s", "0/s"]);
  });

  it("have a dot for each time without a measurement, before, between and after", () => {
    const some = (second: number) => ([0, 2, 5].includes(second) ? null : 8);
    const lines = section(seconds(6, { p50Ms: some }), 6_000);
    expect(rowOf(lines, "latency p50")).toEqual(["`·█·██·`", "8 ms", "8 ms", "8 ms", "8 ms"]);
    expect(rowOf(lines, "statements done")).toEqual(["`······`", "–", "–", "–", "–"]);
    expect(rowOf(section(seconds(2, { waiting: () => 1 }), 4_000), "requests waiting")[0]).toBe("`██··`");
  });

  it("draw connections in use and open against the ceiling", () => {
    const lines = section(seconds(4, { inUse: () => 3, size: () => 6, floor: () => 0, ceiling: () => 12 }), 4_000);
    expect(rowOf(lines, "connections in use").slice(0, 2)).toEqual(["`▃▃▃▃`", "12"]);
    expect(rowOf(lines, "connections open").slice(0, 2)).toEqual(["`▅▅▅▅`", "12"]);
    expect(rowOf(lines, "ceiling").slice(0, 2)).toEqual(["`████`", "12"]);
  });

  it("draw a cap beneath the statistic that it is on, on one scale, while it was in force", () => {
    const cap = (from: number, to: number, y: number): Cap => {
      return { from: FROM + from, to: FROM + to, y, name: "cap (mean)", statistic: "mean" };
    };
    const caps = [cap(-MINUTE, 2_000, 40), cap(2_000, 3_000, 20)];
    const lines = section(seconds(4, { meanMs: () => 10, perSecond: () => 5 }), 4_000, caps);
    const at = lines.findIndex((line) => line.startsWith("| latency mean |"));
    expect(rowOf(lines, "latency mean")).toEqual(["`▃▃▃▃`", "40 ms", "10 ms", "10 ms", "10 ms"]);
    expect(lines[at + 1]).toBe("| cap (mean) | `██▅·` | 40 ms | 20 ms | 40 ms | 20 ms |");
  });

  it("keep the mean of all statements in the row above a cap on the mean, as the chart does", () => {
    const busy = (second: number) => second % 15 === 7;
    const columns = {
      meanMs: (second: number) => (busy(second) ? 10 : 90),
      perSecond: (second: number) => (busy(second) ? 1_000 : 1),
    };
    const cap: Cap = { from: FROM, to: FROM + 15 * MINUTE, y: 90, name: "cap (mean)", statistic: "mean" };
    const lines = section(seconds(900, columns), 15 * MINUTE, [cap]);
    expect(rowOf(lines, "latency mean")[0]).toBe(`\`${"▂".repeat(60)}\``);
    expect(rowOf(lines, "cap (mean)")[0]).toBe(`\`${"█".repeat(60)}\``);
  });

  it("have no mean that no cap is on, and no section of nothing", () => {
    expect(section(seconds(4, { meanMs: () => 10 }), 4_000).join()).not.toContain("mean |");
    expect(section(seconds(0, {}), 4_000)).toEqual([]);
  });
});
