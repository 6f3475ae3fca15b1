import { describe, expect, it } from "vitest";
import type { Alarm } from "@/api/types";
import { budgetParts } from "./budgetParts";
import { headline } from "./headline";

const NOW = Date.UTC(2026, 10, 21, 12, 3, 7);
const alarm = (code: string, secondsAgo: number, severity: Alarm["severity"] = "warning"): Alarm => ({
  code,
  message: code,
  since: new Date(NOW - secondsAgo * 1000).toISOString(),
  severity,
  reach: "domain",
  times: 1,
  clearing: null,
});
const pool = (domain: string, alarms: ReturnType<typeof alarm>[] = [], policy = "latency-cap") => ({
  domain,
  database: "main",
  ceiling: 7,
  binding: { policy, reason: "" },
  alarms,
});
const main = { name: "main", reachable: true, unreachableReason: null };
const three = (...bank: ReturnType<typeof alarm>[]) => [pool("auction"), pool("bank", bank), pool("gallery")];

describe("headline", () => {
  it("is calm when all is well", () => {
    expect(headline(three(), [main], NOW)).toEqual({ tone: "calm", text: "All three domains are fine", aside: "" });
    expect(headline([pool("bank")], [main], NOW).text).toBe("bank is fine");
    expect(headline([], [main], NOW).text).toBe("There are no domains yet");
  });

  it("names the domain, what is wrong and since when", () => {
    expect(headline(three(alarm("at-ceiling", 134)), [main], NOW)).toEqual({
      tone: "warn",
      text: "bank has been held at its latency cap for 2 min 14 s",
      aside: "the other two domains are fine",
    });
    expect(headline([pool("bank", [alarm("at-ceiling", 5)], "min-max")], [main], NOW).text).toBe(
      "bank has been held at its ceiling of 7 by min-max for 5 s",
    );
    expect(headline([pool("bank", [alarm("at-ceiling", 5)], "database/min-max")], [main], NOW).text).toBe(
      "bank has been held at its ceiling of 7 by min-max of main for 5 s",
    );
    expect(headline([pool("bank", [alarm("at-ceiling", 5)], "database/latency-cap")], [main], NOW).text).toBe(
      "bank has been held at the latency cap of main for 5 s",
    );
    expect(headline([pool("bank", [alarm("no-answer", 5)], "min-max")], [main], NOW).text).toBe(
      "bank has had no answer from main for 5 s",
    );
  });

  it("speaks of the critical before the older, and of paused last", () => {
    const pools = [
      pool("auction", [alarm("at-ceiling", 900)]),
      pool("bank", [alarm("degraded", 5, "critical")]),
      pool("gallery", [alarm("paused", 2000)]),
    ];
    expect(headline(pools, [main], NOW)).toMatchObject({
      tone: "bad",
      text: "bank has been running on its last good limits for 5 s",
      aside: "auction and gallery need a look too",
    });
    expect(headline([pools[0] as never, pools[2] as never], [main], NOW).text).toContain("auction");
  });

  it("says first when a database is away, and whom that hits", () => {
    const away = { ...main, reachable: false };
    expect(headline(three(alarm("unreachable", 60, "critical")), [away], NOW)).toEqual({
      tone: "bad",
      text: "main has been unreachable for 1 min",
      aside: "three domains are without connections",
    });
  });

  it("does not call a domain fine that drains and refuses its callers", () => {
    expect(headline(three(alarm("draining", 61)), [main], NOW)).toMatchObject({
      tone: "warn",
      text: "bank has been draining and refusing requests for 1 min 1 s",
      aside: "the other two domains are fine",
    });
  });

  it("has words for an alarm it does not know", () => {
    expect(headline(three(alarm("moon-phase", 60)), [main], NOW).text).toBe(
      "bank has had the alarm “moon-phase” for 1 min",
    );
  });
});

describe("budget", () => {
  const database = { name: "main", budget: 40, open: 27 };
  const holder = (domain: string, size: number, lent = 0, on = "main") => ({ domain, database: on, size, lent });

  it("cuts the budget into own, lent and free; the shares add up", () => {
    const parts = budgetParts(database, [
      holder("bank", 7),
      holder("auction", 14, 4),
      holder("gallery", 6),
      holder("other", 9, 0, "elsewhere"),
    ]);
    expect(parts.map((p) => p.label)).toEqual(["auction 10", "+4 lent", "bank 7", "gallery 6", "13 free"]);
    expect(parts.reduce((sum, p) => sum + p.share, 0)).toBeCloseTo(1);
  });

  it("shows connections that close, and never more than the whole", () => {
    const parts = budgetParts({ ...database, open: 45 }, [holder("bank", 40)]);
    expect(parts.map((p) => p.label)).toEqual(["bank 40", "5 closing"]);
    expect(parts.reduce((sum, p) => sum + p.share, 0)).toBeCloseTo(1);
  });
});
