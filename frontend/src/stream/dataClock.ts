/**
 * The age of the data on the page, by the server's clock. Browser and server clocks differ by an unknown offset. Its
 * best estimate is the smallest (received − sent) seen so far. So a delayed frame counts as older, and a wrong clock
 * on either side has no effect. The estimate rises slowly, so that it follows drift. Our clock must not be set while it
 * runs; the server's may be.
 */
const DRIFT_PER_MS = 0.0002;

export class DataClock {
  #offset = Number.POSITIVE_INFINITY;
  #seenAt = Number.NaN;
  #dataTime = Number.NaN;

  /** A frame that the server stamped `sentAt` (its clock) arrived at `receivedAt` (ours). */
  frame(sentAt: number, receivedAt: number): void {
    if (!Number.isFinite(sentAt)) return;
    if (sentAt < this.#dataTime) this.reset(); // the server's clock was set back
    const drifted = Number.isNaN(this.#seenAt) ? 0 : Math.max(0, receivedAt - this.#seenAt) * DRIFT_PER_MS;
    this.#offset = Math.min(this.#offset + drifted, receivedAt - sentAt);
    this.#seenAt = receivedAt;
    this.#dataTime = sentAt;
  }

  /** Forgets the offset. Call it when the server is another one or has restarted. */
  reset(): void {
    this.#offset = Number.POSITIVE_INFINITY;
    this.#seenAt = Number.NaN;
  }

  /** The server's time at our `now`. */
  serverTime(now: number): number {
    return Number.isFinite(this.#offset) ? now - this.#offset : now;
  }

  /** The age of the newest data in ms; infinite before the first frame. */
  age(now: number): number {
    if (Number.isNaN(this.#dataTime)) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.serverTime(now) - this.#dataTime);
  }
}
