import { RingBuffer } from "./ringBuffer";

type Columnar = { time: readonly string[]; columns: Readonly<Record<string, readonly (number | null)[] | undefined>> };

/** A history answer as a ring buffer, so that a chart draws the past and the present with the same code. */
export function fromHistory<C extends string>(names: readonly C[], history: Columnar): RingBuffer<C> {
  const ring = new RingBuffer(names, Math.max(1, history.time.length));
  history.time.forEach((time, i) => {
    const row: Partial<Record<C, number | null>> = {};
    for (const name of names) row[name] = history.columns[name]?.[i] ?? null;
    ring.push(Date.parse(time), row);
  });
  return ring;
}
