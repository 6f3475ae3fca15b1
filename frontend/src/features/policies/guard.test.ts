import { describe, expect, test } from "vitest";
import { guardFault, guardTerms, NO_GUARD } from "./guard";

const guard = { ...NO_GUARD, on: true, p99Ms: "50" };

describe("a guard", () => {
  test("is written as the service reads it", () => {
    expect(guardTerms(guard)).toBe("p99Ms:50,refusedRate:0.01,within:60s");
    expect(guardTerms({ ...guard, refusedPercent: "" })).toBe("p99Ms:50,within:60s");
    expect(guardTerms({ ...guard, atEnd: "restore" })).toBe("p99Ms:50,refusedRate:0.01,within:60s,then:restore");
    expect(guardTerms({ ...guard, p99Ms: "", refusedPercent: "", atEnd: "restore" })).toBe("within:60s,then:restore");
    expect(guardTerms({ ...guard, p99Ms: "", waitP99Ms: "100", refusedPercent: "", atEnd: "restore-unjudged" })).toBe(
      "waitP99Ms:100,within:60s,then:restore-unjudged",
    );
    expect(guardTerms(NO_GUARD)).toBeUndefined();
  });
  test("says what is wrong with it and is not sent then", () => {
    expect(guardFault({ ...guard, p99Ms: "soon" })).toContain("milliseconds");
    expect(guardFault({ ...guard, waitP99Ms: "-1" })).toContain("milliseconds");
    const none = { ...guard, p99Ms: "", refusedPercent: "" };
    expect(guardFault(none)).toContain("at least one bound");
    expect(guardFault({ ...none, atEnd: "restore-unjudged" })).toContain("at least one bound");
    expect(guardFault({ ...guard, refusedPercent: "120" })).toContain("0 to 100");
    expect(guardFault({ ...guard, withinSeconds: "1.5" })).toContain("whole number");
    expect(guardTerms({ ...guard, withinSeconds: "" })).toBeUndefined();
    expect(guardFault(NO_GUARD)).toBeNull();
  });
});
