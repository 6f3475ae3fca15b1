/** Frames and fakes for tests: a socket without a network, and a clock that moves only on command. */
import type { Clock, Socket } from "./client";

export class FakeSocket implements Socket {
  onopen: Socket["onopen"] = null;
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  onerror: Socket["onerror"] = null;
  readonly sent: { type: string; connections?: string[] }[] = [];
  closed = false;

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.closed = true;
  }
  open(): void {
    this.onopen?.();
  }
  say(frame: unknown): void {
    this.onmessage?.({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
  }
  die(code = 1006): void {
    this.onclose?.({ code });
  }
}

/** A class for `WebSocket` whose sockets are fakes. Each is added to `sockets`. */
export const recording = (sockets: FakeSocket[]) =>
  class extends FakeSocket {
    constructor() {
      super();
      sockets.push(this);
    }
  };

export class FakeClock implements Clock {
  #now = 1_000_000;
  #timers: { at: number; run: () => void }[] = [];

  now(): number {
    return this.#now;
  }
  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((t) => t !== timer);
    };
  }
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter((t) => t.at <= until).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers = this.#timers.filter((t) => t !== due);
      this.#now = due.at;
      due.run();
    }
    this.#now = until;
  }
}

const EMPTY = { count: 0, meanMs: null, p50Ms: null, p95Ms: null, p99Ms: null, perSecond: 0 };

export const pool = (domain: string, more: object = {}) => ({
  domain,
  database: "main",
  revision: 8,
  state: "open",
  health: {
    code: "fine",
    label: "fine",
    severity: "fine",
    sentence: `${domain} is fine`,
    since: null,
    until: null,
    reach: "domain",
  },
  limit: { by: "policy", policy: "latency-cap", reason: "7 is enough.", holdsBack: true },
  size: 7,
  inUse: 7,
  idle: 0,
  waiting: 12,
  floor: 2,
  ceiling: 7,
  target: 7,
  alarms: [],
  answers: [],
  latency: EMPTY,
  wait: EMPTY,
  ...more,
});

export const summary = (domains: string[], sizes: number[]) => {
  const zeros = domains.map(() => 0);
  return {
    states: {
      domain: domains,
      database: domains.map(() => "main"),
      tier: domains.map(() => "gold"),
      labels: domains.map(() => ({})),
      managedBy: domains.map(() => null),
      revision: zeros,
      state: domains.map(() => "open"),
      health: domains.map((domain) => pool(domain).health),
      limit: domains.map(() => ({ by: "nothing", policy: null, holdsBack: false })),
    },
    figures: {
      domain: domains,
      size: sizes,
      inUse: zeros,
      waiting: zeros,
      floor: zeros,
      ceiling: zeros,
      lent: zeros,
      guaranteed: zeros,
      budget: zeros,
      p50Ms: zeros,
      p99Ms: zeros,
      perSecond: zeros,
      turnedAway: zeros,
    },
  };
};

export const hello = (epoch = "a") => ({ type: "hello", node: "n", epoch, schemaVersion: 1, time: iso(0) });
export const snapshot = (seq: number, more: object = {}) => ({
  type: "snapshot",
  seq,
  time: iso(0),
  domains: [pool("bank")],
  databases: [],
  history: {},
  connections: {},
  events: [],
  ...more,
});
export const delta = (seq: number, at = 250, more: object = {}) => ({
  type: "delta",
  seq,
  time: iso(at),
  domains: [pool("bank")],
  databases: [],
  connections: {},
  ...more,
});
export const policyEvent = (seq: number, revision = 9) => ({
  type: "event",
  seq,
  time: iso(100),
  event: "policy",
  domain: "bank",
  revision,
  actor: "admin",
});
export const bookmark = (seq: number, at = 0) => ({ type: "bookmark", seq, time: iso(at) });

export function iso(ms: number): string {
  return new Date(Date.UTC(2026, 10, 21, 12) + ms).toISOString();
}
