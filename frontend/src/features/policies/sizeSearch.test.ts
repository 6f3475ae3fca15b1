import { expect, it } from "vitest";
import { FIELDS, sizeCharts, sizeFault, sizeRequest, timeUsed, USUAL } from "./sizeSearch";

const trial = (size: number, perSecond: number, ruledOut = "") => ({
  size,
  leases: 1000,
  perSecond,
  refused: 0,
  waitMs: 1,
  latencyMs: 2,
  p99Ms: 4,
  responseMs: perSecond / 100,
  ruledOut,
});

it("checks its fields, and leaves the empty ones to the service", () => {
  const [within] = FIELDS;
  if (!within) throw new Error("no fields");
  expect(sizeFault(within, "59")).toBe("must be a whole number, 60 to 900");
  expect(sizeFault(within, "1e99")).toBeDefined();
  expect(sizeFault(within, "170.5")).toBeDefined();
  expect(sizeFault(within, " ")).toBeUndefined();
  expect(sizeRequest({ ...USUAL, most: "12" })).toEqual({ mostSeconds: 170, most: 12 });
  expect(sizeRequest({ mostSeconds: "", most: "", mostWaitMs: "50", mostP99Ms: " " })).toEqual({ mostWaitMs: 50 });
});

it("draws what the search decides by: of two trials the better, of three the median, and no size that was ruled out", () => {
  const trials = [trial(4, 800), trial(8, 900), trial(2, 700), trial(2, 0, "slow"), trial(4, 900)];
  const [throughput, response] = sizeCharts(trials);
  expect(throughput?.lines[0]).toMatchObject({ x: [4, 8], y: [900, 900] });
  expect(response?.lines[0]).toMatchObject({ x: [4, 8], y: [8, 9] });
  const [third] = sizeCharts([...trials, trial(4, 100)]);
  expect(third?.lines[0]).toMatchObject({ x: [4, 8], y: [800, 900] });
  expect(sizeCharts(trials.slice(2))).toEqual([]);
});

it("tells how much of its time a search has used", () => {
  const search = { startedAt: "2026-11-24T12:00:00Z", mostSeconds: 100 };
  const begin = Date.parse(search.startedAt);
  expect(timeUsed(search, begin - 5_000)).toBe(0);
  expect(timeUsed(search, begin + 25_000)).toBe(0.25);
  expect(timeUsed(search, begin + 500_000)).toBe(1);
});
