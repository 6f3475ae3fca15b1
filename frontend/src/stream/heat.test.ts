import { expect, it } from "vitest";
import { Heat, type HeatSecond } from "./heat";
import type { Columns } from "./schemas";

const columns = (p99: number) =>
  ({ id: ["bank-1"], secondP99Ms: [p99], secondMeanMs: [1], secondBusy: [0.5] }) as unknown as Columns;
const past = (second: number): HeatSecond => ({ second, ids: ["bank-1"], p99: [9], mean: [1], busy: [0.5] });
const shown = (heat: Heat) => heat.since(0).map(({ second, p99 }) => [second, p99[0]]);

it("puts the past before what was received, and keeps what was received", () => {
  const heat = new Heat();
  heat.add(104_000, columns(3));
  heat.fill([past(101), past(102), past(103)]);
  heat.add(105_000, columns(4));
  expect(shown(heat)).toEqual([
    [101, 9],
    [102, 9],
    [103, 3],
    [104, 4],
  ]);
});

it("fills a gap, and keeps no more than it may", () => {
  const heat = new Heat(3);
  heat.add(102_000, columns(3));
  heat.add(105_000, columns(4));
  heat.fill([past(100), past(102), past(103)]);
  expect(shown(heat)).toEqual([
    [102, 9],
    [103, 9],
    [104, 4],
  ]);
});
