import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "./client";
import { everything } from "./pages";
import type { Domain, DomainCreate, DomainPatch, History, Pool } from "./types";

export const domainsQuery = queryOptions({
  queryKey: ["domains"],
  queryFn: () => everything<Domain>((query) => answer(client.GET("/api/v1/domains", { params: { query } }))),
});

export const useDomains = () => useQuery(domainsQuery);

export const historyQuery = (domain: string, minutes: number) =>
  queryOptions({
    queryKey: ["history", domain, minutes],
    queryFn: async () =>
      (await answer(
        client.GET("/api/v1/domains/{domain}/history", { params: { path: { domain }, query: { minutes } } }),
      )) as History,
    refetchInterval: minutes > 5 ? 10_000 : 5_000,
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

export function useDeleteDomain() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (domain: string) => answer(client.DELETE("/api/v1/domains/{domain}", { params: { path: { domain } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["domains"] }),
  });
}

export type PoolAction = "pause" | "resume" | "flush" | "drain";

export function usePoolAction(domain: string) {
  return useMutation({
    mutationFn: async (action: PoolAction) =>
      (await answer(client.POST(`/api/v1/domains/{domain}/${action}`, { params: { path: { domain } } }))) as Pool,
  });
}
