/**
 * A fixed number of rows of numbers; the newest overwrites the oldest. A domain's charts draw from it. Columns are
 * Float64Arrays, so adding a row allocates nothing. NaN means "not measured". Times must increase: a row that is not
 * newer than the last one is refused.
 */
export class RingBuffer<C extends string> {
  readonly capacity: number;
  readonly columns: readonly C[];
  readonly #time: Float64Array;
  readonly #data: Record<C, Float64Array>;
  #start = 0;
  #length = 0;

  constructor(columns: readonly C[], capacity: number) {
    if (!(capacity > 0)) throw new RangeError(`capacity must be positive, was ${capacity}`);
    this.capacity = capacity;
    this.columns = columns;
    this.#time = new Float64Array(capacity);
    this.#data = Object.fromEntries(columns.map((c) => [c, new Float64Array(capacity)])) as Record<C, Float64Array>;
  }

  get length(): number {
    return this.#length;
  }

  /** The time of the newest row; NaN if there is none. */
  get lastTime(): number {
    return this.#length === 0 ? Number.NaN : this.time(this.#length - 1);
  }

  /**
   * Adds a row. Columns that it does not name are NaN. Returns false and adds nothing if it is not newer than the last.
   */
  push(time: number, row: Partial<Record<C, number | null | undefined>>): boolean {
    if (!Number.isFinite(time) || (this.#length > 0 && time <= this.lastTime)) return false;
    const at = (this.#start + this.#length) % this.capacity;
    if (this.#length === this.capacity) this.#start = (this.#start + 1) % this.capacity;
    else this.#length++;
    this.#time[at] = time;
    for (const column of this.columns) this.#data[column][at] = row[column] ?? Number.NaN;
    return true;
  }

  /** Row 0 is the oldest. */
  time(row: number): number {
    return this.#time[(this.#start + row) % this.capacity] as number;
  }

  value(column: C, row: number): number {
    return this.#data[column][(this.#start + row) % this.capacity] as number;
  }

  /** The first row at or after `time`; `length` if there is none. Binary search. */
  indexAt(time: number): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.time(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Removes every row at or after `time`, so that better data for that span can be added. */
  truncateFrom(time: number): void {
    this.#length = this.indexAt(time);
  }

  clear(): void {
    this.#start = 0;
    this.#length = 0;
  }
}
