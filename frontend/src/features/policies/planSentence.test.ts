import { expect, it } from "vitest";
import type { Plan, ReplayOutcome } from "@/api/types";
import { planSentence } from "./planSentence";

const plan = (change: object = {}) =>
  ({
    violations: [],
    now: { floor: 2, ceiling: 20 },
    planned: { floor: 2, ceiling: 6 },
    ...change,
  }) as unknown as Plan;
const outcome = (usable: readonly string[], refused = 0) =>
  ({
    actual: { waitP99Ms: 4, meanMs: 10, p99Ms: 40, refused: 0 },
    replayed: { waitP99Ms: 38, meanMs: 9, p99Ms: 35, refused },
    fit: {
      misses: ["latency", "latency-p99", "waits", "refused"].map((figure) => ({
        figure,
        usable: usable.includes(figure),
      })),
    },
  }) as unknown as ReplayOutcome;

it.each([
  ["no plan yet", undefined, undefined, null],
  ["limits", plan(), undefined, "Plan: floor stays 2, ceiling 20 → 6."],
  ["a first ceiling", plan({ now: { floor: 2, ceiling: null } }), undefined, "Plan: floor stays 2, ceiling none → 6."],
  [
    "nothing of a draft with a fault",
    plan({ violations: [{ pointer: "/policies/0/parameters/min", message: "must be at most max" }] }),
    undefined,
    null,
  ],
  [
    "what is predicted",
    plan(),
    outcome(["latency", "waits", "refused"], 12),
    "Plan: floor stays 2, ceiling 20 → 6. Predicted: wait p99 4 ms → 38 ms, mean 10 ms → 9 ms, refused 0 → 12.",
  ],
  [
    "only what the model fits",
    plan(),
    outcome(["latency"]),
    "Plan: floor stays 2, ceiling 20 → 6. Predicted: mean 10 ms → 9 ms.",
  ],
  [
    "that nothing can be predicted",
    plan(),
    outcome([]),
    "Plan: floor stays 2, ceiling 20 → 6. What it would do to this load cannot be predicted.",
  ],
] as const)("says %s", (_, plan, predicted, said) => {
  expect(planSentence(plan, predicted, ["mean"])).toBe(said);
});

it("says of the latency what a cap is on", () => {
  const limits = "Plan: floor stays 2, ceiling 20 → 6. ";
  expect(planSentence(plan(), outcome(["latency", "latency-p99"]), ["p99"])).toBe(
    `${limits}Predicted: p99 40 ms → 35 ms.`,
  );
  expect(planSentence(plan(), outcome(["latency"]), ["p99"])).toBe(
    `${limits}What it would do to this load cannot be predicted.`,
  );
});
