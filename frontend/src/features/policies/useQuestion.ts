import { useQueryClient } from "@tanstack/react-query";
import { planQuery, type Scope } from "@/api/policies";
import type { PolicySet, PolicySetRevision } from "@/api/types";
import { freshness, live } from "@/stream/browser";
import { isCurrent } from "@/stream/freshness";
import type { Question } from "@/ui/Confirm";
import { bare } from "./draft";
import { type Held, type Next, questionBeforeSet } from "./questions";

type Current = Pick<PolicySetRevision, "revision" | "policySet">;

/** Makes the question before a set takes effect, from the service's plan and the pools of now. Null if nothing is to be asked. */
export function useQuestion(scope: Scope) {
  const queries = useQueryClient();
  return async (
    set: PolicySet,
    current: Current,
    how: Pick<Next, "restores" | "always"> = {},
  ): Promise<Question | null> => {
    // Without a plan the service says what is wrong with the set.
    const plan = await queries.fetchQuery(planQuery(scope, bare(set), current.revision)).catch(() => undefined);
    const always = how.always || !isCurrent(freshness().level);
    return questionBeforeSet(scope, { set, plan, ...how, always }, current, held(scope));
  };
}

/** Undefined if the stream has not told. */
function held({ kind, name }: Scope): readonly Held[] | undefined {
  if (kind === "domain") {
    const pool = live.pool(name);
    return pool && [pool];
  }
  const on = (each: { database: string }) => each.database === name;
  const rows = live.rows().filter(on);
  return live.hasSnapshot && rows.length === live.pools().filter(on).length ? rows : undefined;
}
