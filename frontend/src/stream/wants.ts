/**
 * What the page on the screen wants of the stream. Components say what they show, and take it back when they go; the sum of it
 * is the page's subscription. Nothing here knows React or the socket.
 */
import type { Subscription } from "./client";

/** Frames per second of the domains that are wanted in full. The summary comes once a second. */
const RATE_HZ = 4;

export type Want = {
  /** A domain in full, with its events. */
  domains?: readonly string[];
  /** Domains whose single connections are wanted; only those in full have them. */
  connections?: readonly string[];
  /** Domains of which the last minutes are wanted, and every second that ends. */
  seconds?: readonly string[];
  /** Domains whose events are wanted, or "*". */
  events?: readonly string[];
  /** The figures of every domain, not only their states. */
  figures?: boolean;
};

export class Wants {
  readonly #wants = new Set<Want>();

  /** `changed` is called when the sum may have changed. */
  constructor(private readonly changed: () => void) {}

  add(want: Want): () => void {
    this.#wants.add(want);
    this.changed();
    return () => {
      if (this.#wants.delete(want)) this.changed();
    };
  }

  subscription(): Subscription {
    const domains = this.#names("domains");
    const events = this.#names("events");
    return {
      domains,
      rateHz: RATE_HZ,
      connections: this.#names("connections").filter((name) => domains.includes(name)),
      seconds: this.#names("seconds"),
      events: events.includes("*") ? ["*"] : [...new Set([...domains, ...events])].sort(),
      summary: [...this.#wants].some((want) => want.figures) ? "figures" : "health",
    };
  }

  #names(of: "domains" | "connections" | "seconds" | "events"): string[] {
    return [...new Set([...this.#wants].flatMap((want) => want[of] ?? []))].sort();
  }
}

export const sameSubscription = (a: Subscription, b: Subscription): boolean => JSON.stringify(a) === JSON.stringify(b);
