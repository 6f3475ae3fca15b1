import { expect, it } from "vitest";
import type { Answer, PolicySet } from "@/api/types";
import { questionBeforeSearch, questionBeforeSet } from "./questions";

const bank = { kind: "domain", name: "bank" } as const;
const main = { kind: "database", name: "main" } as const;
const set = (mode: "queue" | "fail" | "reject" = "queue", timeoutMs = 5000, depth = 1000) => ({
  policies: [],
  whenExhausted: { mode, timeoutMs, depth },
});
const current = { revision: 8, policySet: set() };
const pool = { domain: "bank", inUse: 7, waiting: 3, arrivalsPerSecond: 44.6 };
const limits = (ceiling: number, ratePerSecond: number | null = null) => ({
  floor: 0,
  ceiling,
  answers: [{ policy: "rate-limit", ratePerSecond } as Answer],
});
const plan = (ceiling: number, rate?: number, before?: number) => ({
  now: limits(20, before),
  planned: limits(ceiling, rate),
});

it("asks before a set of one domain if it closes connections in use", () => {
  expect(questionBeforeSet(bank, { set: set(), plan: plan(7) }, current, [pool])).toBeNull();
  expect(questionBeforeSet(bank, { set: set(), plan: plan(5) }, current, [pool])).toMatchObject({
    title: "Apply rev 9 to bank?",
    lines: [
      "It decides for bank from the next step on, as rev 9.",
      "7 connections are in use, and the ceiling becomes 5: 2 close when released. No work is cut.",
    ],
    undo: "Restoring rev 8 takes it back.",
  });
});

/** What is said of requests before `next` replaces `before`; null if nothing is asked. */
const refusals = (next: PolicySet, before: PolicySet = set(), waiting = 3) =>
  questionBeforeSet(bank, { set: next, plan: plan(20) }, { revision: 8, policySet: before }, [
    { ...pool, waiting },
  ])?.lines.slice(2) ?? null;
const ARRIVING = "45 requests arrive a second.";

it("asks before a set refuses or fails requests that waited, also while none waits", () => {
  expect(refusals(set("fail"))).toEqual([
    "A request that finds no free connection fails at once.",
    "3 requests wait and are refused.",
    ARRIVING,
  ]);
  expect(refusals(set("reject"), set(), 0)).toEqual([
    "A request that finds no free connection is refused before any work is done.",
    ARRIVING,
  ]);
  expect(refusals(set("reject"), set("fail"), 0)).toHaveLength(2);
  expect(refusals(set("fail"), set("fail"))).toBeNull();
  expect(refusals(set("fail"), set("reject"))).toBeNull();
  expect(refusals(set("queue", 1), set("fail"))).toBeNull();
});

it("asks before a set lets fewer requests wait, or for a shorter time", () => {
  expect(refusals(set("queue", 1000))).toEqual(["A request waits for at most 1 s, not 5 s; then it fails.", ARRIVING]);
  expect(refusals(set("queue", 5000, 2))).toEqual([
    "At most 2 requests wait, not 1,000. Others are refused.",
    ARRIVING,
  ]);
  expect(refusals(set("queue", 6000, 2000))).toBeNull();
  expect(refusals({ policies: [] }), "the service's defaults").toBeNull();
  expect(refusals({ policies: [] }, set("queue", 9000))).toHaveLength(2);
  expect(
    questionBeforeSet(main, { set: set(), plan: undefined }, { revision: 8, policySet: { policies: [] } }, [])?.lines,
  ).toContain("A request waits for at most 5 s; then it fails.");
});

it("asks before a rate limit that is new, or that falls below what arrives", () => {
  const rates = (rate?: number, before?: number) =>
    questionBeforeSet(bank, { set: set(), plan: plan(20, rate, before) }, current, [pool])?.lines.slice(2) ?? null;
  expect(rates(50)).toEqual([
    "At most 50 requests a second get a connection. What comes faster waits, or is refused.",
    ARRIVING,
  ]);
  expect(rates(20, 50)?.[0]).toMatch(/^At most 20 requests a second get a connection, not 50\./);
  expect(rates(60, 90)).toBeNull();
  expect(rates(20, 20)).toBeNull();
  expect(rates(undefined, 20)).toBeNull();
});

it("asks before a set of a whole database, and before a revision is restored", () => {
  const pools = [pool, { domain: "shop", inUse: 1, waiting: 0 }];
  expect(questionBeforeSet(main, { set: set(), plan: plan(20) }, current, pools)?.lines).toEqual([
    "It decides for every domain on main (bank, shop) from the next step on, as rev 9.",
    "8 connections are in use. No work is cut.",
  ]);
  expect(questionBeforeSet(bank, { set: set(), plan: plan(9), restores: 3 }, current, [pool])).toBeNull();
  const chosen = { set: set(), plan: plan(9), restores: 3, always: true };
  expect(questionBeforeSet(bank, chosen, current, [pool])).toMatchObject({
    title: "Restore rev 3 of bank?",
    action: "Restore as rev 9",
  });
});

it("asks where it does not know the plan or the pools, and invents no figures", () => {
  expect(questionBeforeSet(bank, { set: set(), plan: plan(20) }, current, undefined)?.lines).toEqual([
    "It decides for bank from the next step on, as rev 9.",
    "How many connections and requests this concerns is not known: the live stream has not told.",
  ]);
  expect(questionBeforeSet(bank, { set: set(), plan: undefined }, current, [pool])?.lines[1]).toBe(
    "The service makes no plan: which limits it sets is not known.",
  );
  expect(questionBeforeSet(main, { set: set(), plan: plan(20) }, current, undefined)?.lines[0]).toBe(
    "It decides for every domain on main from the next step on, as rev 9.",
  );
  expect(questionBeforeSearch("bank", { mostSeconds: 60 }, undefined).lines[1]).toMatch(/is not known/);
});

it("names no domains of a database that has none", () => {
  expect(questionBeforeSet(main, { set: set(), plan: plan(20) }, current, [])?.lines[0]).toBe(
    "It decides for every domain on main from the next step on, as rev 9.",
  );
});

it("says before a search for how long it resizes the pool, and between which sizes", () => {
  const now = { size: 8, inUse: 7, waiting: 3, arrivalsPerSecond: 44.6 };
  expect(questionBeforeSearch("bank", { mostSeconds: 60, most: 12 }, now).lines).toEqual([
    "For up to 60 s it sets the size of the live pool, from 1 to 12. The policies do not decide meanwhile.",
    "8 connections are open, 7 in use; 45 requests a second arrive, 3 wait. At a size that is too small they wait longer.",
  ]);
});
