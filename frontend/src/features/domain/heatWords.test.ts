import { describe, expect, it } from "vitest";
import type { HeatCells } from "./heatCells";
import { cellText, heatSentence, heatTable } from "./heatWords";

/** From second 100, a column a second. */
function grid(rows: Record<string, readonly number[]>, usual = 3): HeatCells {
  const ids = Object.keys(rows);
  const columns = rows[ids[0] as string]?.length ?? 4;
  return {
    rows: ids,
    columns,
    firstSecond: 100,
    step: 1,
    from: 100_000,
    until: (100 + columns) * 1_000,
    values: Float32Array.from(Object.values(rows).flat()),
    usual,
  };
}

const said = (cells: HeatCells, measure: "p99" | "busy" = "p99") =>
  heatSentence(cells, measure, "bank", (time) => `${time / 1_000} s`);

describe("a cell", () => {
  it("says its value, that no statement ended, or that the connection was not open", () => {
    expect([3.14, 0, Number.NaN].map((value) => cellText(value, "p99"))).toEqual([
      "p99 3.1 ms",
      "no statement ended",
      "not open",
    ]);
    expect([0.123, 0].map((value) => cellText(value, "busy"))).toEqual(["busy 12 %", "busy 0 %"]);
  });
});

describe("the sentence", () => {
  it("has what is usual, the bounds, and where the greatest is", () => {
    const cells = grid({ "bank-9": [2, 0, 4, Number.NaN], "bank-31": [Number.NaN, 3, 45, 3] });
    expect(said(cells)).toBe(
      "2 connections; p99 usually 3 ms, single values from 2 ms to 45 ms, the greatest of 31 at 102 s.",
    );
  });

  it("says of a busy share that it was zero, but of no statement a latency of zero", () => {
    expect(said(grid({ "bank-9": [0, 0.5] }, 0.5), "busy")).toContain("single values from 0 % to 50 %");
    expect(said(grid({ "bank-9": [0, 0] }))).toBe("1 connection; no statement ended.");
    expect(said(grid({ "bank-9": [0, 0] }, 1), "busy")).toBe("1 connection; busy 0 % throughout.");
  });

  it("says when nothing changes, and when no connection is there", () => {
    expect(said(grid({ "bank-9": [2, 2] }))).toBe("1 connection; p99 2 ms throughout.");
    expect(said(grid({}))).toBe("No connection was measured.");
  });
});

describe("the table", () => {
  it("has each connection's greatest value and its column, and that of each part", () => {
    const cells = grid({ "bank-9": [1, 2, 9, 3, Number.NaN, Number.NaN], "bank-31": [7, 7, 0, 0, 2, 5] });
    expect(heatTable(cells, 3)).toEqual({
      parts: [
        { first: 0, end: 2 },
        { first: 2, end: 4 },
        { first: 4, end: 6 },
      ],
      rows: [
        { id: "bank-9", greatest: 9, at: 2, parts: [2, 9, Number.NaN] },
        { id: "bank-31", greatest: 7, at: 0, parts: [7, 0, 5] },
      ],
    });
  });

  it("loses no column where the parts are not equal, and has no more parts than columns", () => {
    const spike = (at: number) => grid({ "bank-9": Array.from({ length: 7 }, (_, i) => (i === at ? 9 : 1)) });
    for (let at = 0; at < 7; at++)
      expect(heatTable(spike(at), 3).rows[0]?.parts.filter((value) => value === 9)).toHaveLength(1);
    expect(heatTable(grid({ "bank-9": [1, 2] }), 6).parts).toHaveLength(2);
  });
});
