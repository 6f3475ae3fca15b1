import { describe, expect, it } from "vitest";
import { done, isShown, nextStep } from "./firstRun";

const main = { name: "main" };
const bank = { name: "bank", database: "main" };

describe("the guide of a new service", () => {
  it("ticks what is there and goes on with the first that is not", () => {
    const walk = [
      { databases: [], domains: [], clients: [], answered: false },
      { databases: [main], domains: [], clients: [], answered: false },
      { databases: [main], domains: [bank], clients: [], answered: false },
      { databases: [main], domains: [bank], clients: [{ name: "web" }], answered: false },
      { databases: [main], domains: [bank], clients: [{ name: "web" }], answered: true },
    ].map((facts) => nextStep(done(facts)));
    expect(walk).toEqual(["database", "domain", "client", "request", null]);
  });

  it("takes back a tick with what it stands for", () => {
    const ticks = done({ databases: [main], domains: [bank], clients: [], answered: true });
    expect(ticks).toEqual({ database: true, domain: true, client: false, request: true });
  });

  it("is shown for an empty service, until it is closed", () => {
    expect(isShown(null, 0)).toBe(true);
    expect(isShown(null, 3)).toBe(false);
    expect(isShown("begun", 1)).toBe(true);
    expect(isShown("closed", 0)).toBe(false);
  });
});
