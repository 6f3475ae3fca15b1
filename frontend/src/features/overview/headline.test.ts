import { describe, expect, it } from "vitest";
import type { Health } from "@/api/types";
import { budgetParts } from "./budgetParts";
import { headline } from "./headline";

const NOW = Date.UTC(2026, 10, 21, 12, 3, 7);
const health = (sentence: string, secondsAgo: number | null = null, more: Partial<Health> = {}): Health => ({
  code: "at-ceiling",
  label: "at cap",
  severity: "warning",
  sentence,
  since: secondsAgo === null ? (null as never) : new Date(NOW - secondsAgo * 1000).toISOString(),
  until: null as never,
  reach: "domain",
  ...more,
});
const fine = (domain: string) => health(`${domain} is fine`, null, { code: "fine", label: "fine", severity: "fine" });
const pool = (domain: string, its: Health = fine(domain)) => ({ domain, database: "main", health: its });
const main = {
  name: "main",
  health: health("main is fine", null, { code: "fine", severity: "fine", reach: "database" }),
};
const away = (name: string, more: Partial<Health> = {}) => ({
  name,
  health: health(`${name} has been unreachable`, 60, {
    code: "unreachable",
    severity: "critical",
    reach: "database",
    ...more,
  }),
});
const capped = health("bank has been held at its latency cap", 134);
const paused = health("gallery has been paused", 2000, { code: "paused", severity: "notice" });

describe("headline", () => {
  it("is calm when all is well", () => {
    const three = [pool("auction"), pool("bank"), pool("gallery")];
    expect(headline(three, [main], NOW)).toEqual({ tone: "calm", text: "All three domains are fine", aside: "" });
    expect(headline([pool("bank")], [main], NOW).text).toBe("bank is fine");
    expect(headline([], [main], NOW).text).toBe("There are no domains yet");
  });

  it("names the domain, what is wrong and since when, in the service's words", () => {
    expect(headline([pool("auction"), pool("bank", capped), pool("gallery")], [main], NOW)).toEqual({
      tone: "warn",
      text: "bank has been held at its latency cap for 2 min 14 s",
      aside: "the other two domains are fine",
    });
  });

  it("speaks of the critical before the older, and of paused last", () => {
    const degraded = health("auction has had a policy that fails", 5, { severity: "critical" });
    const pools = [pool("auction", degraded), pool("bank", capped), pool("gallery", paused), pool("blog")];
    expect(headline(pools, [main], NOW)).toEqual({
      tone: "bad",
      text: "auction has had a policy that fails for 5 s",
      aside: "bank needs a look too, gallery is paused, one is fine",
    });
    expect(headline([pool("blog"), pool("gallery", paused)], [main], NOW)).toEqual({
      tone: "calm",
      text: "gallery has been paused for 33 min 20 s",
      aside: "the other domain is fine",
    });
  });

  it("tells what is over as over, and calmly", () => {
    const until = new Date(NOW - 12_000).toISOString();
    const over = (domain: string) =>
      health(`${domain} was held at its latency cap`, 100, { label: "recovered", severity: "notice", until });
    expect(headline([pool("bank", over("bank")), pool("blog")], [main], NOW)).toEqual({
      tone: "calm",
      text: "bank was held at its latency cap until 12 s ago",
      aside: "the other domain is fine",
    });
    const pools = [pool("auction", capped), pool("bank", over("bank")), pool("gallery", paused), pool("blog")];
    expect(headline(pools, [main], NOW).aside).toBe("gallery is paused, bank has recovered, one is fine");
  });

  it("says once what many share, and whom it hits", () => {
    const gone = { ...away("main").health };
    expect(headline([pool("auction", gone), pool("bank", gone)], [away("main")], NOW)).toEqual({
      tone: "bad",
      text: "main has been unreachable for 1 min",
      aside: "this hits all domains",
    });
    expect(headline([pool("auction", gone), pool("bank", gone), pool("blog")], [away("main")], NOW).aside).toBe(
      "this hits auction and bank",
    );
  });

  it("does not name again whom the title names, and tells how the others are", () => {
    const convoy = health("auction and bank have stood still together", 2, { code: "convoy", reach: "service" });
    const pools = [pool("auction", convoy), pool("bank", convoy), pool("gallery", paused), pool("blog")];
    expect(headline(pools, [main], NOW).aside).toBe("gallery is paused, one is fine");
    expect(headline([pool("auction", convoy), pool("bank", convoy)], [main], NOW).aside).toBe("");
  });

  it("tells of a database in trouble that no domain shares, in the service's words", () => {
    expect(headline([pool("bank")], [away("main")], NOW)).toEqual({
      tone: "bad",
      text: "main has been unreachable for 1 min",
      aside: "bank is fine",
    });
    const unused = away("old", { severity: "warning" });
    expect(headline([pool("auction"), pool("bank"), pool("blog")], [main, unused], NOW)).toEqual({
      tone: "warn",
      text: "old has been unreachable for 1 min",
      aside: "no domain uses it, all three domains are fine",
    });
    expect(headline([], [unused], NOW)).toEqual({
      tone: "warn",
      text: "old has been unreachable for 1 min",
      aside: "no domain uses it",
    });
    const older = away("older", { severity: "warning", since: new Date(NOW - 90_000).toISOString() });
    expect(headline([pool("bank", capped), pool("blog")], [unused, older], NOW)).toEqual({
      tone: "warn",
      text: "bank has been held at its latency cap for 2 min 14 s",
      aside: "old and older need a look too, one is fine",
    });
  });

  it("is calm about a database that is back", () => {
    const back = away("main", { severity: "notice", until: new Date(NOW - 5_000).toISOString() });
    expect(headline([pool("bank")], [back], NOW)).toEqual({ tone: "calm", text: "bank is fine", aside: "" });
  });
});

describe("budget", () => {
  const database = { name: "main", budget: 40, open: 27 };
  const holder = (domain: string, size: number, lent = 0, guaranteed = 0, on = "main") => ({
    domain,
    database: on,
    size,
    lent,
    guaranteed,
  });

  it("cuts the budget into own, lent and free; the shares add up", () => {
    const parts = budgetParts(database, [
      holder("bank", 7),
      holder("auction", 14, 4),
      holder("gallery", 6),
      holder("other", 9, 0, 0, "elsewhere"),
    ]);
    expect(parts.map((p) => p.label)).toEqual(["auction 10", "+4 lent", "bank 7", "gallery 6", "13 free"]);
    expect(parts.reduce((sum, p) => sum + p.share, 0)).toBeCloseTo(1);
  });

  it("shows connections that close, and never more than the whole", () => {
    const parts = budgetParts({ ...database, open: 45 }, [holder("bank", 40)]);
    expect(parts.map((p) => p.label)).toEqual(["bank 40", "5 closing"]);
    expect(parts.reduce((sum, p) => sum + p.share, 0)).toBeCloseTo(1);
  });

  it("tells of each domain once what is open, guaranteed and lent", () => {
    const pools = [holder("auction", 14, 4, 8), holder("bank", 4, 4), holder("gallery", 6, 0, 2), holder("none", 0)];
    expect(budgetParts(database, pools).flatMap((part) => part.title ?? [])).toEqual([
      "auction: 14 open, 8 guaranteed, 4 lent to it",
      "bank: 4 open, 4 lent to it",
      "gallery: 6 open, 2 guaranteed",
      "3 opening or closing",
      "13 free",
    ]);
  });
});
