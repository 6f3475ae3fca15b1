import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, client } from "./client";
import { NEWEST, type Page } from "./pages";
import { instantsOf, type Past } from "./past";
import type { AuditEntry, Decision, Explanation } from "./types";

export type DecisionFilter = {
  domain?: string;
  database?: string;
  kind?: string;
  policy?: string;
  q?: string;
  from?: string;
  to?: string;
};

/** The decision log, newest first. Each page ends with a cursor to the next. */
export const decisionsQuery = (filter: DecisionFilter) =>
  infiniteQueryOptions({
    queryKey: ["decisions", filter],
    queryFn: async ({ pageParam }) =>
      (await answer(
        client.GET("/api/v1/decisions", {
          params: {
            query: { ...filter, kind: filter.kind as Decision["kind"] | undefined, limit: 50, cursor: pageParam },
          },
        }),
      )) as unknown as Page<Decision> & { lost: number },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });

/** The newest decisions, on a domain or on all. */
export const newestDecisionsQuery = (domain: string | undefined, limit: number) =>
  queryOptions({
    queryKey: ["decisions", "newest", domain, limit],
    queryFn: async () => {
      const page = (await answer(
        client.GET("/api/v1/decisions", { params: { query: { domain, limit } } }),
      )) as unknown as Page<Decision>;
      return page.items;
    },
  });

/** The newest decisions on a domain in a part of the past. */
export const decisionsOfDomainQuery = (domain: string, past: Past) =>
  queryOptions({
    queryKey: ["decisions", "of", domain, past],
    queryFn: async () => {
      const page = (await answer(
        client.GET("/api/v1/domains/{domain}/decisions", {
          params: { path: { domain }, query: { ...instantsOf(past), limit: NEWEST } },
        }),
      )) as unknown as Page<Decision>;
      return page.items;
    },
  });

/** What the domain's shadow set decided otherwise in a part of the past, newest first. */
export const shadowDecisionsQuery = (domain: string, past: Past, enabled: boolean) =>
  queryOptions({
    queryKey: ["decisions", "shadow", domain, past],
    queryFn: async () => {
      const page = (await answer(
        client.GET("/api/v1/domains/{domain}/decisions", {
          params: { path: { domain }, query: { ...instantsOf(past), kind: "shadow", limit: NEWEST } },
        }),
      )) as unknown as Page<Decision>;
      return page.items;
    },
    enabled,
    refetchInterval: "lastMs" in past ? 5_000 : false,
  });

export const auditQuery = infiniteQueryOptions({
  queryKey: ["audit"],
  refetchOnWindowFocus: true, // of much that is audited no event tells
  queryFn: async ({ pageParam }) =>
    (await answer(
      client.GET("/api/v1/audit", { params: { query: { limit: 50, cursor: pageParam } } }),
    )) as unknown as Page<AuditEntry>,
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (last) => last.nextCursor ?? undefined,
});

/** Explains a domain's state at one instant, in milliseconds since 1970, or now. */
export const explanationQuery = (domain: string, at: number | "now" | null) =>
  queryOptions({
    queryKey: ["explanation", domain, at],
    queryFn: async () =>
      (await answer<unknown>(
        client.GET("/api/v1/domains/{domain}/why", {
          params: { path: { domain }, query: at === "now" ? {} : { at: new Date(at ?? 0).toISOString() } },
        }),
      )) as Explanation,
    enabled: at !== null,
    staleTime: at === "now" ? 0 : 60_000,
    refetchInterval: at === "now" ? 2_000 : (false as const),
  });
