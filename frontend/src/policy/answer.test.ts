import { expect, it } from "vitest";
import { answerText } from "./answer";

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
