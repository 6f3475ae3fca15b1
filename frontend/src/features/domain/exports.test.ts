import { describe, expect, it } from "vitest";
import { csvOf, fileName, type Incident, jsonOf, markdownOf } from "./exports";

const NONE = { floor: [], ceiling: [], p50Ms: [], p95Ms: [], meanMs: [], waitP99Ms: [], perSecond: [] };
const total = {
  from: "2026-11-23T11:00:00Z",
  to: "2026-11-23T11:15:00Z",
  measuredMs: 900_000,
  requests: 12_345,
  errors: 2,
  refused: 0,
  arrivals: 4_115,
  inUse: 1,
  waiting: 0,
  meanMs: 4,
  minMs: 1,
  p50Ms: 3,
  p95Ms: 9,
  p99Ms: 20,
  maxMs: 80,
  waitP50Ms: 0,
  waitP99Ms: null,
  waitMaxMs: null,
  perSecond: 13.7,
};

describe("the rows of a range", () => {
  const history = {
    stepMs: 1000,
    time: ["2026-11-23T11:00:01Z", "2026-11-23T11:00:02Z"],
    columns: { inUse: [1.5, null], size: [4, 0], ...NONE },
    markers: [],
    total,
  };

  it("are written as CSV, with nothing where nothing was measured", () => {
    const { inUse, size } = history.columns;
    expect(csvOf({ time: history.time, columns: { inUse, size } as never })).toBe(
      "time,inUse,size\r\n2026-11-23T11:00:01Z,1.5,4\r\n2026-11-23T11:00:02Z,,0\r\n",
    );
  });

  it("are written as JSON, with the domain", () => {
    expect(JSON.parse(jsonOf("bank", history as never))).toEqual({ domain: "bank", ...history });
  });

  it("go into a file that names the domain and the times", () => {
    expect(fileName("bank", total, "csv")).toBe("bank-2026-11-23T11-00-00Z-2026-11-23T11-15-00Z.csv");
    expect(fileName("bank", total, "png", "latency")).toMatch(/^bank-latency-2026.*\.png$/);
  });
});

describe("the incident in Markdown", () => {
  const caller = {
    kind: "wire",
    holder: "",
    user: "app",
    application: "report",
    address: "10.0.4.7",
    transaction: "",
    thread: "",
  };
  const cap = (y: number) => ({ y, name: "cap (mean)", label: `cap ${y} ms (mean)`, statistic: "mean" });
  const incident: Incident = {
    domain: "bank",
    link: "https://headgate.example/domains/bank?from=a&to=b",
    total,
    rows: { stepMs: 60_000, time: [], columns: {} as Incident["rows"]["columns"] },
    markers: [{ time: "2026-11-23T11:05:00Z", revision: 8, actor: "admin" }],
    ofDatabase: [
      { time: Date.UTC(2026, 10, 23, 11, 4), said: "rev 3 of main by anna" },
      { time: Date.UTC(2026, 10, 23, 11, 15), said: "rev 4 of main by anna" },
    ],
    annotations: [],
    alarms: [
      {
        since: "2026-11-23T11:02:00Z",
        cleared: null,
        code: "at-ceiling",
        severity: "warning",
        message: "bank | <held>\nat its cap",
        detail: "",
        times: 3,
        acknowledged: { actor: "anna", time: "2026-11-23T11:06:00Z", reason: "known" },
      },
    ],
    caps: [
      { from: Date.UTC(2026, 10, 20), to: Date.UTC(2026, 10, 23, 11, 5), ...cap(25) },
      { from: Date.UTC(2026, 10, 23, 11, 5), to: Number.MAX_SAFE_INTEGER, ...cap(20) },
    ],
    refusals: [
      { why: "timed out", count: 40, first: "2026-11-23T11:03:30Z", last: "2026-11-23T11:09:00Z" },
      { why: "failed", count: 1, first: "2026-11-23T11:20:00Z", last: "2026-11-23T11:20:00Z" },
    ].map((each) => ({ ...each, reason: "The pool is full.", policy: null, caller })) as Incident["refusals"],
    decisions: [
      { time: "2026-11-23T11:04:00Z", kind: "refused", message: "second", count: 40 },
      { time: "2026-11-23T11:03:00Z", kind: "grew", message: "first", count: 1 },
    ],
  };

  it("tells range, figures, what happened and where to look", () => {
    expect(markdownOf(incident)).toBe(`# bank, 2026-11-23 11:00:00 to 11:15:00 UTC

[The charts of this range](https://headgate.example/domains/bank?from=a&to=b)

| figure | value |
| --- | --- |
| measured | 15 min |
| statements | 12,345 |
| errors | 2 |
| lease requests | 4,115 |
| refused | 0 |
| latency mean | 4 ms |
| latency p50, p95, p99 | 3 ms, 9 ms, 20 ms |
| latency max | 80 ms |
| wait p99, max | –, – |

## Alarms

- 2026-11-23 11:02:00 **at ceiling** (warning, not cleared, 3 times, acknowledged by anna at 2026-11-23 11:06:00: “known”): bank \\| \\<held\\> at its cap

## Turned away in the last ten minutes

- 2026-11-23 11:03:30 **timed out** (40 times until 2026-11-23 11:09:00): report (app from 10.0.4.7). The pool is full.

## Latency caps in force

- 2026-11-20 00:00:00 cap 25 ms (mean) until 2026-11-23 11:05:00
- 2026-11-23 11:05:00 cap 20 ms (mean)

## Policy revisions

- 2026-11-23 11:04:00 rev 3 of main by anna
- 2026-11-23 11:05:00 rev 8 by admin

## Decisions

- 2026-11-23 11:03:00 **grew**: first
- 2026-11-23 11:04:00 **refused** (40 times): second
`);
  });

  it("has the charts after the figures", () => {
    const time = ["2026-11-23T11:01:00Z", "2026-11-23T11:15:00Z"];
    const none = {
      ...NONE,
      size: [],
      waiting: [],
      errorsPerSecond: [],
      refusedPerSecond: [],
      leasesPerSecond: [],
      p99Ms: [],
    };
    const written = markdownOf({
      ...incident,
      rows: { stepMs: 60_000, time, columns: { ...none, inUse: [], meanMs: [14, 35] } },
    });
    expect(written).toMatch(/\| wait p99, max \| –, – \|\n\n## Charts\n\nEach character is 1 min: /);
    expect(written).toContain(
      "| latency mean | `▄·············█` | 35 ms | 14 ms | 35 ms | 35 ms |\n| cap (mean) | `▆▆▆▆▆▅▅▅▅▅▅▅▅▅▅` |",
    );
  });

  it("says that there may be more than the newest", () => {
    const time = "2026-11-23T11:04:00Z";
    const decision = { time, kind: "refused", message: "again", count: 1 } as const;
    const note = { time, kind: "note", text: "", author: "admin" } as const;
    const hundred = <T>(each: T) => Array.from({ length: 100 }, () => each);
    const alarms = incident.alarms.flatMap(hundred);
    const written = markdownOf({ ...incident, alarms, annotations: hundred(note), decisions: hundred(decision) });
    for (const what of ["alarms", "annotations", "decisions"]) expect(written).toContain(`## The newest 100 ${what}`);
  });
});
