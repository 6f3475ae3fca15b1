/** What a policy set or a search will do to whom, with the stream's newest numbers. Pure. */
import type { Scope } from "@/api/policies";
import type { Answer, Plan, PolicySet, PolicySetRevision, Pool, ShadowSet, SizeSearchCreate } from "@/api/types";
import { count, duration, whenText, type Zone } from "@/format/format";
import { UNTOLD } from "@/stream/freshness";
import type { Question } from "@/ui/Confirm";
import { USUAL } from "./sizeSearch";

/** The rows of a database's domains do not tell what arrives. */
export type Held = Pick<Pool, "domain" | "inUse" | "waiting"> & Partial<Pick<Pool, "arrivalsPerSecond">>;

export type Next = {
  set: PolicySet;
  /** What the service plans for the set; undefined if it does not say. */
  plan: Pick<Plan, "now" | "planned"> | undefined;
  /** The revision that is brought back; undefined for a new set. */
  restores?: number;
  /** Asks in any case: before a revision that was chosen from a list, and while the figures are old. */
  always?: boolean;
};

const are = (n: number) => (n === 1 ? "is" : "are");

/**
 * Before a set takes effect. Null for one of a single domain that neither closes connections in use nor lets fewer requests in.
 *
 * @param told of the domain, or of all domains on the database; undefined if the stream has not told
 */
export function questionBeforeSet(
  { kind, name }: Scope,
  { set, plan, restores, always = false }: Next,
  current: Pick<PolicySetRevision, "revision" | "policySet">,
  told: readonly Held[] | undefined,
): Question | null {
  const pools = told ?? [];
  const ceiling = plan?.planned?.ceiling;
  const inUse = pools.reduce((sum, pool) => sum + pool.inUse, 0);
  const waiting = pools.reduce((sum, pool) => sum + pool.waiting, 0);
  const arriving = told ? pools.reduce((sum, pool) => sum + (pool.arrivalsPerSecond ?? Number.NaN), 0) : Number.NaN;
  const over = ceiling == null ? 0 : Math.max(0, inUse - ceiling);
  const [before, after] = [exhausted(kind, current.policySet), exhausted(kind, set)];
  const stricter = [...refusals(before, after, waiting), ...slower(plan, arriving)];
  if (kind === "domain" && !always && told && plan && over === 0 && stricter.length === 0) return null;
  const names = pools.length > 0 ? ` (${pools.map((pool) => pool.domain).join(", ")})` : "";
  const whom = kind === "domain" ? name : `every domain on ${name}${names}`;
  const held =
    over > 0
      ? `${count(inUse)} connections are in use, and the ceiling becomes ${count(ceiling)}: ${count(over)} ${over === 1 ? "closes" : "close"} when released. No work is cut.`
      : `${count(inUse)} ${inUse === 1 ? "connection is" : "connections are"} in use. No work is cut.`;
  const next = `rev ${current.revision + 1}`;
  return {
    title: restores === undefined ? `Apply ${next} to ${name}?` : `Restore rev ${restores} of ${name}?`,
    lines: [
      `It decides for ${whom} from the next step on, as ${next}.`,
      ...(plan ? [] : ["The service makes no plan: which limits it sets is not known."]),
      told ? held : UNTOLD,
      ...stricter,
      ...(stricter.length > 0 && Number.isFinite(arriving)
        ? [
            `${count(Math.round(arriving))} ${Math.round(arriving) === 1 ? "request arrives" : "requests arrive"} a second.`,
          ]
        : []),
    ],
    streamed: true,
    undo:
      current.revision > 0
        ? `Restoring rev ${current.revision} takes it back.${stricter.length > 0 ? " What was refused stays refused." : ""}`
        : "A set without policies takes it back.",
    action: `${restores === undefined ? "Apply" : "Restore"} as ${next}`,
  };
}

type Exhausted = { mode: NonNullable<PolicySet["whenExhausted"]>["mode"]; timeoutMs: number; depth: number };

/** What the service takes for what a set does not say. */
const exhausted = (kind: Scope["kind"], { whenExhausted: said }: PolicySet): Exhausted =>
  said || kind === "domain"
    ? { mode: said?.mode ?? "queue", timeoutMs: said?.timeoutMs ?? 5_000, depth: said?.depth ?? 1_000 }
    : { mode: "queue", timeoutMs: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY };

/** From the least to the strictest. */
const MODES = ["queue", "fail", "reject"];

/** What becomes stricter for requests that find no free connection, a sentence each. */
function refusals(before: Exhausted, { mode, timeoutMs, depth }: Exhausted, waiting: number): string[] {
  const harsher = MODES.indexOf(mode) > MODES.indexOf(before.mode);
  if (mode !== "queue")
    return harsher
      ? [
          `A request that finds no free connection ${mode === "fail" ? "fails at once" : "is refused before any work is done"}.`,
          ...(before.mode === "queue" && waiting > 0
            ? [`${count(waiting)} ${waiting === 1 ? "request waits" : "requests wait"} and ${are(waiting)} refused.`]
            : []),
        ]
      : [];
  if (before.mode !== "queue") return [];
  const than = (former: number, text: (n: number) => string) =>
    Number.isFinite(former) ? `, not ${text(former)}` : "";
  return [
    ...(timeoutMs < before.timeoutMs
      ? [`A request waits for at most ${duration(timeoutMs)}${than(before.timeoutMs, duration)}; then it fails.`]
      : []),
    ...(depth < before.depth
      ? [`At most ${count(depth)} requests wait${than(before.depth, count)}. Others are refused.`]
      : []),
  ];
}

/** What becomes stricter for all requests: a rate that was not limited, or that falls below what arrives. */
function slower(plan: Next["plan"], arriving: number): string[] {
  const [former, rate] = [rateOf(plan?.now?.answers), rateOf(plan?.planned?.answers)];
  if (rate >= former || (Number.isFinite(former) && rate >= arriving)) return [];
  return [
    `At most ${count(rate)} requests a second get a connection${Number.isFinite(former) ? `, not ${count(former)}` : ""}. What comes faster waits, or is refused.`,
  ];
}

const rateOf = (answers: readonly Answer[] = []) =>
  Math.min(...answers.map((answer) => answer.ratePerSecond ?? Number.POSITIVE_INFINITY));

/** Before a shadow set that somebody else began ends, or gives way to another. */
export function questionBeforeShadow(
  act: "replace" | "end",
  domain: string,
  { actor, createdAt, steps }: Pick<ShadowSet, "actor" | "createdAt" | "steps">,
  zone: Zone,
  now: number,
): Question {
  return {
    title: `${act === "end" ? "End" : "Replace"} the shadow set of ${domain}?`,
    lines: [
      `${actor} began it at ${whenText(createdAt, zone, now)}, and not on this page.`,
      `It ends for everybody, with its comparison of ${count(steps)} steps. What it decided otherwise stays in the decision log.`,
    ],
    undo: "“Use as draft” keeps the set itself. A shadow set that is begun again counts anew.",
    action: `${act === "end" ? "End" : "Replace"} it`,
    keep: "Keep it",
  };
}

/** Before a search resizes a live pool. */
export function questionBeforeSearch(
  domain: string,
  { mostSeconds, most }: SizeSearchCreate,
  pool: Pick<Pool, "size" | "inUse" | "waiting" | "arrivalsPerSecond"> | undefined,
): Question {
  return {
    title: `Search for the size of ${domain}?`,
    lines: [
      `For up to ${count(mostSeconds ?? Number(USUAL.mostSeconds))} s it sets the size of the live pool, from 1 to ${most ? count(most) : "what the budget leaves"}. The policies do not decide meanwhile.`,
      pool
        ? `${count(pool.size)} connections are open, ${count(pool.inUse)} in use; ${count(Math.round(pool.arrivalsPerSecond))} requests a second arrive, ${count(pool.waiting)} ${pool.waiting === 1 ? "waits" : "wait"}. At a size that is too small they wait longer.`
        : UNTOLD,
    ],
    streamed: true,
    undo: "Cancelling the search gives the pool back to its policies at once.",
    action: "Search",
  };
}
