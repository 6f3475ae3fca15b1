import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "./client";
import { everything } from "./pages";
import type { Workload, WorkloadPatch } from "./types";

export const workloadsQuery = queryOptions({
  queryKey: ["workloads"],
  queryFn: () => everything<Workload>((query) => answer(client.GET("/api/v1/workloads", { params: { query } }))),
  refetchInterval: 2_000,
});

export const useWorkloads = () => useQuery(workloadsQuery);

export function useSteerWorkload(name: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: WorkloadPatch) =>
      (await answer(client.PATCH("/api/v1/workloads/{name}", { params: { path: { name } }, body }))) as Workload,
    onSuccess: (changed) =>
      queries.setQueryData(workloadsQuery.queryKey, (old) => old?.map((w) => (w.name === name ? changed : w))),
  });
}
