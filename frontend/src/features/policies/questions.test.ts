import { expect, it } from "vitest";
import { questionBeforeSearch, questionBeforeSet } from "./questions";

const bank = { kind: "domain", name: "bank" } as const;
const set = (mode: "queue" | "fail" = "queue") => ({
  policies: [],
  whenExhausted: { mode, timeoutMs: 5000, depth: 1000 },
});
const current = { revision: 8, policySet: set() };
const pool = { domain: "bank", inUse: 7, waiting: 3 };

it("asks before a set of one domain only if it closes connections in use or refuses who waits", () => {
  expect(questionBeforeSet(bank, { set: set(), ceiling: 7 }, current, [pool])).toBeNull();
  expect(questionBeforeSet(bank, { set: set(), ceiling: null }, current, [])).toBeNull();
  expect(questionBeforeSet(bank, { set: set(), ceiling: 5 }, current, [pool])).toMatchObject({
    title: "Apply rev 9 to bank?",
    lines: [
      "It decides for bank from the next step on, as rev 9.",
      "7 connections are in use now, and the ceiling becomes 5: 2 close when released. No work is cut.",
    ],
    undo: "Restoring rev 8 takes it back.",
  });
  expect(questionBeforeSet(bank, { set: set("fail"), ceiling: 20 }, current, [pool])?.lines[2]).toBe(
    "3 requests wait now and are refused.",
  );
  expect(
    questionBeforeSet(bank, { set: set("fail"), ceiling: 20 }, { ...current, policySet: set("fail") }, [pool]),
  ).toBeNull();
});

it("asks before a set of a whole database, and before a revision is restored", () => {
  const main = { kind: "database", name: "main" } as const;
  const pools = [pool, { domain: "shop", inUse: 1, waiting: 0 }];
  expect(questionBeforeSet(main, { set: set(), ceiling: null }, current, pools)?.lines).toEqual([
    "It decides for every domain on main (bank, shop) from the next step on, as rev 9.",
    "8 connections are in use now. No work is cut.",
  ]);
  expect(questionBeforeSet(bank, { set: set(), ceiling: 9, restores: 3 }, current, [pool])).toMatchObject({
    title: "Restore rev 3 of bank?",
    action: "Restore as rev 9",
  });
});

it("says before a search for how long it resizes the pool, and between which sizes", () => {
  const now = { size: 8, inUse: 7, waiting: 3, arrivalsPerSecond: 44.6 };
  expect(questionBeforeSearch("bank", { mostSeconds: 60, most: 12 }, now).lines).toEqual([
    "For up to 60 s it sets the size of the live pool, from 1 to 12. The policies do not decide meanwhile.",
    "8 connections are open now, 7 in use; 45 requests a second arrive, 3 wait. At a size that is too small they wait longer.",
  ]);
});
