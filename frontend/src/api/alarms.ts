import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "./client";
import { NEWEST } from "./pages";
import { instantsOf, type Past } from "./past";
import type { AlarmPage } from "./types";

export type AlarmFilter = { domain?: string; code?: string };

const read = async (query: {
  state?: "open" | "past";
  domain?: string;
  code?: string;
  from?: string;
  to?: string;
  limit?: number;
  cursor?: string;
}) => (await answer(client.GET("/api/v1/alarms", { params: { query } }))) as AlarmPage;

/** The open or the past alarms, newest first. Each page ends with a cursor to the next. */
export const alarmsQuery = (state: "open" | "past", filter: AlarmFilter) =>
  infiniteQueryOptions({
    queryKey: ["alarms", state, filter],
    queryFn: ({ pageParam }) => read({ state, ...filter, limit: 50, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    refetchInterval: state === "open" ? 10_000 : false, // for what is no event, such as that a condition is gone
  });

/** How many open alarms nobody has acknowledged or silenced. */
export const unattendedQuery = queryOptions({
  queryKey: ["alarms", "unattended"],
  queryFn: async () => (await read({ state: "open", limit: 1 })).unattended,
  refetchInterval: 60_000, // a silence ends without an event
});

/** The newest alarms that concern a domain, or of all, and stood within a range. */
export const alarmsOfDomainQuery = (domain: string | undefined, past: Past) =>
  queryOptions({
    queryKey: ["alarms", "of", domain, past],
    queryFn: async () => (await read({ domain, ...instantsOf(past), limit: NEWEST })).items,
  });

export function useAcknowledge() {
  return useChange(async ({ id, reason }: { id: string; reason?: string }) =>
    answer(client.POST("/api/v1/alarms/{id}/acknowledge", { params: { path: { id } }, body: { reason } })),
  );
}

export function useSilence() {
  return useChange(async ({ id, reason, forMinutes }: { id: string; reason: string; forMinutes: number }) =>
    answer(client.POST("/api/v1/alarms/{id}/silence", { params: { path: { id } }, body: { reason, forMinutes } })),
  );
}

export function useUnsilence() {
  return useChange(async (id: string) =>
    answer(client.DELETE("/api/v1/alarms/{id}/silence", { params: { path: { id } } })),
  );
}

function useChange<T>(mutationFn: (body: T) => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSuccess: () => queries.invalidateQueries({ queryKey: ["alarms"] }) });
}
