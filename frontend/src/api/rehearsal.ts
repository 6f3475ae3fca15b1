/** Rehearsals of a policy set: as a shadow set beside the live one, or as a replay of recorded load. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { answer, client } from "./client";
import { type Scope, scopeKey } from "./policies";
import { Problem } from "./problem";
import type { PolicySet, ReplayRun, ShadowSet } from "./types";

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

const LOOK_EVERY_MS = 300;

/**
 * Replays the last seconds of recorded load under a set, and tells how far it is, from 0 to 1. The service goes on by itself:
 * `cancel`, or leaving the page that uses this, ends the replay there too.
 */
export function useReplay({ kind, name }: Scope) {
  const [progress, setProgress] = useState(0);
  const wanted = useRef<symbol | null>(null);
  useEffect(
    () => () => {
      wanted.current = null;
    },
    [],
  );
  const replay = useMutation({
    mutationKey: ["replay", scopeKey({ kind, name })],
    mutationFn: async (body: { policySet: PolicySet; seconds: number }) => {
      const mine = Symbol("replay");
      wanted.current = mine;
      setProgress(0);
      const header = { Prefer: "respond-async" };
      const call =
        kind === "domain"
          ? client.POST("/api/v1/domains/{domain}/policies/replay", {
              params: { path: { domain: name }, header },
              body,
            })
          : client.POST("/api/v1/databases/{database}/policies/replay", {
              params: { path: { database: name }, header },
              body,
            });
      let run = (await answer<unknown>(call)) as ReplayRun;
      const params = { path: { id: run.id } };
      try {
        while (run.state === "running" && wanted.current === mine) {
          await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
          run = (await answer<unknown>(client.GET("/api/v1/replays/{id}", { params }))) as ReplayRun;
          setProgress(run.progress);
        }
      } finally {
        void client.DELETE("/api/v1/replays/{id}", { params }).catch(() => {});
      }
      if (run.state !== "done")
        throw new Problem({ title: "The replay did not end", detail: run.problem ?? "It was cancelled." }, 503);
      return run.result;
    },
  });
  const cancel = () => {
    wanted.current = null;
    replay.reset();
  };
  return { ...replay, progress, cancel };
}
