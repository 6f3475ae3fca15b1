/** Connections of several domains on top of one another, so that their sum can be compared with a budget. Pure. */
import type { Source } from "@/charts/decimate";
import { RingBuffer } from "@/charts/ringBuffer";

type Part = { domain: string; series: Source & { value(column: "size", row: number): number } };

/** The column of what a domain has. */
export const ownOf = (domain: string) => `own ${domain}`;

/** The column of what a domain and all before it have together. */
export const topOf = (domain: string) => `top ${domain}`;

/**
 * A row for every time at which one of them was measured. A domain that was not measured then has what it had last, for at most
 * `gapMs`; after that it is not measured, and adds nothing.
 *
 * @param parts the lowest first
 */
export function stacked(parts: readonly Part[], gapMs: number): RingBuffer<string> {
  const columns = parts.flatMap(({ domain }) => [ownOf(domain), topOf(domain)]);
  const rows = parts.reduce((sum, { series }) => sum + series.length, 0);
  const ring = new RingBuffer<string>(columns, Math.max(1, rows));
  const next = parts.map(() => 0);
  const timeOf = ({ series }: Part, row: number) => (row < series.length ? series.time(row) : Number.POSITIVE_INFINITY);
  for (;;) {
    const time = Math.min(...parts.map((part, i) => timeOf(part, next[i] as number)));
    if (time === Number.POSITIVE_INFINITY) return ring;
    const row: Record<string, number> = {};
    let sum = Number.NaN;
    for (const [i, part] of parts.entries()) {
      if (timeOf(part, next[i] as number) === time) next[i] = (next[i] as number) + 1;
      const last = (next[i] as number) - 1;
      const has = last >= 0 && time - timeOf(part, last) <= gapMs ? part.series.value("size", last) : Number.NaN;
      if (!Number.isNaN(has)) sum = (Number.isNaN(sum) ? 0 : sum) + has;
      row[ownOf(part.domain)] = has;
      row[topOf(part.domain)] = sum;
    }
    ring.push(time, row);
  }
}
