import { describe, expect, it } from "vitest";
import { Wants } from "./wants";

describe("wants", () => {
  it("asks for the states of all domains and nothing else while nothing is wanted", () => {
    expect(new Wants(() => {}).subscription()).toEqual({
      domains: [],
      rateHz: 4,
      connections: [],
      seconds: [],
      events: [],
      summary: "health",
    });
  });

  it("sums up what components want, each name once, and takes back what is released", () => {
    let changes = 0;
    const wants = new Wants(() => changes++);
    const one = wants.add({ domains: ["bank"] });
    const other = wants.add({ domains: ["bank"], connections: ["bank"] });
    expect(wants.subscription()).toMatchObject({ domains: ["bank"], connections: ["bank"], events: ["bank"] });
    other();
    other();
    expect(wants.subscription()).toMatchObject({ domains: ["bank"], connections: [] });
    one();
    expect(wants.subscription()).toMatchObject({ domains: [], events: [] });
    expect(changes).toBe(4);
  });

  it("asks for the events of all where somebody wants them", () => {
    const wants = new Wants(() => {});
    wants.add({ domains: ["bank"] });
    wants.add({ events: ["*"], figures: true });
    expect(wants.subscription()).toMatchObject({ events: ["*"], summary: "figures" });
  });
});
