import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { answer, client } from "./client";
import type { Page } from "./pages";
import { isGone } from "./problem";
import type {
  ClosedConnection,
  ConnectedApplication,
  ConnectedClient,
  ConnectionReport,
  Lease,
  LogLine,
  Refusal,
  Waiter,
} from "./types";

/** Lists of what changes by itself are asked for again each second, while the page is visible. */
const LIVE_MS = 1_000;
const MOST = 500;

const path = (domain: string) => ({ path: { domain }, query: { limit: MOST } });

export const leasesQuery = (domain: string) =>
  queryOptions({
    queryKey: ["leases", domain],
    queryFn: async () =>
      (await answer(client.GET("/api/v1/domains/{domain}/leases", { params: path(domain) }))) as Page<Lease>,
    refetchInterval: LIVE_MS,
  });

export const waitersQuery = (domain: string) =>
  queryOptions({
    queryKey: ["waiters", domain],
    queryFn: async () =>
      (await answer(client.GET("/api/v1/domains/{domain}/waiters", { params: path(domain) }))) as Page<Waiter> & {
        total: number;
      },
    refetchInterval: LIVE_MS,
  });

/** Who was turned away within the last ten minutes, the most frequent first. */
export const refusalsQuery = (domain: string) =>
  queryOptions({
    queryKey: ["refusals", domain],
    queryFn: async () => {
      const page = (await answer(
        client.GET("/api/v1/domains/{domain}/refusals", { params: path(domain) }),
      )) as Page<Refusal> & { total: number };
      return { ...page, items: page.items.toSorted((a, b) => b.count - a.count) };
    },
    refetchInterval: 2 * LIVE_MS,
  });

/** A page of those whose application, user or address has `q` as a part. */
export type ConnectedPage = { q: string; cursor?: string | undefined };

const connectedPath = (domain: string, { q, cursor }: ConnectedPage) => ({
  path: { domain },
  query: { limit: MOST, q: q || undefined, cursor },
});

export const connectedQuery = (domain: string, page: ConnectedPage) =>
  queryOptions({
    queryKey: ["wire-clients", domain, page],
    queryFn: async () =>
      (await answer(
        client.GET("/api/v1/domains/{domain}/wire-clients", { params: connectedPath(domain, page) }),
      )) as Page<ConnectedClient> & { total: number },
    refetchInterval: 2 * LIVE_MS,
    placeholderData: keepPreviousData,
  });

export const applicationsQuery = (domain: string, page: ConnectedPage) =>
  queryOptions({
    queryKey: ["wire-applications", domain, page],
    queryFn: async () =>
      (await answer(
        client.GET("/api/v1/domains/{domain}/wire-applications", { params: connectedPath(domain, page) }),
      )) as Page<ConnectedApplication> & { total: number },
    refetchInterval: 2 * LIVE_MS,
    placeholderData: keepPreviousData,
  });

export const connectionQuery = (domain: string, id: string) =>
  queryOptions({
    queryKey: ["connection", domain, id],
    queryFn: async () =>
      (await answer(
        client.GET("/api/v1/domains/{domain}/connections/{id}", { params: { path: { domain, id } } }),
      )) as ConnectionReport,
    refetchInterval: ({ state }) => (state.data?.closed || isGone(state.error) ? false : LIVE_MS),
  });

export const closedQuery = (domain: string) =>
  queryOptions({
    queryKey: ["closed-connections", domain],
    queryFn: async () =>
      (await answer(
        client.GET("/api/v1/domains/{domain}/closed-connections", { params: path(domain) }),
      )) as Page<ClosedConnection>,
    refetchInterval: 5 * LIVE_MS,
  });

export type Level = "debug" | "info" | "warn" | "error";
export type LineFilter = { domain?: string; level?: Level; q?: string };

/** The service's own log, newest first. */
export const logQuery = (filter: LineFilter) =>
  infiniteQueryOptions({
    queryKey: ["log", filter],
    queryFn: async ({ pageParam }) =>
      (await answer(
        client.GET("/api/v1/log", { params: { query: { ...filter, limit: 100, cursor: pageParam } } }),
      )) as Page<LogLine>,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    refetchInterval: 5 * LIVE_MS,
  });

export type Deed = { what: "cancel" | "end"; lease: Lease } | { what: "refuse"; waiter: Waiter };

/** Cancels or ends a lease, or ends a wait. */
export function useDeed(domain: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (deed: Deed) => {
      if (deed.what === "refuse")
        return answer(
          client.POST("/api/v1/domains/{domain}/waiters/{id}/end", {
            params: { path: { domain, id: deed.waiter.id } },
          }),
        );
      const params = { path: { domain, id: deed.lease.id } };
      return deed.what === "cancel"
        ? answer(client.POST("/api/v1/domains/{domain}/leases/{id}/cancel", { params }))
        : answer(client.POST("/api/v1/domains/{domain}/leases/{id}/end", { params }));
    },
    onSettled: () =>
      Promise.all(
        ["leases", "waiters", "connection", "refusals"].map((list) =>
          queries.invalidateQueries({ queryKey: [list, domain] }),
        ),
      ),
  });
}
