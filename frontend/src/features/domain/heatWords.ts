/** What a heat map shows, in words and as a table. */
import { count, duration } from "@/format/format";
import type { HeatMeasure } from "@/stream/heat";
import { cellAt, type HeatCells, rowName, timeOf } from "./heatCells";

/** A measured value: "3.1 ms", or a busy share as "12 %". Of a latency zero means that no statement ended. */
export function valueText(value: number, measure: HeatMeasure): string {
  if (measure === "busy") return `${Math.round(value * 100)} %`;
  return value === 0 ? "none ended" : duration(value);
}

/** What a cell says of its connection. */
export function cellText(value: number, measure: HeatMeasure): string {
  if (Number.isNaN(value)) return "not open";
  return value === 0 && measure !== "busy" ? "no statement ended" : `${measure} ${valueText(value, measure)}`;
}

/**
 * "6 connections; p99 usually 2.1 ms, single values from 0.4 ms to 45 ms, the greatest of 31 at 12:03:12." Without the times in which
 * no statement ended. `timeText` says a time in ms since 1970.
 */
export function heatSentence(
  grid: HeatCells,
  measure: HeatMeasure,
  domain: string,
  timeText: (time: number) => string,
): string {
  const { rows, columns, values, usual } = grid;
  if (rows.length === 0) return "No connection was measured.";
  let [least, most, place] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1];
  values.forEach((value, i) => {
    if (Number.isNaN(value) || (value === 0 && measure !== "busy")) return;
    least = Math.min(least, value);
    if (value > most) [most, place] = [value, i];
  });
  const open = `${count(rows.length)} ${rows.length === 1 ? "connection" : "connections"}`;
  if (place < 0) return `${open}; no statement ended.`;
  const [from, to] = [least, most].map((value) => valueText(value, measure));
  if (from === to) return `${open}; ${measure} ${to} throughout.`;
  const worst = rowName(rows[Math.floor(place / columns)] as string, domain);
  const bounds = `single values from ${from} to ${to}`;
  const when = timeText(timeOf(grid, place % columns));
  return `${open}; ${measure} usually ${valueText(usual, measure)}, ${bounds}, the greatest of ${worst} at ${when}.`;
}

/** A connection in the table: its greatest value and that one's column, and its greatest value in each part of the time. NaN: not open. */
export type HeatRow = { id: string; greatest: number; at: number; parts: number[] };

/** The heat map as a table: a row for each connection, and a column for each of at most `most` equal parts, by its first and last column. */
export function heatTable(grid: HeatCells, most = 6): { parts: { first: number; end: number }[]; rows: HeatRow[] } {
  const number = Math.min(most, grid.columns);
  const bound = (part: number) => Math.floor((part * grid.columns) / number);
  const parts = Array.from({ length: number }, (_, part) => ({ first: bound(part), end: bound(part + 1) }));
  const rows = grid.rows.map((id, row) => {
    const greatest = (first: number, end: number) => {
      let at = -1;
      for (let column = first; column < end; column++) {
        const value = cellAt(grid, row, column);
        if (!Number.isNaN(value) && (at < 0 || value > cellAt(grid, row, at))) at = column;
      }
      return at;
    };
    const valueIn = (column: number) => (column < 0 ? Number.NaN : cellAt(grid, row, column));
    const at = greatest(0, grid.columns);
    return { id, greatest: valueIn(at), at, parts: parts.map(({ first, end }) => valueIn(greatest(first, end))) };
  });
  return { parts, rows };
}
