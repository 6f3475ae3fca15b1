import { expect, it } from "vitest";
import { Problem, sentence } from "./problem";

it("tells what the faults of a request are, not only how many", () => {
  const errors = ["a", "b", "c", "d", "e"].map((name) => ({ pointer: `/${name}`, message: `${name} is wrong` }));
  const of = (count: number, detail: string) =>
    sentence(new Problem({ title: "The request is not valid", detail, errors: errors.slice(0, count) }, 422));
  expect(of(1, "1 fault")).toBe("The request is not valid: a is wrong");
  expect(of(2, "2 faults")).toBe("The request is not valid: a is wrong; b is wrong");
  expect(of(5, "5 faults or more; these are the first 5")).toBe(
    "The request is not valid: a is wrong; b is wrong; c is wrong; and 2 more",
  );
  expect(of(1, "The set cannot be applied.")).toBe("The set cannot be applied: a is wrong");
});
