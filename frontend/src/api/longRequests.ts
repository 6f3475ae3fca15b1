import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "./client";
import type { Page } from "./pages";
import type { LongWork } from "./types";

const KEY = ["long-requests"];

/** What the service is busy with for its callers, asked for again each second while the page is visible. */
export const longRequestsQuery = queryOptions({
  queryKey: KEY,
  queryFn: async () => (await answer(client.GET("/api/v1/long-requests"))) as Page<LongWork>,
  refetchInterval: 1_000,
});

export function useCancelLongRequest() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(client.POST("/api/v1/long-requests/{id}/cancel", { params: { path: { id } } })),
    onSettled: () => cache.invalidateQueries({ queryKey: KEY }),
  });
}
