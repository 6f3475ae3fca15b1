import { expect, it } from "vitest";
import { chanceText, fileName, held, isFigures, OUTCOMES, ratioText, STATES, setUpOf, tally, VERDICTS } from "./words";

it("tells everything apart by word and shape, not by colour alone", () => {
  for (const words of [STATES, VERDICTS, OUTCOMES].map((all) => Object.values(all))) {
    expect(new Set(words.map(({ label }) => label)).size).toBe(words.length);
    expect(new Set(words.map(({ shape }) => shape)).size).toBe(words.length);
  }
});

it("has no ratio to zero, and no chance where there are too few samples", () => {
  expect(ratioText({ first: 0, ratio: 0 })).toBe("–");
  expect(ratioText({ first: 2, ratio: 1.2345 })).toBe("× 1.23");
  expect(chanceText({ chance: null })).toBe("–");
  expect(chanceText({ chance: 0.00001 })).toBe("< 0.001");
  expect(chanceText({ chance: 0.0312 })).toBe("0.031");
  expect(chanceText({ chance: 0.5 })).toBe("0.50");
});

it("counts the outcomes", () => {
  const of = (outcome: keyof typeof OUTCOMES) => ({ outcome });
  expect(tally([of("better"), of("no-difference"), of("better"), of("worse")])).toBe(
    "2 better, 1 worse, 1 without a difference",
  );
  expect(tally([])).toBe("");
});

it("knows a column of figures", () => {
  expect(isFigures(["1", "2.5", "1,234", "–"])).toBe(true);
  expect(isFigures(["1.5 ms", "95 %", "< 0.1"])).toBe(true);
  expect(isFigures(["auction", "1"])).toBe(false);
  expect(isFigures(["2 of 3 hold"])).toBe(false);
  expect(isFigures([])).toBe(false);
});

it("counts the claims that hold", () => {
  const of = (verdict: keyof typeof VERDICTS) => ({ verdict });
  expect(held([of("holds"), of("differs")])).toBe("1 of 2 hold");
  expect(held([of("holds"), of("undecided"), of("holds")])).toBe("2 of 3 hold, 1 cannot be told");
});

it("says what a run was measured on, and nothing of what its version did not know", () => {
  const run = {
    form: "quick" as const,
    values: { rounds: 4 },
    seed: 7,
    setUp: {
      headgate: "0.1.0",
      jdk: "25",
      postgres: "18.6",
      versions: { pgjdbc: "42.7.14", HikariCP: "7.1.0" },
      processor: "A processor",
      processors: 2,
      load: 0.456,
      memoryBytes: 1 << 30,
      system: "Linux amd64",
    },
  };
  const facts = new Map(setUpOf(run));
  expect(facts.get("HikariCP")).toBe("7.1.0");
  expect(facts.get("processors")).toBe("2 × A processor");
  expect(facts.get("load average before")).toBe("0.46");
  const older = new Map(setUpOf({ ...run, setUp: { ...run.setUp, versions: {}, processor: "", load: null } }));
  expect(older.get("processors")).toBe("2");
  expect(older.get("load average before")).toBe("–");
});

it("names the file of a chart after it", () => {
  expect(fileName("policy-sweep", "12", "Latency, by connections (p99)")).toBe(
    "policy-sweep-12-latency-by-connections-p99.svg",
  );
});
