/**
 * The store of live pool data. Frames arrive at up to 10 Hz. React is notified at most every 250 ms, and a component
 * re-renders only when its selection has changed. Charts read the ring buffers directly.
 */
import type { Decision, Second } from "@/api/types";
import { RingBuffer } from "@/charts/ringBuffer";
import { Heat } from "./heat";
import {
  type Columns,
  type Delta,
  type Frame,
  type LiveDatabase,
  type LivePool,
  parsePastEvent,
  type Snapshot,
  type StreamEvent,
  type StreamHistory,
} from "./schemas";

export const SERIES = [
  "inUse",
  "size",
  "waiting",
  "floor",
  "ceiling",
  "p50Ms",
  "p95Ms",
  "p99Ms",
  "meanMs",
  "waitP99Ms",
  "perSecond",
  "errorsPerSecond",
  "refusedPerSecond",
] as const satisfies readonly Exclude<keyof Second, "time">[];
export type SeriesName = (typeof SERIES)[number];
export type Series = RingBuffer<SeriesName>;
export type Marker = { time: number; revision: number; actor: string };

/** Rows of a series: one hour at one row per second, more than any live chart shows. */
const CAPACITY = 3_600;
const DECISIONS = 200;
const NOTIFY_MS = 250;

export class LiveStore {
  readonly #pools = new Map<string, LivePool>();
  readonly #series = new Map<string, Series>();
  readonly #markers = new Map<string, readonly Marker[]>();
  readonly #columns = new Map<string, Columns>();
  readonly #heat = new Map<string, Heat>();
  #databases: readonly LiveDatabase[] = [];
  #poolList: readonly LivePool[] = [];
  #decisions: readonly Decision[] = [];
  #hasSnapshot = false;
  readonly #listeners = new Set<() => void>();
  readonly #eventListeners = new Set<(event: StreamEvent) => void>();
  #dirty = false;

  /** `schedule` runs the notification: in an animation frame in the browser, at once in tests. */
  constructor(private readonly schedule: (run: () => void, ms: number) => void) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  onEvent(listener: (event: StreamEvent) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  get hasSnapshot(): boolean {
    return this.#hasSnapshot;
  }
  pools(): readonly LivePool[] {
    return this.#poolList;
  }
  pool(domain: string): LivePool | undefined {
    return this.#pools.get(domain);
  }
  databases(): readonly LiveDatabase[] {
    return this.#databases;
  }
  decisions(): readonly Decision[] {
    return this.#decisions;
  }
  markers(domain: string): readonly Marker[] {
    return this.#markers.get(domain) ?? NO_MARKERS;
  }
  columns(domain: string): Columns | undefined {
    return this.#columns.get(domain);
  }
  heat(domain: string): Heat {
    return getOr(this.#heat, domain, () => new Heat());
  }
  series(domain: string): Series {
    return getOr(this.#series, domain, () => new RingBuffer(SERIES, CAPACITY));
  }

  apply(frame: Frame): void {
    if (frame.type === "snapshot") this.#snapshot(frame);
    else if (frame.type === "delta") this.#delta(frame);
    else if (frame.type === "event") this.#event(frame);
    this.changed();
  }

  /** Schedules a notification of the listeners. Also called when the status of the stream changed. */
  changed(): void {
    if (this.#dirty) return;
    this.#dirty = true;
    this.schedule(() => {
      this.#dirty = false;
      for (const listener of this.#listeners) listener();
    }, NOTIFY_MS);
  }

  #snapshot(frame: Snapshot): void {
    this.#hasSnapshot = true;
    this.#pools.clear();
    for (const pool of frame.domains) this.#pools.set(pool.domain, pool);
    for (const ofDomains of [this.#series, this.#markers, this.#columns, this.#heat]) this.#forgetRemoved(ofDomains);
    this.#databases = frame.databases;
    for (const [domain, history] of Object.entries(frame.history)) this.#history(domain, history);
    this.#takeColumns(frame.time, frame.connections);
    for (const raw of frame.events) {
      const event = parsePastEvent(raw);
      if (event) this.#remember(event);
    }
    this.#poolList = [...this.#pools.values()];
  }

  /** Drops data of removed domains: a page may stay open for weeks while tests create and delete domains. */
  #forgetRemoved(ofDomains: Map<string, unknown>): void {
    for (const domain of [...ofDomains.keys()]) if (!this.#pools.has(domain)) ofDomains.delete(domain);
  }

  #delta(frame: Delta): void {
    for (const pool of frame.domains) this.#pools.set(pool.domain, pool);
    for (const [domain, seconds] of Object.entries(frame.seconds))
      for (const second of seconds) this.series(domain).push(Date.parse(second.time), second);
    if (frame.domains.length > 0) this.#poolList = [...this.#pools.values()];
    if (frame.databases.length > 0) {
      const news = new Map(frame.databases.map((d) => [d.name, d]));
      this.#databases = this.#databases.map((d) => ({ ...d, ...news.get(d.name) }));
    }
    this.#takeColumns(frame.time, frame.connections);
  }

  #takeColumns(time: string, connections: Record<string, Columns>): void {
    for (const [domain, columns] of Object.entries(connections)) {
      this.#columns.set(domain, columns);
      this.heat(domain).add(Date.parse(time), columns);
    }
  }

  /** The service's record of the last minutes replaces ours. Rows that it does not cover are kept. */
  #history(domain: string, history: StreamHistory): void {
    const series = this.series(domain);
    const measured = history.time.findIndex((_, i) => history.columns.size?.[i] != null);
    if (measured >= 0) {
      series.truncateFrom(Date.parse(history.time[measured] as string));
      for (let i = measured; i < history.time.length; i++) {
        const row: Partial<Record<SeriesName, number | null | undefined>> = {};
        for (const name of SERIES) row[name] = history.columns[name]?.[i];
        series.push(Date.parse(history.time[i] as string), row);
      }
    }
    for (const { time, revision, actor } of history.markers)
      this.#mark(domain, { time: Date.parse(time), revision, actor: actor ?? "" });
  }

  #mark(domain: string, marker: Marker): void {
    const known = this.markers(domain);
    if (known.some((m) => m.revision === marker.revision)) return;
    this.#markers.set(domain, [...known, marker].sort((a, b) => a.time - b.time).slice(-50));
  }

  #event(event: StreamEvent): void {
    this.#remember(event);
    for (const listener of this.#eventListeners) listener(event);
  }

  #remember(event: StreamEvent): void {
    if (event.event === "decision" && event.decision) this.#decisions = upsert(this.#decisions, event.decision);
    if (event.event === "policy" && event.domain && event.revision != null)
      this.#mark(event.domain, { time: Date.parse(event.time), revision: event.revision, actor: event.actor ?? "" });
  }
}

const NO_MARKERS: readonly Marker[] = [];

/** Adds a decision, newest first. It replaces an earlier one with the same id. */
export function upsert(decisions: readonly Decision[], decision: Decision): readonly Decision[] {
  const others = decisions.filter((d) => d.id !== decision.id);
  const at = others.findIndex((d) => lastTime(d) <= lastTime(decision));
  others.splice(at < 0 ? others.length : at, 0, decision);
  return others.slice(0, DECISIONS);
}

const lastTime = (d: Decision) => Date.parse(d.lastTime ?? d.time);

function getOr<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
