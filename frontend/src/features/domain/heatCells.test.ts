import { expect, it } from "vitest";
import type { ConnectionHistory } from "@/api/types";
import { heatCells, heatKey, heatSeconds, heatStep, intensity, placeOf, rowName, timeOf } from "./heatCells";

const history: ConnectionHistory = {
  stepMs: 1_000,
  leftOut: 0,
  time: ["1970-01-01T00:01:41Z", "1970-01-01T00:01:42Z"],
  connections: [
    { id: "bank-9", p99Ms: [2, 4], meanMs: [1, 2], busy: [0.1, 0.2] },
    { id: "bank-31", p99Ms: [null, 8], meanMs: [null, 4], busy: [null, 1] },
  ] as unknown as ConnectionHistory["connections"],
};

it("takes the connections that were open in each second", () => {
  expect(heatSeconds(history)).toEqual([
    { second: 100, ids: ["bank-9"], p99: [2], mean: [1], busy: [0.1] },
    { second: 101, ids: ["bank-9", "bank-31"], p99: [4, 8], mean: [2, 4], busy: [0.2, 1] },
  ]);
});

it("gives each connection a row, in the order of their numbers", () => {
  const { rows, values } = heatCells({ seconds: heatSeconds(history), from: 100_000, until: 102_000, step: 1 }, "p99");
  expect(rows).toEqual(["bank-9", "bank-31"]);
  expect([...values]).toEqual([2, 4, Number.NaN, 8]);
});

it("draws a past range in columns as long as they were kept, and what was not measured as a gap", () => {
  const kept = { ...history, stepMs: 10_000, time: ["1970-01-01T00:01:50Z", "1970-01-01T00:02:10Z"] };
  const grid = heatCells({ seconds: heatSeconds(kept), from: 90_000, until: 130_000, step: 10 }, "p99");
  expect(grid).toMatchObject({ firstSecond: 90, step: 10, columns: 4, rows: ["bank-9", "bank-31"] });
  expect([...grid.values]).toEqual([NaN, 2, NaN, 4, NaN, NaN, NaN, 8]);
});

it("has the time axis that it is given, whatever its columns are, and none for the second that is not over", () => {
  const source = { seconds: heatSeconds(history), from: 92_500, until: 127_500 };
  const coarse = heatCells({ ...source, step: 10 }, "p99");
  expect(coarse).toMatchObject({ firstSecond: 90, columns: 4, from: 92_500, until: 127_500 });
  expect(placeOf(coarse, timeOf(coarse, 1))).toBeCloseTo(7_500 / 35_000);
  expect(heatCells({ ...source, step: 1 }, "p99")).toMatchObject({ firstSecond: 92, columns: 35 });
});

it("asks for at most 300 columns", () => {
  expect([5, 15, 60, 360, 1_440].map((minutes) => heatStep(minutes * 60_000))).toEqual([1, 5, 20, 120, 300]);
  expect(heatStep(30 * 86_400_000)).toBe(10_800);
});

it("names a row by its number", () => {
  expect(rowName("bank-31", "bank")).toBe("31");
  expect(rowName("other", "bank")).toBe("other");
});

it("tells in its key what the lightest and the darkest cells mean", () => {
  expect(heatKey(2, "p99")).toEqual(["≤ 1.2 ms", "≥ 8 ms"]);
  expect(intensity(1.2, 2, "p99")).toBeCloseTo(0.04, 1);
  expect(intensity(8, 2, "p99")).toBe(1);
  expect(heatKey(2, "busy")).toEqual(["0 %", "100 %"]);
});
