import { describe, expect, test } from "vitest";
import type { ShadowSet } from "@/api/types";
import { shadowSentence } from "./shadowSentence";

const limits = (floor: number, ceiling: number) => ({ floor, ceiling, answers: [] });
const set = (change: Partial<ShadowSet>): ShadowSet => ({
  createdAt: "2026-11-21T12:00:00Z",
  actor: "admin",
  policySet: { policies: [] },
  steps: 2_000,
  differed: 700,
  live: limits(2, 10),
  shadow: limits(2, 6),
  degraded: null as unknown as string,
  ...change,
});

describe("a shadow set in words", () => {
  test("says how often it differed, and how it differs now", () => {
    expect(shadowSentence(set({}))).toBe(
      "It would have differed in 35 % of 2,000 steps. Now it would hold 2 to 6 connections, the live set holds 2 to 10.",
    );
  });
  test("says that it agrees", () => {
    expect(shadowSentence(set({ differed: 0, shadow: limits(2, 10) }))).toBe("It has agreed with the live set so far.");
  });
  test("does not round a rare difference away", () => {
    expect(shadowSentence(set({ differed: 3, shadow: limits(2, 10) }))).toContain("less than 1 %");
  });
  test("waits for the first answer", () => {
    expect(shadowSentence(set({ steps: 0 }))).toBe("It has not been asked yet.");
  });
});
