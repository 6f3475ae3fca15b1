import { RingBuffer } from "./ringBuffer";

type Columnar = { time: readonly string[]; columns: Readonly<Record<string, readonly (number | null)[] | undefined>> };

/** Converts a history answer to a ring buffer, so that the same code draws stored and live data. */
export function fromHistory<C extends string>(names: readonly C[], history: Columnar): RingBuffer<C> {
  const ring = new RingBuffer(names, Math.max(1, history.time.length));
  history.time.forEach((time, i) => {
    const row: Partial<Record<C, number | null>> = {};
    for (const name of names) row[name] = history.columns[name]?.[i] ?? null;
    ring.push(Date.parse(time), row);
  });
  return ring;
}
