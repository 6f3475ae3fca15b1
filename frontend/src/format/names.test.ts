import { expect, it } from "vitest";
import { byName } from "./names";

it("sorts names as people do", () => {
  const sorted = ["", "2", "10", "Bank", "bank", "bank2", "bank-1", "bank-2", "bank-2-a", "bank-10", "banks", "shop"];
  expect([...sorted].reverse().sort(byName)).toEqual(sorted);
  expect(sorted.every((name) => byName(name, name) === 0)).toBe(true);
});
