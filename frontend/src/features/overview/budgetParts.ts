import type { Database, Pool } from "@/api/types";

export type BudgetPart = {
  domain: string | null;
  kind: "own" | "lent" | "closing" | "free";
  count: number;
  share: number;
  label: string;
  title: string;
};

type DatabaseFacts = Pick<Database, "name" | "budget" | "open">;
type PoolFacts = Pick<Pool, "domain" | "database" | "size" | "lent">;

/** Divides a database's budget into each domain's connections, closing ones and free ones. The shares add up to one. */
export function budgetParts(database: DatabaseFacts, pools: readonly PoolFacts[]): BudgetPart[] {
  const here = pools.filter((p) => p.database === database.name).sort((a, b) => a.domain.localeCompare(b.domain));
  const held = here.reduce((sum, p) => sum + p.size, 0);
  const whole = Math.max(1, database.budget, held, database.open);
  const parts: BudgetPart[] = [];
  const add = (domain: string | null, kind: BudgetPart["kind"], count: number, label: string, title: string) => {
    if (count > 0) parts.push({ domain, kind, count, share: count / whole, label, title });
  };
  for (const { domain, size, lent } of here) {
    const borrowed = Math.min(size, lent ?? 0);
    add(domain, "own", size - borrowed, `${domain} ${size - borrowed}`, `${domain}: ${size - borrowed} of its own`);
    add(
      domain,
      "lent",
      borrowed,
      size === borrowed ? `${domain} +${borrowed} lent` : `+${borrowed} lent`,
      `${domain}: ${borrowed} lent to it`,
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
