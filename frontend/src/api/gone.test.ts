import { expect, it } from "vitest";
import { runQuery } from "./experiments";
import { connectionQuery } from "./leases";
import { Problem } from "./problem";

type Interval = (query: never) => number | false;

it.each([
  ["a connection", connectionQuery("bank", "bank-31").refetchInterval, { closed: null }],
  ["a run of an experiment", runQuery("7").refetchInterval, { state: "running" }],
])("asks for %s until the service has it no more", (_, interval, data) => {
  const every = interval as Interval;
  expect(every({ state: { data, error: null } } as never)).toBe(1_000);
  expect(every({ state: { data, error: new Problem({}, 503) } } as never)).toBe(1_000);
  expect(every({ state: { data, error: new Problem({}, 404) } } as never)).toBe(false);
});
