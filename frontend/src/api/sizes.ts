/** Find my size: searches for the size of a domain's pool, on its live load. */
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "./client";
import type { SizeSearch, SizeSearchCreate } from "./types";

const LOOK_EVERY_MS = 1_000;
/** Searches are started from the command line too. */
const LIST_EVERY_MS = 10_000;

/** The newest search of a domain, or null. While it runs it is read again each second. */
export const newestSearchQuery = (domain: string) =>
  queryOptions({
    queryKey: ["size-search", domain],
    queryFn: async () => {
      const page = await answer<unknown>(
        client.GET("/api/v1/domains/{domain}/size-searches", { params: { path: { domain }, query: { limit: 1 } } }),
      );
      return (page as { items: SizeSearch[] }).items[0] ?? null;
    },
    refetchInterval: ({ state }) => (state.data?.state === "running" ? LOOK_EVERY_MS : LIST_EVERY_MS),
  });

export function useStartSearch(domain: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: SizeSearchCreate) =>
      (await answer<unknown>(
        client.POST("/api/v1/domains/{domain}/size-searches", { params: { path: { domain } }, body }),
      )) as SizeSearch,
    onSuccess: (search) => queries.setQueryData(newestSearchQuery(domain).queryKey, search),
  });
}

/** Cancels a search. One that has ended meanwhile is forgotten. */
export function useCancelSearch(domain: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      answer(client.DELETE("/api/v1/domains/{domain}/size-searches/{id}", { params: { path: { domain, id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: newestSearchQuery(domain).queryKey }),
  });
}
