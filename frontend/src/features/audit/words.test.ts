import { expect, it } from "vitest";
import { actionName } from "./words";

it("says in words what somebody did, and has an action of a newer service by its own name", () => {
  expect(actionName("leases.cancel")).toBe("cancelled a statement");
  expect(actionName("leases.lend")).toBe("leases.lend");
});
