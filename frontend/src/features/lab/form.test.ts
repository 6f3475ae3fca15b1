import { describe, expect, it } from "vitest";
import type { Experiment } from "@/api/types";
import { type Draft, draftLike, EMPTY, expectation, faultOf, hasFault, requestOf, seedFault, textOf } from "./form";

const sizes = { name: "connections", description: "", unit: "", quick: 8, full: 20, least: 4, most: 50, whole: true };
const seconds = { name: "seconds", description: "", unit: "s", quick: 2, full: 8, least: 1, most: 120, whole: false };
const experiment: Pick<Experiment, "name" | "parameters"> = { name: "sweep", parameters: [sizes, seconds] };
const draft = (change: Partial<Draft>): Draft => ({ ...EMPTY, ...change });

describe("the fields", () => {
  it("show the form's values until somebody writes", () => {
    expect(textOf(sizes, EMPTY)).toBe("8");
    expect(textOf(sizes, draft({ form: "full" }))).toBe("20");
    expect(textOf(sizes, draft({ form: "full", values: { connections: "6" } }))).toBe("6");
  });

  it("say what is wrong and what is allowed", () => {
    expect(faultOf(seconds, "1")).toBeUndefined();
    expect(faultOf(seconds, "120")).toBeUndefined();
    expect(faultOf(seconds, "0.5")).toBe("must be 1 to 120 s");
    expect(faultOf(seconds, "121")).toBe("must be 1 to 120 s");
    expect(faultOf(seconds, "1.5")).toBeUndefined();
    expect(faultOf(sizes, "4.5")).toBe("must be a whole number, 4 to 50");
    for (const text of ["", " ", "many", "1e999", "NaN"])
      expect(faultOf(sizes, text), text).toContain("must be a whole number");
  });

  it("take a whole seed or none", () => {
    expect([seedFault(""), seedFault(" 42 "), seedFault("-3")]).toEqual([undefined, undefined, undefined]);
    for (const text of ["1.5", "x", "1e30"]) expect(seedFault(text), text).toContain("whole number");
  });

  it("have a fault if one of them has", () => {
    expect(hasFault(experiment, EMPTY)).toBe(false);
    expect(hasFault(experiment, draft({ values: { seconds: "0" } }))).toBe(true);
    expect(hasFault(experiment, draft({ seed: "x" }))).toBe(true);
  });
});

describe("the request", () => {
  it("has the values that differ from the form's, and the seed if there is one", () => {
    expect(requestOf(experiment, EMPTY)).toEqual({ form: "quick", values: {} });
    expect(requestOf(experiment, draft({ values: { connections: "8.0", seconds: "1" }, seed: "7" }))).toEqual({
      form: "quick",
      values: { seconds: 1 },
      seed: 7,
    });
  });

  it("repeats a run", () => {
    const run = { form: "full", values: { connections: 20, seconds: 3 }, seed: 99 } as const;
    const like = draftLike(experiment, run);
    expect(like.values).toEqual({ seconds: "3" });
    expect(requestOf(experiment, like)).toEqual({ form: "full", values: { seconds: 3 }, seed: 99 });
  });
});

describe("how long it will take", () => {
  const run = {
    experiment: "sweep",
    form: "quick",
    state: "done",
    values: { connections: 8, seconds: 2 },
    startedAt: "2026-11-24T03:00:00Z",
    endedAt: "2026-11-24T03:01:12Z",
  } as const;

  it("is what the last run with these values took", () => {
    expect(expectation(experiment, EMPTY, [run])).toContain("1 min 12 s");
    const long = { ...run, endedAt: "2026-11-24T03:07:20Z" };
    expect(expectation(experiment, EMPTY, [long, run])).toContain("about 7 minutes");
  });

  it("is not taken from another experiment, other values, or a run that did not end", () => {
    const others = [
      { ...run, experiment: "pools" },
      { ...run, values: { connections: 4, seconds: 2 } },
      { ...run, state: "cancelled" as const },
    ];
    expect(expectation(experiment, EMPTY, others)).toBe("for about 2 minutes");
    expect(expectation(experiment, draft({ form: "full" }), others)).toContain("no full run is known");
    expect(expectation(experiment, draft({ values: { seconds: "60" } }), others)).toContain("no run with these values");
  });
});
