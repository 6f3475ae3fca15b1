import { queryOptions, skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRested } from "@/ui/rested";
import { answer, client, reading } from "./client";
import { everything } from "./pages";
import { Problem } from "./problem";
import type { Plan, PolicyPlugin, PolicySet, PolicySetRevision } from "./types";

/** The owner of a policy set: a domain, or a database. A database's set applies to the sum of its domains. */
export type Scope = { readonly kind: "domain" | "database"; readonly name: string };

export const scopeKey = (scope: Scope) => `${scope.kind}/${scope.name}`;

const ifMatch = (revision: number) => ({ "If-Match": `"${revision}"` });

export async function readPolicySet({ kind, name }: Scope): Promise<PolicySetRevision> {
  const call =
    kind === "domain"
      ? client.GET("/api/v1/domains/{domain}/policies", { params: { path: { domain: name } } })
      : client.GET("/api/v1/databases/{database}/policies", { params: { path: { database: name } } });
  return (await answer<unknown>(call)) as PolicySetRevision;
}

/** Replaces the revision that the set was drafted on. 412 if another revision is in force. */
export async function putPolicySet(
  { kind, name }: Scope,
  body: PolicySet,
  revision: number,
  guard?: string,
): Promise<PolicySetRevision> {
  const header = ifMatch(revision);
  const query = { guard };
  const call =
    kind === "domain"
      ? client.PUT("/api/v1/domains/{domain}/policies", { params: { path: { domain: name }, query, header }, body })
      : client.PUT("/api/v1/databases/{database}/policies", {
          params: { path: { database: name }, query, header },
          body,
        });
  return (await answer<unknown>(call)) as PolicySetRevision;
}

/** Without the prediction, which takes longer (see `usePrediction`). */
async function plan({ kind, name }: Scope, body: PolicySet): Promise<Plan> {
  const query = { predict: false };
  const call =
    kind === "domain"
      ? client.POST("/api/v1/domains/{domain}/policies/plan", {
          params: { path: { domain: name }, query },
          body,
          fetch: reading,
        })
      : client.POST("/api/v1/databases/{database}/policies/plan", {
          params: { path: { database: name }, query },
          body,
          fetch: reading,
        });
  return (await answer<unknown>(call)) as Plan;
}

function revisions({ kind, name }: Scope): Promise<PolicySetRevision[]> {
  return everything((query) =>
    kind === "domain"
      ? answer(client.GET("/api/v1/domains/{domain}/policies/revisions", { params: { path: { domain: name }, query } }))
      : answer(
          client.GET("/api/v1/databases/{database}/policies/revisions", {
            params: { path: { database: name }, query },
          }),
        ),
  );
}

async function restore({ kind, name }: Scope, revision: number, current: number): Promise<PolicySetRevision> {
  const header = ifMatch(current);
  const call =
    kind === "domain"
      ? client.POST("/api/v1/domains/{domain}/policies/revisions/{revision}/restore", {
          params: { path: { domain: name, revision }, header },
        })
      : client.POST("/api/v1/databases/{database}/policies/revisions/{revision}/restore", {
          params: { path: { database: name, revision }, header },
        });
  return (await answer<unknown>(call)) as PolicySetRevision;
}

export const policySetQuery = (scope: Scope) =>
  queryOptions({ queryKey: ["policies", scopeKey(scope)], queryFn: () => readPolicySet(scope) });

export const revisionsQuery = (scope: Scope) =>
  queryOptions({ queryKey: ["revisions", scopeKey(scope)], queryFn: () => revisions(scope) });

/** The scope's current state as a policy file. */
export const exportQuery = ({ kind, name }: Scope, revision: number, enabled: boolean) =>
  queryOptions({
    queryKey: ["export", scopeKey({ kind, name }), revision],
    queryFn: () =>
      answer<string>(
        client.GET("/api/v1/files/export", {
          params: { query: kind === "domain" ? { domain: name } : { database: name } },
          parseAs: "text",
        }),
      ),
    enabled,
  });

export const planQuery = (scope: Scope, body: PolicySet | null, baseRevision: number) =>
  queryOptions({
    queryKey: ["plan", scopeKey(scope), baseRevision, body],
    queryFn: body === null ? skipToken : () => plan(scope, body),
    staleTime: 2_000,
    gcTime: 10_000,
    retry: false,
  });

function useAfter(scope: Scope) {
  const queries = useQueryClient();
  const { queryKey } = policySetQuery(scope);
  const outdated = () => void queries.invalidateQueries({ queryKey: ["revisions", scopeKey(scope)] });
  return {
    took(taken: PolicySetRevision) {
      queries.setQueryData(queryKey, taken);
      outdated();
      void queries.invalidateQueries({ queryKey: ["domains"] });
    },
    /** Somebody else changed the set, or files now manage it: what is shown is not the newest revision, also where no stream tells so. */
    refused(error: Error) {
      if (!(error instanceof Problem && (error.status === 412 || error.status === 409))) return;
      void queries.invalidateQueries({ queryKey });
      outdated();
    },
  };
}

/** @param onTaken is called also if the caller is no longer on the page when the answer comes */
export function usePutPolicySet(scope: Scope, onTaken: (sent: PolicySet, taken: PolicySetRevision) => void) {
  const { took, refused } = useAfter(scope);
  return useMutation({
    mutationFn: ({ body, revision, guard }: { body: PolicySet; revision: number; guard?: string }) =>
      putPolicySet(scope, body, revision, guard),
    onSuccess: (taken, { body }) => {
      took(taken);
      onTaken(body, taken);
    },
    onError: refused,
  });
}

export function useRestore(scope: Scope) {
  const { took, refused } = useAfter(scope);
  return useMutation({
    mutationFn: ({ revision, current }: { revision: number; current: number }) => restore(scope, revision, current),
    onSuccess: took,
    onError: refused,
  });
}

export const pluginsQuery = queryOptions({
  queryKey: ["plugins"],
  queryFn: () =>
    everything<PolicyPlugin>((query) => answer(client.GET("/api/v1/policy-plugins", { params: { query } }))),
  staleTime: 60_000,
  refetchOnWindowFocus: true, // no event tells of an upload
});

/** How many plugins there are, as far as it is known. Whoever shows no more than that asks once. */
export function usePluginCount(): number | undefined {
  const rested = useRested();
  return useQuery({
    ...pluginsQuery,
    enabled: ({ state }) => rested && state.data === undefined,
    select: (all) => all.length,
  }).data;
}

export const usePlugins = () => useQuery(pluginsQuery);
