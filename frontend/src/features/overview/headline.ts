/** The overview's title: it says whether something is wrong, where, and since when. Pure, so that it can be tested. */
import type { Database, Health, Pool } from "@/api/types";
import { spelled } from "@/format/format";
import { ageOf, isTrouble, toneOf, worstFirst } from "@/ui/health";

export type Headline = { tone: "calm" | "warn" | "bad"; text: string; aside: string };

type PoolFacts = Pick<Pool, "domain" | "health">;
type DatabaseFacts = Pick<Database, "name" | "reachable">;

export function headline(pools: readonly PoolFacts[], databases: readonly DatabaseFacts[], now: number): Headline {
  const [first] = [...pools].sort((a, b) => worstFirst(a.health, b.health));
  const away = databases.filter((d) => !d.reachable).map((d) => d.name);
  const unreachable = away.length > 0 ? `${list(away)} ${away.length === 1 ? "is" : "are"} unreachable` : "";
  if (unreachable && !(first && isTrouble(first.health)))
    return { tone: "warn", text: unreachable, aside: "no domain needs a connection to it now" };
  if (!first)
    return { tone: "calm", text: "There are no domains yet", aside: "create one to give an application its pool" };

  const worst = first.health;
  if (worst.severity === "fine") return { tone: "calm", text: allFine(pools), aside: "" };
  const tone = toneOf(worst);
  const shares = pools.filter((pool) => pool.health.sentence === worst.sentence);
  const named = worst.reach === "domain" || shares.every(({ domain }) => names(worst.sentence, domain));
  const aside = named ? others(pools, worst.reach === "domain" ? [first] : shares) : hit(pools.length, shares);
  return {
    tone: tone === "bad" || tone === "warn" ? tone : "calm",
    text: withAge(worst, now),
    aside: worst.code === "unreachable" ? aside : [unreachable, aside].filter(Boolean).join(", "),
  };
}

/** A health's sentence, with its age where it has one. */
export function withAge(health: Pick<Health, "sentence" | "since">, now: number): string {
  return `${health.sentence} ${ageOf(health, now)}`.trimEnd();
}

function allFine(pools: readonly PoolFacts[]): string {
  const n = pools.length;
  if (n === 1) return `${pools[0]?.domain} is fine`;
  return n === 2 ? "Both domains are fine" : `All ${spelled(n)} domains are fine`;
}

/** Whether a sentence tells a domain by its name. */
const names = (sentence: string, domain: string) => sentence.split(/[\s,]+/).includes(domain);

/** Whom a trouble of a database or of the service hits. */
function hit(total: number, shares: readonly PoolFacts[]): string {
  if (shares.length === total) return total === 1 ? "" : "this hits all domains";
  return shares.length === 1
    ? `this hits ${shares[0]?.domain}`
    : `this hits ${list(shares.map((pool) => pool.domain))}`;
}

/** How those are that the title does not tell. */
function others(pools: readonly PoolFacts[], told: readonly PoolFacts[]): string {
  const rest = pools.filter((pool) => !told.includes(pool));
  const troubled = rest.filter((pool) => isTrouble(pool.health));
  const noted = rest.filter((pool) => pool.health.severity === "notice");
  const [paused, recovered] = [noted.filter(isPaused), noted.filter((pool) => !isPaused(pool))];
  const fine = rest.length - troubled.length - noted.length;
  const parts: string[] = [];
  if (troubled.length > 0)
    parts.push(`${list(troubled.map((p) => p.domain))} ${troubled.length === 1 ? "needs" : "need"} a look too`);
  if (paused.length > 0)
    parts.push(`${list(paused.map((p) => p.domain))} ${paused.length === 1 ? "is" : "are"} paused`);
  if (recovered.length > 0)
    parts.push(`${list(recovered.map((p) => p.domain))} ${recovered.length === 1 ? "has" : "have"} recovered`);
  if (fine > 0) parts.push(theOthers(fine, parts.length > 0));
  return parts.join(", ");
}

const isPaused = (pool: PoolFacts) => pool.health.code === "paused";

function theOthers(fine: number, isLast: boolean): string {
  if (isLast) return `${spelled(fine)} ${fine === 1 ? "is" : "are"} fine`;
  return fine === 1 ? "the other domain is fine" : `the other ${spelled(fine)} domains are fine`;
}

function list(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? "";
  if (names.length > 3) return `${names.slice(0, 2).join(", ")} and ${spelled(names.length - 2)} more`;
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
