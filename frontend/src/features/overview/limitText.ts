import type { PolicySet } from "@/api/types";
import { ofDatabase, policyName } from "@/policy/attribution";
import { summaryOf } from "@/policy/summary";
import type { PoolRow } from "@/stream/schemas";

type PoolFacts = Pick<PoolRow, "limit" | "state" | "database" | "ceiling">;

/** What keeps the pool from growing, in a few words. */
export function limitText({ limit, state, database, ceiling }: PoolFacts, set: PolicySet | undefined): string {
  const { policy } = limit;
  if (policy) return ofDatabase(policy) ? policyName(policy, database) : summaryOf(set, policy);
  switch (limit.by) {
    case "nothing":
      return `nothing, up to ${ceiling}`;
    case "budget":
      return `the budget of ${database}`;
    case "unreachable":
      return `${database}, which is unreachable`;
    case "policy":
    case "rate":
    case "database-policy":
      return "its policy set";
    case "paused": // of a pool that drains too: only the state tells one from the other
      return state === "open" ? limit.by : state;
    default:
      return limit.by;
  }
}
