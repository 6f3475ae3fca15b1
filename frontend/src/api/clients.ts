import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "./client";
import { everything } from "./pages";
import type { ClientsList, NewClient, WireClient, WireEndpoint } from "./types";

/** The clients of a domain on the wire port, with their numbers of open connections. */
export const clientsQuery = (domain: string) =>
  queryOptions({
    queryKey: ["clients", domain],
    queryFn: async () => {
      let endpoint: WireEndpoint | undefined;
      const items = await everything<WireClient>(async (query) => {
        const page = (await answer(
          client.GET("/api/v1/domains/{domain}/clients", { params: { path: { domain }, query } }),
        )) as ClientsList;
        endpoint = page.endpoint;
        return page;
      });
      return { items, endpoint: endpoint as WireEndpoint };
    },
    refetchInterval: 5_000,
  });

export function useAddClient(domain: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (name: string) =>
      (await answer(
        client.POST("/api/v1/domains/{domain}/clients", { params: { path: { domain } }, body: { name } }),
      )) as NewClient,
    onSuccess: () => queries.invalidateQueries({ queryKey: ["clients", domain] }),
    gcTime: 0, // the answer contains the password
  });
}

export function useRemoveClient(domain: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string) =>
      answer(client.DELETE("/api/v1/domains/{domain}/clients/{name}", { params: { path: { domain, name } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["clients", domain] }),
  });
}
