import { expect, it } from "vitest";
import type { Decision } from "@/api/types";
import { matches } from "./merge";

const decision = (time: string, lastTime: string | null = null) =>
  ({
    id: time,
    time,
    lastTime,
    count: 1,
    kind: "grew",
    message: "bank grew",
    domain: "bank",
    database: "main",
    policy: "database/latency-cap",
  }) as Decision;

it("takes the decisions around a moment, also one that was repeated until then", () => {
  const around = { at: "2026-11-23T21:15:00Z" };
  expect(matches(decision("2026-11-23T21:14:30Z"), around)).toBe(true);
  expect(matches(decision("2026-11-23T21:13:59Z"), around)).toBe(false);
  expect(matches(decision("2026-11-23T21:16:00Z"), around)).toBe(false);
  expect(matches(decision("2026-11-23T21:00:00Z", "2026-11-23T21:15:00Z"), around)).toBe(true);
  expect(matches(decision("2026-11-23T21:00:00Z"), {})).toBe(true);
});

it("takes those of a database and of its domains", () => {
  const grew = decision("2026-11-23T21:15:00Z");
  expect(matches(grew, { database: "main" })).toBe(true);
  expect(matches({ ...grew, domain: null as never }, { database: "main" })).toBe(true);
  expect(matches(grew, { database: "other" })).toBe(false);
});

it("takes a policy of the database's set, and a text in a name", () => {
  const grew = decision("2026-11-23T21:15:00Z");
  expect(matches(grew, { policy: "latency-cap" })).toBe(true);
  expect(matches(grew, { policy: "tiers" })).toBe(false);
  expect(matches(grew, { q: "MAIN" })).toBe(true);
  expect(matches(grew, { q: "shop" })).toBe(false);
});
