import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRested } from "@/ui/rested";
import { answer, client } from "./client";
import { everything } from "./pages";
import type { Workload, WorkloadPatch } from "./types";

export const workloadsQuery = queryOptions({
  queryKey: ["workloads"],
  queryFn: () => everything<Workload>((query) => answer(client.GET("/api/v1/workloads", { params: { query } }))),
  refetchInterval: 2_000,
});

export const useWorkloads = () => useQuery(workloadsQuery);

/** Whether a load is the demo's gallery, whose table `gallery.portraits` holds pictures. */
export const isGallery = ({ name }: Pick<Workload, "name">) => name === "gallery";

/** The domain of the demo's gallery, if there is one. Undefined until that is known. */
export function useGalleryDomain(): string | null | undefined {
  const select = (all: Workload[]) => all.find(isGallery)?.domain ?? null;
  return useQuery({ ...workloadsQuery, enabled: useRested(), refetchInterval: false, select }).data;
}

export function useSteerWorkload(name: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: WorkloadPatch) =>
      (await answer(client.PATCH("/api/v1/workloads/{name}", { params: { path: { name } }, body }))) as Workload,
    onSuccess: (changed) =>
      queries.setQueryData(workloadsQuery.queryKey, (old) => old?.map((w) => (w.name === name ? changed : w))),
  });
}
