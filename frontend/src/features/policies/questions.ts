/** What a policy set or a search will do to whom, with the numbers of now. Pure. */
import type { Scope } from "@/api/policies";
import type { PolicySet, PolicySetRevision, Pool, SizeSearchCreate } from "@/api/types";
import { count } from "@/format/format";
import type { Question } from "@/ui/Confirm";
import { USUAL } from "./sizeSearch";

export type Held = Pick<Pool, "domain" | "inUse" | "waiting">;

type Next = {
  set: PolicySet;
  /** What the service plans for the set; null or undefined if nothing bounds it, or nobody knows. */
  ceiling: number | null | undefined;
  /** The revision that is brought back; undefined for a new set. */
  restores?: number;
};

const refuses = ({ whenExhausted }: PolicySet) => whenExhausted != null && whenExhausted.mode !== "queue";
const are = (n: number) => (n === 1 ? "is" : "are");

/**
 * Before a set takes effect. Null for a new one of a single domain that neither closes connections in use nor refuses who waits.
 *
 * @param pools of the domain, or of all domains on the database
 */
export function questionBeforeSet(
  { kind, name }: Scope,
  { set, ceiling, restores }: Next,
  current: Pick<PolicySetRevision, "revision" | "policySet">,
  pools: readonly Held[],
): Question | null {
  const inUse = pools.reduce((sum, pool) => sum + pool.inUse, 0);
  const waiting = pools.reduce((sum, pool) => sum + pool.waiting, 0);
  const over = ceiling == null ? 0 : Math.max(0, inUse - ceiling);
  const refused = refuses(set) && !refuses(current.policySet) ? waiting : 0;
  if (kind === "domain" && restores === undefined && over + refused === 0) return null;
  const whom = kind === "domain" ? name : `every domain on ${name} (${pools.map((pool) => pool.domain).join(", ")})`;
  const next = `rev ${current.revision + 1}`;
  return {
    title: restores === undefined ? `Apply ${next} to ${name}?` : `Restore rev ${restores} of ${name}?`,
    lines: [
      `It decides for ${whom} from the next step on, as ${next}.`,
      over > 0
        ? `${count(inUse)} connections are in use now, and the ceiling becomes ${count(ceiling)}: ${count(over)} ${over === 1 ? "closes" : "close"} when released. No work is cut.`
        : `${count(inUse)} ${inUse === 1 ? "connection is" : "connections are"} in use now. No work is cut.`,
      ...(refused > 0
        ? [`${count(refused)} ${refused === 1 ? "request waits" : "requests wait"} now and ${are(refused)} refused.`]
        : []),
    ],
    undo:
      current.revision > 0
        ? `Restoring rev ${current.revision} takes it back.${refused > 0 ? " What was refused stays refused." : ""}`
        : "A set without policies takes it back.",
    action: `${restores === undefined ? "Apply" : "Restore"} as ${next}`,
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
      ...(pool
        ? [
            `${count(pool.size)} connections are open now, ${count(pool.inUse)} in use; ${count(Math.round(pool.arrivalsPerSecond))} requests a second arrive, ${count(pool.waiting)} ${pool.waiting === 1 ? "waits" : "wait"}. At a size that is too small they wait longer.`,
          ]
        : []),
    ],
    undo: "Cancelling the search gives the pool back to its policies at once.",
    action: "Search",
  };
}
