/** What the service reports as changed makes stale what the page has fetched: that, and nothing else. Pure, so that it can be tested. */
import type { StreamEvent } from "@/stream/schemas";

/** As of a query's filter: every query whose key begins so, or only the one with that key. */
export type Stale = { queryKey: readonly string[]; exact?: true };

const all = (...queryKey: string[]): Stale => ({ queryKey });
const only = (...queryKey: string[]): Stale => ({ queryKey, exact: true });

/** The list of domains and what is stored of one of them. */
const ofDomain = (name: string) => [only("domains"), only("domains", name)];

/** A policy set and its history. */
const setOf = (...scope: string[]) => [all("policies", ...scope), all("revisions", ...scope)];

/** The key of a scope, as the keys of its queries have it. None where neither is named: it may be any. */
function scopeOf({ domain, database }: Pick<StreamEvent, "domain" | "database">): string[] {
  if (domain) return [`domain/${domain}`];
  return database ? [`database/${database}`] : [];
}

export function staleAfter(event: StreamEvent): Stale[] {
  const { domain, decision } = event;
  switch (event.event) {
    case "policy":
      return [
        ...setOf(...scopeOf(event)),
        all("plugins"), // their users
        ...(domain ? ofDomain(domain) : [all("databases")]),
        all("audit"),
      ];
    case "decision":
      return decision?.kind === "unjudged" ? [...setOf(...scopeOf(decision)), all("audit")] : [];
    case "domains":
      return [
        ...(domain ? ofDomain(domain) : event.database ? [] : [all("domains")]),
        all("databases"), // a domain's database tells its domains
        ...setOf(...scopeOf(event)), // its owner; and a domain that is made anew under its name begins at rev 1
        all("audit"),
      ];
    default:
      return [];
  }
}
