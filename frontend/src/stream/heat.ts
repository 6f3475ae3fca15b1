import type { Columns } from "./schemas";

export type HeatMeasure = "p99" | "mean" | "busy";

/** The measurements of every connection in one full second. */
export type HeatSecond = {
  readonly second: number;
  readonly ids: readonly string[];
  readonly p99: readonly (number | null)[];
  readonly mean: readonly (number | null)[];
  readonly busy: readonly (number | null)[];
};

/** The last seconds of every connection of one domain, one entry per received second. */
export class Heat {
  readonly #seconds: HeatSecond[] = [];

  constructor(private readonly keep = 305) {}

  /** `time` is the frame's time. The columns describe the last full second before it. */
  add(time: number, columns: Columns): void {
    const second = Math.floor(time / 1000) - 1;
    const last = this.#seconds.at(-1);
    if (last && second < last.second) return;
    const entry: HeatSecond = {
      second,
      ids: columns.id,
      p99: columns.secondP99Ms,
      mean: columns.secondMeanMs,
      busy: columns.secondBusy,
    };
    if (last?.second === second) this.#seconds[this.#seconds.length - 1] = entry;
    else this.#seconds.push(entry);
    if (this.#seconds.length > this.keep) this.#seconds.shift();
  }

  /** Puts in what is missing before the first received second, and in the gaps since. Oldest first. */
  fill(past: readonly HeatSecond[]): void {
    const known = new Set(this.#seconds.map((each) => each.second));
    this.#seconds.push(...past.filter((each) => !known.has(each.second)));
    this.#seconds.sort((a, b) => a.second - b.second);
    this.#seconds.splice(0, this.#seconds.length - this.keep);
  }

  since(second: number): HeatSecond[] {
    return this.#seconds.filter((s) => s.second >= second);
  }
}
