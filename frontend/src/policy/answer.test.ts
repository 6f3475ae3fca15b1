import { expect, it } from "vitest";
import { answerAt, answerText, bindingAnswer, placed } from "./answer";

const none = { floor: 0, ceiling: null, guaranteed: null, weight: null, ratePerSecond: null, whenExhausted: "queue" };

it("says everything that a policy limits", () => {
  expect(answerText(none)).toBe("no limit");
  expect(answerText({ ...none, floor: 2, ceiling: 20 })).toBe("2 … 20");
  expect(answerText({ ...none, ceiling: 7 })).toBe("≤ 7");
  expect(answerText({ ...none, floor: 2 })).toBe("≥ 2");
  expect(answerText({ ...none, guaranteed: 10, weight: 4 })).toBe("guaranteed 10, weight 4");
  expect(answerText({ ...none, ratePerSecond: 0.5 })).toBe("at most 0.5/s");
  expect(answerText({ ...none, ratePerSecond: 1200, whenExhausted: "reject" })).toBe(
    "at most 1,200/s, reject when exhausted",
  );
});

it("tells the uses of one policy apart by their places", () => {
  const [first, other, second] = [
    { policy: "latency-cap", ceiling: 12, ratePerSecond: 5 },
    { policy: "min-max", ceiling: 20, ratePerSecond: null },
    { policy: "latency-cap", ceiling: 7, ratePerSecond: null },
  ];
  const answers = [first, other, second] as const;
  expect(placed(answers).map(({ place }) => place)).toEqual([0, 0, 1]);
  expect(answerAt(answers, "latency-cap", 1)).toBe(second);
  expect(answerAt(answers, "latency-cap", 2)).toBeUndefined();
  expect(bindingAnswer(answers, { by: "policy", policy: "latency-cap" })).toBe(second);
  expect(bindingAnswer(answers, { by: "rate", policy: "latency-cap" })).toBe(first);
  expect(bindingAnswer(answers, { by: "budget", policy: null })).toBeUndefined();
});
