/** The overview's title: it says whether something is wrong, where, and since when. Pure, so that it can be tested. */
import type { Database, Health, Pool } from "@/api/types";
import { spelled } from "@/format/format";
import { isTrouble, toneOf, withAge, worstFirst } from "@/ui/health";

export type Headline = { tone: "calm" | "warn" | "bad"; text: string; aside: string };

type PoolFacts = Pick<Pool, "domain" | "database" | "health">;
type DatabaseFacts = Pick<Database, "name" | "health">;

/** @param databases of those that are in trouble, the ones whose trouble no domain shares are told too */
export function headline(pools: readonly PoolFacts[], databases: readonly DatabaseFacts[], now: number): Headline {
  const alone = databases.filter(
    ({ health }) => isTrouble(health) && !pools.some((pool) => pool.health.sentence === health.sentence),
  );
  const [worst] = [...pools, ...alone].map((each) => each.health).sort(worstFirst);
  if (!worst)
    return { tone: "calm", text: "There are no domains yet", aside: "create one to give an application its pool" };
  if (worst.severity === "fine") return { tone: "calm", text: allFine(pools), aside: "" };
  const tone = toneOf(worst);
  return {
    tone: tone === "bad" || tone === "warn" ? tone : "calm",
    text: withAge(worst, now),
    aside: beside(worst, pools, alone),
  };
}

/** What is said beside the worst state. */
function beside(worst: Health, pools: readonly PoolFacts[], alone: readonly DatabaseFacts[]): string {
  const database = alone.find(({ health }) => health === worst);
  const more = alone.filter((each) => each !== database).map(({ name }) => name);
  if (database) {
    const used = pools.some((pool) => pool.database === database.name);
    return [used ? "" : "no domain uses it", others(pools, [], more)].filter(Boolean).join(", ");
  }
  const shares = pools.filter((pool) => pool.health.sentence === worst.sentence);
  if (worst.reach === "domain") return others(pools, shares.slice(0, 1), more);
  if (shares.every(({ domain }) => names(worst.sentence, domain))) return others(pools, shares, more);
  return [hit(pools.length, shares), needLook(more)].filter(Boolean).join(", ");
}

function allFine(pools: readonly PoolFacts[]): string {
  const n = pools.length;
  if (n === 0) return "";
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

const needLook = (names: readonly string[]): string =>
  names.length === 0 ? "" : `${list(names)} ${names.length === 1 ? "needs" : "need"} a look too`;

/** How those are that the title does not tell. @param databases that are in trouble, too */
function others(pools: readonly PoolFacts[], told: readonly PoolFacts[], databases: readonly string[]): string {
  const rest = pools.filter((pool) => !told.includes(pool));
  const troubled = rest.filter((pool) => isTrouble(pool.health));
  const noted = rest.filter((pool) => pool.health.severity === "notice");
  const [paused, recovered] = [noted.filter(isPaused), noted.filter((pool) => !isPaused(pool))];
  const fine = rest.length - troubled.length - noted.length;
  const parts: string[] = [];
  const look = needLook([...troubled.map((p) => p.domain), ...databases]);
  if (look) parts.push(look);
  if (paused.length > 0)
    parts.push(`${list(paused.map((p) => p.domain))} ${paused.length === 1 ? "is" : "are"} paused`);
  if (recovered.length > 0)
    parts.push(`${list(recovered.map((p) => p.domain))} ${recovered.length === 1 ? "has" : "have"} recovered`);
  if (fine === pools.length) parts.push(uncapitalized(allFine(pools)));
  else if (fine > 0) parts.push(theOthers(fine, parts.length > 0));
  return parts.join(", ");
}

/** "All three domains" within a sentence; the name of a domain as it is. */
const uncapitalized = (text: string) => text.replace(/^(All|Both) /, (word) => word.toLowerCase());

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
