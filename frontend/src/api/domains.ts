import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "./client";
import { everything } from "./pages";
import { instantsOf, type Past, untilFinished } from "./past";
import type { ConnectionHistory, Domain, DomainCreate, DomainPatch, History, Pool } from "./types";

export const domainsQuery = queryOptions({
  queryKey: ["domains"],
  queryFn: () => everything<Domain>((query) => answer(client.GET("/api/v1/domains", { params: { query } }))),
});

/** Every domain with its whole pool. Pages take what they show of all from the stream, and read one domain with `useDomain`. */
export const useDomains = () => useQuery(domainsQuery);

/** What the control store has of one domain: labels, owner, and the settings of the wire port and of SQL. */
export const useDomain = (domain: string) =>
  useQuery({
    queryKey: ["domains", domain],
    queryFn: async () =>
      (await answer(client.GET("/api/v1/domains/{domain}", { params: { path: { domain } } }))) as Domain,
  }).data;

/** The history of a range, or of the range as long that began `backMs` earlier. What is over is asked for once. */
export const historyQuery = (domain: string, past: Past, backMs = 0) =>
  queryOptions({
    queryKey: ["history", domain, past, backMs],
    queryFn: async () => {
      const query = instantsOf(past, backMs);
      return (await answer(
        client.GET("/api/v1/domains/{domain}/history", { params: { path: { domain }, query } }),
      )) as History;
    },
    ...untilFinished(past, backMs),
  });

/**
 * A range of every connection, or of one, in columns of so many seconds. The service keeps it for a day.
 *
 * @param once for what is streamed from then on: it is asked for when a page opens
 */
export const connectionHistoryQuery = (
  domain: string,
  past: Past,
  step: number,
  { connection, once = false }: { connection?: string; once?: boolean } = {},
) =>
  queryOptions({
    queryKey: ["connection history", domain, past, step, connection],
    queryFn: async () => {
      const query = { ...instantsOf(past), step: `${step}s`, connection };
      return (await answer<unknown>(
        client.GET("/api/v1/domains/{domain}/connections/history", { params: { path: { domain }, query } }),
      )) as ConnectionHistory;
    },
    ...untilFinished(past),
    ...(once && { refetchInterval: false as const }),
    refetchOnWindowFocus: false,
  });

export function useCreateDomain() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: DomainCreate) => (await answer(client.POST("/api/v1/domains", { body }))) as Domain,
    onSuccess: () => queries.invalidateQueries({ queryKey: ["domains"] }),
  });
}

export function useChangeDomain(domain: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: DomainPatch) =>
      (await answer(client.PATCH("/api/v1/domains/{domain}", { params: { path: { domain } }, body }))) as Domain,
    onSuccess: () => queries.invalidateQueries({ queryKey: ["domains"] }),
  });
}

/** @param onRemoved is called also if the stream told of the removal first and the caller is no longer on the page */
export function useDeleteDomain(domain: string, onRemoved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => answer(client.DELETE("/api/v1/domains/{domain}", { params: { path: { domain } } })),
    onSuccess: () => {
      onRemoved();
      return queries.invalidateQueries({ queryKey: ["domains"] });
    },
  });
}

export type PoolAction = "pause" | "resume" | "flush" | "drain";

export function usePoolAction(domain: string) {
  return useMutation({
    mutationFn: async (action: PoolAction) =>
      (await answer(client.POST(`/api/v1/domains/{domain}/${action}`, { params: { path: { domain } } }))) as Pool,
  });
}
