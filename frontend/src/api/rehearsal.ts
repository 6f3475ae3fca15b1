/** Rehearsals of a policy set: as a shadow set beside the live one, or as a replay of recorded load. */
import { queryOptions, skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { answer, client, reading } from "./client";
import { type Scope, scopeKey } from "./policies";
import { Problem } from "./problem";
import type { PolicySet, ReplayResult, ReplayRun, ShadowSet } from "./types";

/** The domain's shadow set, or null. */
export const shadowQuery = (domain: string) =>
  queryOptions({
    queryKey: ["shadow", domain],
    queryFn: async () =>
      ((await answer<unknown>(
        client.GET("/api/v1/domains/{domain}/policies/shadow", {
          params: { path: { domain }, query: { optional: true } },
        }),
      )) ?? null) as ShadowSet | null,
    refetchInterval: 5_000,
  });

/** @param onBegun is called also if the caller is no longer on the page when the answer comes */
export function usePutShadow(domain: string, onBegun: (sent: PolicySet) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: PolicySet) =>
      (await answer<unknown>(
        client.PUT("/api/v1/domains/{domain}/policies/shadow", { params: { path: { domain } }, body }),
      )) as ShadowSet,
    onSuccess: (shadow, sent) => {
      queries.setQueryData(shadowQuery(domain).queryKey, shadow);
      onBegun(sent);
    },
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
const MOST_WAITS = 30;

/** Whether another replay runs in the service. */
const isBusy = (error: unknown) => error instanceof Problem && error.status === 409;

type ReplayRequest = { policySet: PolicySet; seconds: number };

/** How far a replay is, from 0 to 1, and the requests for leases in its record. Null until the service has counted them. */
type Progress = { share: number; leases: number | null };

const NOT_BEGUN: Progress = { share: 0, leases: null };

/**
 * Replays recorded load under a set, and tells how far it is. The service goes on by itself: an abort ends the replay
 * there too.
 */
async function replayed(
  { kind, name }: Scope,
  body: ReplayRequest,
  progress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<ReplayResult> {
  const header = { Prefer: "respond-async" };
  const call =
    kind === "domain"
      ? client.POST("/api/v1/domains/{domain}/policies/replay", {
          params: { path: { domain: name }, header },
          body,
          fetch: reading,
        })
      : client.POST("/api/v1/databases/{database}/policies/replay", {
          params: { path: { database: name }, header },
          body,
          fetch: reading,
        });
  let run = (await answer<unknown>(call)) as ReplayRun;
  const params = { path: { id: run.id } };
  const tell = () => progress({ share: run.progress, leases: run.leases });
  tell();
  try {
    while (run.state === "running" && !signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      run = (await answer<unknown>(client.GET("/api/v1/replays/{id}", { params }))) as ReplayRun;
      tell();
    }
  } finally {
    void client.DELETE("/api/v1/replays/{id}", { params }).catch(() => {});
  }
  if (run.state !== "done" || !run.result)
    throw new Problem({ title: "The replay did not end", detail: run.problem ?? "It was cancelled." }, 503);
  return run.result;
}

/** Replays the last seconds of recorded load on demand. `cancel`, or leaving the page that uses this, ends the replay. */
export function useReplay(scope: Scope) {
  const [progress, setProgress] = useState(NOT_BEGUN);
  const wanted = useRef<AbortController | null>(null);
  useEffect(() => () => wanted.current?.abort(), []);
  const replay = useMutation({
    mutationKey: ["replay", scopeKey(scope)],
    mutationFn: (body: ReplayRequest) => {
      wanted.current?.abort();
      wanted.current = new AbortController();
      setProgress(NOT_BEGUN);
      return replayed(scope, body, setProgress, wanted.current.signal);
    },
    // Another replay may run, the page's own prediction for one: this one waits for it, unless it is cancelled meanwhile.
    retry: (times, error) => isBusy(error) && times < MOST_WAITS && !wanted.current?.signal.aborted,
    retryDelay: 1_000,
  });
  const cancel = () => {
    wanted.current?.abort();
    replay.reset();
  };
  return { ...replay, progress, cancel };
}

const PREDICTED_SECONDS = 30;

/**
 * Predicts what a set would have done with the load of the last 30 s, as a replay beside the set in force. Null predicts nothing. While another replay runs
 * in the service, this one waits for it. Another set, `cancel`, or leaving the page ends it.
 */
export function usePrediction(scope: Scope, set: PolicySet | null, revision: number) {
  const queries = useQueryClient();
  const [progress, setProgress] = useState(NOT_BEGUN);
  const queryKey = ["prediction", scopeKey(scope), set, revision];
  const prediction = useQuery({
    queryKey,
    queryFn:
      set === null
        ? skipToken
        : ({ signal }) => {
            setProgress(NOT_BEGUN);
            return replayed(scope, { policySet: set, seconds: PREDICTED_SECONDS }, setProgress, signal);
          },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
    refetchOnReconnect: false,
    retry: (times, error) => isBusy(error) && times < MOST_WAITS,
    retryDelay: 1_000,
  });
  return { ...prediction, progress, cancel: () => void queries.cancelQueries({ queryKey }) };
}
