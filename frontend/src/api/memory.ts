import { queryOptions, useQuery } from "@tanstack/react-query";
import { answer, client } from "./client";
import type { Memory } from "./types";

/** The memory that the service holds for its callers. */
export const memoryQuery = queryOptions({
  queryKey: ["memory"],
  queryFn: async () => (await answer(client.GET("/api/v1/memory"))) as Memory,
  refetchInterval: 5_000,
});

export const useMemory = () => useQuery(memoryQuery);
