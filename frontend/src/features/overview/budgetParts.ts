import type { Database, Pool } from "@/api/types";
import { byName } from "@/format/names";

export type BudgetPart = {
  domain: string | null;
  kind: "own" | "lent" | "closing" | "free";
  count: number;
  share: number;
  label: string;
  /** For the list of all parts. Null if another part of the domain tells it. */
  title: string | null;
};

type DatabaseFacts = Pick<Database, "name" | "budget" | "open">;
type PoolFacts = Pick<Pool, "domain" | "database" | "size" | "lent" | "guaranteed">;

/** Divides a database's budget into each domain's connections, closing ones and free ones. The shares add up to one. */
export function budgetParts(database: DatabaseFacts, pools: readonly PoolFacts[]): BudgetPart[] {
  const here = pools.filter((p) => p.database === database.name).sort((a, b) => byName(a.domain, b.domain));
  const held = here.reduce((sum, p) => sum + p.size, 0);
  const whole = Math.max(1, database.budget, held, database.open);
  const parts: BudgetPart[] = [];
  const add = (domain: string | null, kind: BudgetPart["kind"], count: number, label: string, title: string | null) => {
    if (count > 0) parts.push({ domain, kind, count, share: count / whole, label, title });
  };
  for (const { domain, size, lent, guaranteed } of here) {
    const borrowed = Math.min(size, lent ?? 0);
    const own = size - borrowed;
    const title = [
      `${domain}: ${size} open`,
      guaranteed > 0 && `${guaranteed} guaranteed`,
      borrowed > 0 && `${borrowed} lent to it`,
    ]
      .filter(Boolean)
      .join(", ");
    add(domain, "own", own, `${domain} ${own}`, title);
    add(
      domain,
      "lent",
      borrowed,
      own === 0 ? `${domain} +${borrowed} lent` : `+${borrowed} lent`,
      own === 0 ? title : null,
    );
  }
  add(
    null,
    "closing",
    database.open - held,
    `${database.open - held} closing`,
    `${database.open - held} opening or closing`,
  );
  const free = whole - Math.max(held, database.open);
  add(null, "free", free, `${free} free`, `${free} free`);
  return parts;
}
