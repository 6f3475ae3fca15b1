import { expect, it } from "vitest";
import { cappedLines } from "./cappedLines";

const drawn = (...capped: string[]) => cappedLines(capped, "--c1").map(({ label, width }) => `${label} ${width}`);

it("draws what a cap is on thickly, and p99 thinly beside it", () => {
  expect(drawn("mean")).toEqual(["mean 2", "p99 1"]);
  expect(drawn("p95", "mean")).toEqual(["mean 2", "p95 2", "p99 1"]);
  expect(drawn("p99")).toEqual(["p99 2"]);
  expect(drawn("p99", "mean")).toEqual(["mean 2", "p99 2"]);
});

it("draws p99 where nothing is capped", () => {
  expect(drawn()).toEqual(["p99 2"]);
});
