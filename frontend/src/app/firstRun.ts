/** How far a new service has come on its way to a first request, from what is there. Pure, so that it can be tested. */
import type { Database, Domain, WireClient } from "@/api/types";

export type Facts = {
  databases: readonly Pick<Database, "name">[];
  domains: readonly Pick<Domain, "name" | "database">[];
  /** Those of the first domain. */
  clients: readonly Pick<WireClient, "name">[];
  /** Whether a request of the first domain was answered. */
  answered: boolean;
};

export type Step = "database" | "domain" | "client" | "request";
export const STEPS: readonly Step[] = ["database", "domain", "client", "request"];

/** What is done. A later step may be done before an earlier one: a client that was removed has left its requests. */
export function done({ databases, domains, clients, answered }: Facts): Record<Step, boolean> {
  return {
    database: databases.length > 0,
    domain: domains.length > 0,
    client: clients.length > 0,
    request: answered,
  };
}

/** The first step that is not done, or null. */
export const nextStep = (ticks: Record<Step, boolean>): Step | null => STEPS.find((step) => !ticks[step]) ?? null;

/** What is kept of the guide in the browser: that it was begun, or that somebody has closed it. */
export type Kept = "begun" | "closed" | null;

/** The guide is for an empty service, and goes on until somebody closes it. */
export const isShown = (kept: Kept, domains: number) => kept === "begun" || (kept === null && domains === 0);

const KEY = "headgate.guide";

export function readKept(): Kept {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "begun" || kept === "closed" ? kept : null;
  } catch {
    return null;
  }
}

export function keep(kept: Exclude<Kept, null>): void {
  try {
    localStorage.setItem(KEY, kept);
  } catch {
    // Without storage it is asked again after a reload.
  }
}
