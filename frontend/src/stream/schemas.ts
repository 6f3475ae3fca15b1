/**
 * The schemas of the stream's frames. They require only the fields that the dashboard uses, so they accept a newer
 * service with more fields. A frame that lacks a required field is refused as a whole.
 */
import * as z from "zod/mini";
import type { components } from "@/api/schema";
import type { Alarm, Database, Decision, Pool, Second } from "@/api/types";

// Zod generates no code at run time: the Content-Security-Policy forbids it.
z.config({ jitless: true });

const num = z.number();
const maybe = z.nullish(z.number());
const time = z.string();

const alarm = z.looseObject({
  code: z.string(),
  message: z.string(),
  detail: z._default(z.string(), ""),
  since: time,
  until: z.nullish(time),
  severity: z.enum(["notice", "warning", "critical"]),
});

const health = z.looseObject({
  code: z.string(),
  label: z.string(),
  severity: z.enum(["fine", "notice", "warning", "critical"]),
  sentence: z.string(),
  since: z.nullish(time),
  until: z.nullish(time),
});

const limit = z.looseObject({ by: z.string(), reason: z.string(), holdsBack: z.boolean() });

const latency = z.looseObject({
  count: num,
  meanMs: maybe,
  p50Ms: maybe,
  p95Ms: maybe,
  p99Ms: maybe,
  perSecond: maybe,
});

export const sampleSchema = z.looseObject({
  windowMs: num,
  count: num,
  meanMs: maybe,
  p50Ms: maybe,
  p95Ms: maybe,
  p99Ms: maybe,
  perSecond: maybe,
  waitP99Ms: maybe,
  errorsPerSecond: maybe,
  refusedPerSecond: maybe,
});

const pool = z.looseObject({
  domain: z.string(),
  database: z.string(),
  revision: num,
  state: z.string(),
  health,
  limit,
  size: num,
  inUse: num,
  idle: num,
  waiting: num,
  floor: num,
  ceiling: num,
  target: num,
  alarms: z._default(z.array(alarm), []),
  answers: z._default(z.array(z.looseObject({ policy: z.string() })), []),
  latency,
  wait: latency,
});

const second = z.looseObject({
  time,
  inUse: num,
  size: num,
  waiting: num,
  floor: num,
  ceiling: num,
  p50Ms: maybe,
  p95Ms: maybe,
  p99Ms: maybe,
  meanMs: maybe,
  waitP99Ms: maybe,
  perSecond: maybe,
  errorsPerSecond: maybe,
  refusedPerSecond: maybe,
  leasesPerSecond: maybe,
});

const livePool = z.extend(pool, { sample: z.nullish(sampleSchema) });

const database = z.looseObject({
  name: z.string(),
  open: num,
  budget: num,
  health,
  alarms: z._default(z.array(alarm), []),
  reachable: z.boolean(),
  answers: z.nullish(z.array(z.looseObject({ policy: z.string() }))), // a summary has none
});

const series = z.array(z.nullable(z.number()));
const history = z.looseObject({
  stepMs: num,
  time: z.array(time),
  columns: z.record(z.string(), series),
  markers: z._default(z.array(z.looseObject({ time, revision: num, actor: z.nullish(z.string()) })), []),
});

const columns = z.looseObject({
  id: z.array(z.string()),
  state: z.array(z.string()),
  ageMs: series,
  requests: series,
  errors: series,
  p50Ms: series,
  p99Ms: series,
  secondCount: series,
  secondMeanMs: series,
  secondP99Ms: series,
  secondBusy: series,
  holder: z.array(z.nullable(z.string())),
  leaseAgeMs: series,
});

const decision = z.looseObject({
  id: z.string(),
  time,
  lastTime: z.nullish(time),
  count: z._default(num, 1),
  kind: z.string(),
  message: z.string(),
});

const texts = z.array(z.string());
const numbers = z.array(num);

/** A few columns of every domain. A delta has rows only for domains that have changed. */
const summary = z.looseObject({
  states: z.looseObject({
    domain: texts,
    database: texts,
    tier: texts,
    labels: z.array(z.record(z.string(), z.string())),
    managedBy: z.array(z.nullable(z.string())),
    revision: numbers,
    state: texts,
    health: z.array(health),
    limit: z.array(z.looseObject({ by: z.string(), policy: z.nullish(z.string()), holdsBack: z.boolean() })),
  }),
  figures: z.nullish(
    z.looseObject({
      domain: texts,
      size: numbers,
      inUse: numbers,
      waiting: numbers,
      floor: numbers,
      ceiling: numbers,
      lent: numbers,
      guaranteed: numbers,
      budget: numbers,
      p50Ms: numbers,
      p99Ms: numbers,
      perSecond: numbers,
      turnedAway: numbers,
    }),
  ),
});

const event = z.looseObject({
  type: z.literal("event"),
  seq: num,
  time,
  event: z.string(),
  domain: z.nullish(z.string()),
  database: z.nullish(z.string()),
  revision: z.nullish(num),
  actor: z.nullish(z.string()),
  message: z.nullish(z.string()),
  decision: z.nullish(decision),
  alarm: z.nullish(alarm),
  active: z.nullish(z.boolean()),
});

export const frameSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("hello"), epoch: z.string(), schemaVersion: num, time }),
  z.looseObject({
    type: z.literal("snapshot"),
    seq: num,
    time,
    domains: z.array(livePool),
    databases: z._default(z.array(database), []),
    history: z._default(z.record(z.string(), history), {}),
    connections: z._default(z.record(z.string(), columns), {}),
    events: z._default(z.array(z.unknown()), []),
    summary: z.nullish(summary),
  }),
  z.looseObject({
    type: z.literal("delta"),
    seq: num,
    time,
    domains: z._default(z.array(livePool), []),
    seconds: z._default(z.record(z.string(), z.array(second)), {}),
    databases: z._default(z.array(database), []),
    connections: z._default(z.record(z.string(), columns), {}),
    summary: z.nullish(summary),
  }),
  event,
  z.looseObject({ type: z.literal("bookmark"), seq: num, time }),
]);

/**
 * Checked by the compiler: `frameSchema` accepts every frame that the service's OpenAPI document describes. If the
 * service's frames change incompatibly, this line does not compile.
 */
type Accepts<Sent extends z.input<typeof frameSchema>> = Sent;
export type ServiceFrame = Accepts<components["schemas"]["StreamFrame"]>;

export type Sample = z.infer<typeof sampleSchema>;
export type LivePool = Pool & { sample?: Sample | null };
export type LiveDatabase = Database;
type Summary = z.infer<typeof summary>;
/** How a domain is: known of every domain on every page. */
export type Standing = Pick<Pool, "domain" | "database" | "revision" | "state" | "health"> & {
  tier: string | null;
  labels: Readonly<Record<string, string>>;
  /** The owner of its policy set ("files: headgate.yaml"); null if that is edited by hand. */
  managedBy: string | null;
  limit: Pick<Pool["limit"], "by" | "policy" | "holdsBack"> & { reason?: string };
};
/** The few figures of a domain that lists show. */
export type Load = Pick<Pool, "size" | "inUse" | "waiting" | "floor" | "ceiling" | "lent" | "guaranteed" | "budget"> & {
  latency: Pick<Pool["latency"], "p50Ms" | "p99Ms" | "perSecond">;
  /** Requests that got no lease within the last ten minutes. */
  turnedAway: number;
};
/** A row of a list of domains. */
export type PoolRow = Standing & Load;
export type Columns = z.infer<typeof columns>;
export type StreamHistory = z.infer<typeof history>;
export type StreamEvent = {
  type: "event";
  seq: number;
  time: string;
  event: string;
  domain?: string | null;
  database?: string | null;
  revision?: number | null;
  actor?: string | null;
  message?: string | null;
  decision?: Decision | null;
  alarm?: Alarm | null;
  active?: boolean | null;
};
type Hello = { type: "hello"; epoch: string; schemaVersion: number; time: string };
type Bookmark = { type: "bookmark"; seq: number; time: string };
export type Frame = Hello | Snapshot | Delta | StreamEvent | Bookmark;
export type Snapshot = {
  type: "snapshot";
  seq: number;
  time: string;
  domains: LivePool[];
  databases: LiveDatabase[];
  history: Record<string, StreamHistory>;
  connections: Record<string, Columns>;
  events: unknown[];
  summary?: Summary | null;
};
export type Delta = Omit<Snapshot, "type" | "history" | "events"> & {
  type: "delta";
  seconds: Record<string, Second[]>;
};

const FRAME_TYPES = new Set(["hello", "snapshot", "delta", "event", "bookmark"]);

/** Parses a frame. Null for an unknown type (of a newer service). Throws if the frame does not match its type. */
export function parseFrame(text: string): Frame | null {
  const raw: unknown = JSON.parse(text);
  const type = raw && typeof raw === "object" && "type" in raw ? raw.type : undefined;
  if (typeof type === "string" && !FRAME_TYPES.has(type)) return null;
  return frameSchema.parse(raw) as unknown as Frame;
}

/** A past event in a snapshot: a bare decision, or an event frame without a seq. */
export function parsePastEvent(raw: unknown): StreamEvent | null {
  const asEvent = event.safeParse({ seq: 0, type: "event", ...(raw as object) });
  if (asEvent.success) return asEvent.data as unknown as StreamEvent;
  const asDecision = decision.safeParse(raw);
  if (!asDecision.success) return null;
  return { type: "event", seq: 0, time: asDecision.data.time, event: "decision", decision: asDecision.data as never };
}
