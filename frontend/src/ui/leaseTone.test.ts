import { expect, it } from "vitest";
import { leaseTone } from "./leaseTone";

it("marks a transaction that is idle for long, not one between two statements", () => {
  expect(leaseTone("idle in transaction", 14)).toBe("");
  expect(leaseTone("idle in transaction", 1_000)).toBe("warn");
  expect(leaseTone("active", 14)).toBe("acc");
  expect(leaseTone("idle", 5_000)).toBe("");
});
