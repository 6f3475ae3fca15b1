import { useQueryClient } from "@tanstack/react-query";
import { planQuery, type Scope } from "@/api/policies";
import type { PolicySet, PolicySetRevision } from "@/api/types";
import { live } from "@/stream/browser";
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
    return questionBeforeSet(scope, { set, plan, ...how }, current, held(scope));
  };
}

function held({ kind, name }: Scope): readonly Held[] {
  if (kind === "database") return live.rows().filter((row) => row.database === name);
  const pool = live.pool(name);
  return pool ? [pool] : [];
}
