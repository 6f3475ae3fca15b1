/** Rehearsals of a policy set: as a shadow set beside the live one, or as a replay of recorded load. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "./client";
import { type Scope, scopeKey } from "./policies";
import { Problem } from "./problem";
import type { PolicySet, ReplayResult, ShadowSet } from "./types";

/** The domain's shadow set, or null. */
export const shadowQuery = (domain: string) =>
  queryOptions({
    queryKey: ["shadow", domain],
    queryFn: async () => {
      try {
        return (await answer<unknown>(
          client.GET("/api/v1/domains/{domain}/policies/shadow", { params: { path: { domain } } }),
        )) as ShadowSet;
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return null;
        throw error;
      }
    },
    refetchInterval: 5_000,
  });

export function usePutShadow(domain: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: PolicySet) =>
      (await answer<unknown>(
        client.PUT("/api/v1/domains/{domain}/policies/shadow", { params: { path: { domain } }, body }),
      )) as ShadowSet,
    onSuccess: (shadow) => queries.setQueryData(shadowQuery(domain).queryKey, shadow),
  });
}

export function useEndShadow(domain: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      answer(client.DELETE("/api/v1/domains/{domain}/policies/shadow", { params: { path: { domain } } })),
    onSuccess: () => queries.setQueryData(shadowQuery(domain).queryKey, null),
  });
}

/** Replays the last seconds of recorded load under a set. */
export function useReplay({ kind, name }: Scope) {
  return useMutation({
    mutationKey: ["replay", scopeKey({ kind, name })],
    mutationFn: async (body: { policySet: PolicySet; seconds: number }) => {
      const call =
        kind === "domain"
          ? client.POST("/api/v1/domains/{domain}/policies/replay", { params: { path: { domain: name } }, body })
          : client.POST("/api/v1/databases/{database}/policies/replay", {
              params: { path: { database: name } },
              body,
            });
      return (await answer<unknown>(call)) as ReplayResult;
    },
  });
}
