/** The lab: experiments, their runs, and the comparison of two. */
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "./client";
import { everything } from "./pages";
import { isGone } from "./problem";
import type { Experiment, ExperimentComparison, ExperimentRun, ExperimentRunCreate } from "./types";

export const experimentsQuery = queryOptions({
  queryKey: ["experiments"],
  queryFn: () => everything<Experiment>((query) => answer(client.GET("/api/v1/experiments", { params: { query } }))),
  staleTime: Number.POSITIVE_INFINITY,
});

const LOOK_EVERY_MS = 1_000;
/** Runs are started from the command line too. */
const LIST_EVERY_MS = 10_000;

/** Every run, newest first, without reports. */
export const runsQuery = queryOptions({
  queryKey: ["experiment-runs"],
  queryFn: () =>
    everything<ExperimentRun>((query) => answer(client.GET("/api/v1/experiments/runs", { params: { query } }))),
  refetchInterval: LIST_EVERY_MS,
});

/** A run. While it is in progress it is read again each second. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["experiment-run", id],
    queryFn: async () =>
      (await answer<unknown>(
        client.GET("/api/v1/experiments/runs/{id}", { params: { path: { id } } }),
      )) as ExperimentRun,
    refetchInterval: ({ state }) => (state.data?.state === "running" && !isGone(state.error) ? LOOK_EVERY_MS : false),
  });

export const comparisonQuery = (first: string, second: string) =>
  queryOptions({
    queryKey: ["experiment-comparison", first, second],
    queryFn: async () =>
      (await answer(
        client.GET("/api/v1/experiments/comparison", { params: { query: { first, second } } }),
      )) as ExperimentComparison,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useExperiments = () => useQuery(experimentsQuery);
export const useRuns = () => useQuery(runsQuery);

export function useStartRun(experiment: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: ExperimentRunCreate) =>
      (await answer<unknown>(
        client.POST("/api/v1/experiments/{name}/runs", { params: { path: { name: experiment } }, body }),
      )) as ExperimentRun,
    onSuccess: (run) => {
      queries.setQueryData(runQuery(run.id).queryKey, run);
      return queries.invalidateQueries({ queryKey: runsQuery.queryKey });
    },
  });
}

/** Cancels a run that is in progress. One that has ended stays as it is. */
export function useCancelRun(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      await answer<unknown>(client.POST("/api/v1/experiments/runs/{id}/cancel", { params: { path: { id } } }));
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: runsQuery.queryKey }),
  });
}

/**
 * Deletes a run that has ended. What was read of it is asked for again when its page is opened again.
 *
 * @param onRemoved is called also if the stream told of the removal first and the caller is no longer on the page
 */
export function useRemoveRun(id: string, onRemoved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => answer(client.DELETE("/api/v1/experiments/runs/{id}", { params: { path: { id } } })),
    onSuccess: () => {
      onRemoved();
      void queries.invalidateQueries({ queryKey: runQuery(id).queryKey, refetchType: "none" });
      return queries.invalidateQueries({ queryKey: runsQuery.queryKey });
    },
  });
}

/** The addresses of what a done run offers as files. */
export const filesOf = (id: string) => {
  const run = `/api/v1/experiments/runs/${id}`;
  return {
    markdown: `${run}/report.md`,
    csv: `${run}/samples.csv`,
    json: run,
    chart: (number: number) => `${run}/charts/${number}`,
  };
};
