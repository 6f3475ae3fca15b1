import { expect, it } from "vitest";
import type { Columns } from "@/stream/schemas";
import { rowsOf, sortRows } from "./ConnectionTable";

const columns = {
  id: ["bank-1", "bank-3", "bank-2"],
  state: ["active", "active", "idle"],
  holder: ["teller", "teller", null],
  leaseAgeMs: [40, 51, null],
  requests: [8_472, 32, 0],
  p50Ms: [0, 0, 0],
  p99Ms: [10, 0, 0],
  errors: [0, 0, 0],
  ageMs: [180_000, 400, 1_000],
} as unknown as Columns;

it("tells no latency of a connection on which nothing ran, or in its first second, and sorts it last", () => {
  const rows = rowsOf(columns);
  expect(rows.map(({ p50Ms, p99Ms }) => [p50Ms, p99Ms])).toEqual([
    [0, 10],
    [null, null],
    [null, null],
  ]);
  for (const down of [true, false])
    expect(
      sortRows(rows, "p99Ms", down)
        .map(({ id }) => id)
        .at(0),
    ).toBe("bank-1");
});
