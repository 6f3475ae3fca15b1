/**
 * The store of live pool data. Frames arrive at up to 10 Hz. React is notified at most every 250 ms, of a snapshot at once, for a page
 * waits for it. A component re-renders only when its selection has changed. Charts read the ring buffers directly.
 */
import type { Decision, Second } from "@/api/types";
import { RingBuffer } from "@/charts/ringBuffer";
import { byName } from "@/format/names";
import { Heat } from "./heat";
import {
  type Columns,
  type Delta,
  type Frame,
  type LiveDatabase,
  type LivePool,
  type Load,
  type PoolRow,
  parsePastEvent,
  type Snapshot,
  type Standing,
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
  "leasesPerSecond",
] as const satisfies readonly Exclude<keyof Second, "time">[];
export type SeriesName = (typeof SERIES)[number];
export type Series = RingBuffer<SeriesName>;
export type Marker = { time: number; revision: number; actor: string };

/** Rows of a series, one per second: live charts show five minutes. Every domain that was ever on the page has as many. */
const CAPACITY = 330;
/** So many decisions are kept, the newest. */
export const DECISIONS = 200;
const NOTIFY_MS = 250;

export class LiveStore {
  readonly #pools = new Map<string, LivePool>();
  readonly #standings = new Map<string, Standing>();
  readonly #loads = new Map<string, Load>();
  readonly #rows = new Map<string, PoolRow>();
  readonly #series = new Map<string, Series>();
  readonly #markers = new Map<string, readonly Marker[]>();
  readonly #columns = new Map<string, Columns>();
  readonly #heat = new Map<string, Heat>();
  #databases: readonly LiveDatabase[] = [];
  #standingList: readonly Standing[] = [];
  #rowList: readonly PoolRow[] = [];
  #decisions: readonly Decision[] = [];
  #hasSnapshot = false;
  #shown: Shown = NOTHING_SHOWN;
  /** The service's time of the newest frame; all events before it were told. */
  #toldUntil = Number.POSITIVE_INFINITY;
  readonly #listeners = new Set<() => void>();
  readonly #eventListeners = new Set<(event: StreamEvent) => void>();
  #dirty = false;
  #forget: (() => void) | undefined;

  /** `schedule` runs the notification: in an animation frame in the browser, at once in tests. What it answers takes it back. */
  constructor(private readonly schedule: (run: () => void, ms: number) => (() => void) | undefined) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  onEvent(listener: (event: StreamEvent) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  get hasSnapshot(): boolean {
    return this.#shown.hasSnapshot;
  }
  /** Every domain, sorted by name. The list stays the same while no state changes. */
  pools(): readonly Standing[] {
    return this.#shown.pools;
  }
  standing(domain: string): Standing | undefined {
    return this.#shown.standings.get(domain);
  }
  /** Every domain with its figures, sorted by name; empty until they were subscribed to. A row stays the same while it does not change. */
  rows(): readonly PoolRow[] {
    return this.#shown.rows;
  }
  /** A domain that is subscribed to in full. */
  pool(domain: string): LivePool | undefined {
    return this.#shown.full.get(domain);
  }
  databases(): readonly LiveDatabase[] {
    return this.#shown.databases;
  }
  decisions(): readonly Decision[] {
    return this.#shown.decisions;
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
    if (frame.type !== "event") this.#toldUntil = Date.parse(frame.time);
    this.changed(frame.type === "snapshot" ? 0 : NOTIFY_MS);
  }

  /** Schedules a notification of the listeners. Also called when the status of the stream changed. */
  changed(withinMs = NOTIFY_MS): void {
    if (this.#dirty && withinMs > 0) return;
    this.#dirty = true;
    this.#forget?.();
    this.#forget = this.schedule(() => this.#notify(), withinMs);
  }

  /** Tells the listeners now what they would be told soon. */
  tellNow(): void {
    this.#forget?.();
    this.#notify();
  }

  #notify(): void {
    if (!this.#dirty) return;
    this.#dirty = false;
    this.#shown = {
      hasSnapshot: this.#hasSnapshot,
      pools: this.#standingList,
      standings: new Map(this.#standings),
      rows: this.#rowList,
      full: new Map(this.#pools),
      databases: this.#databases,
      decisions: this.#decisions,
    };
    for (const listener of this.#listeners) listener();
  }

  #snapshot(frame: Snapshot): void {
    this.#hasSnapshot = true;
    this.#pools.clear();
    this.#standings.clear();
    this.#loads.clear();
    this.#summary(frame);
    for (const ofDomains of [this.#rows, this.#series, this.#markers, this.#columns, this.#heat])
      this.#forgetRemoved(ofDomains);
    this.#databases = frame.databases;
    for (const [domain, history] of Object.entries(frame.history)) this.#history(domain, history);
    this.#takeColumns(frame.time, frame.connections);
    for (const raw of frame.events) {
      const event = parsePastEvent(raw);
      if (!event) continue;
      // What happened between the service's hello and this, while the page read over REST, is news.
      if (Date.parse(event.time) >= this.#toldUntil) this.#event(event);
      else this.#remember(event);
    }
  }

  /** The states and figures in a frame: of the domains that it shows in full, and the summary's of all. */
  #summary({ domains, summary }: Snapshot | Delta): void {
    const changed = new Set<string>();
    let restated = false;
    const state = (next: Standing) => {
      const known = this.#standings.get(next.domain);
      if (known && sameStanding(known, next)) return;
      this.#standings.set(next.domain, next);
      changed.add(next.domain);
      restated = true;
    };
    if (summary) {
      const { states: s, figures: f } = summary;
      s.domain.forEach((domain, i) => {
        const limit = s.limit[i];
        const health = s.health[i];
        if (!limit || !health) return;
        state({
          domain,
          database: s.database[i] ?? "",
          tier: s.tier[i] === "none" ? null : (s.tier[i] ?? null),
          labels: s.labels[i] ?? NO_LABELS,
          managedBy: s.managedBy[i] ?? null,
          revision: s.revision[i] ?? 0,
          state: (s.state[i] ?? "open") as Standing["state"],
          health: health as Standing["health"],
          limit: limit as Standing["limit"],
        });
      });
      f?.domain.forEach((domain, i) => {
        const of = (column: readonly number[]) => column[i] ?? 0;
        changed.add(domain);
        this.#loads.set(domain, {
          size: of(f.size),
          inUse: of(f.inUse),
          waiting: of(f.waiting),
          floor: of(f.floor),
          ceiling: of(f.ceiling),
          lent: of(f.lent),
          guaranteed: of(f.guaranteed),
          budget: of(f.budget),
          latency: { p50Ms: of(f.p50Ms), p99Ms: of(f.p99Ms), perSecond: of(f.perSecond) },
          turnedAway: of(f.turnedAway),
        });
      });
    }
    for (const pool of domains) {
      this.#pools.set(pool.domain, pool);
      const { tier = null, labels = NO_LABELS, managedBy = null } = this.#standings.get(pool.domain) ?? {};
      state({ ...standingOf(pool), tier, labels, managedBy });
    }
    if (restated) this.#standingList = [...this.#standings.values()].sort(byDomain);
    let drawn = false;
    for (const domain of changed) {
      const standing = this.#standings.get(domain);
      const load = this.#loads.get(domain);
      if (!standing || !load) continue;
      this.#rows.set(domain, { ...standing, ...load });
      drawn = true;
    }
    for (const domain of this.#rows.keys())
      if (!this.#loads.has(domain)) {
        this.#rows.delete(domain);
        drawn = true;
      }
    if (drawn) this.#rowList = [...this.#rows.values()].sort(byDomain);
  }

  /** Drops data of removed domains: a page may stay open for weeks while tests create and delete domains. */
  #forgetRemoved(ofDomains: Map<string, unknown>): void {
    for (const domain of [...ofDomains.keys()]) if (!this.#standings.has(domain)) ofDomains.delete(domain);
  }

  #delta(frame: Delta): void {
    this.#summary(frame);
    for (const [domain, seconds] of Object.entries(frame.seconds))
      for (const second of seconds) this.series(domain).push(Date.parse(second.time), second);
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

/**
 * What the page was told last. Between two notifications it stays the same: a component that draws itself anew meanwhile, for the time
 * that it shows, would else contradict its neighbours.
 */
type Shown = {
  readonly hasSnapshot: boolean;
  readonly pools: readonly Standing[];
  readonly standings: ReadonlyMap<string, Standing>;
  readonly rows: readonly PoolRow[];
  readonly full: ReadonlyMap<string, LivePool>;
  readonly databases: readonly LiveDatabase[];
  readonly decisions: readonly Decision[];
};

const NOTHING_SHOWN: Shown = {
  hasSnapshot: false,
  pools: [],
  standings: new Map(),
  rows: [],
  full: new Map(),
  databases: [],
  decisions: [],
};

const NO_LABELS: Standing["labels"] = {};
const NO_MARKERS: readonly Marker[] = [];

const byDomain = (a: Standing, b: Standing) => byName(a.domain, b.domain);

function standingOf({
  domain,
  database,
  revision,
  state,
  health,
  limit,
}: LivePool): Omit<Standing, "tier" | "labels" | "managedBy"> {
  const { by, policy, holdsBack } = limit;
  return { domain, database, revision, state, health, limit: { by, policy, holdsBack } };
}

function sameStanding(a: Standing, b: Standing): boolean {
  return (
    a.revision === b.revision &&
    a.state === b.state &&
    a.database === b.database &&
    a.tier === b.tier &&
    a.managedBy === b.managedBy &&
    JSON.stringify(a.labels) === JSON.stringify(b.labels) && // both by name
    a.health.code === b.health.code &&
    a.health.severity === b.health.severity &&
    a.health.sentence === b.health.sentence &&
    a.health.since === b.health.since &&
    a.health.until === b.health.until &&
    a.limit.by === b.limit.by &&
    (a.limit.policy ?? null) === (b.limit.policy ?? null) &&
    a.limit.holdsBack === b.limit.holdsBack
  );
}

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
