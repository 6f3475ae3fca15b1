import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, client, reading } from "./client";
import type { Adoption, PolicyPlugin } from "./types";

type Version = Pick<PolicyPlugin, "id" | "version">;

async function upload(file: File): Promise<PolicyPlugin> {
  const body = new Blob([file], { type: "application/java-archive" });
  return (await answer<unknown>(
    client.POST("/api/v1/policy-plugins", {
      params: { query: { fileName: file.name } },
      headers: { "Content-Type": "application/java-archive" },
      // The OpenAPI document types a binary body as a string. The bytes of the file are sent.
      body: body as unknown as string,
      bodySerializer: (bytes) => bytes,
    }),
  )) as PolicyPlugin;
}

/** Refetches what a change of plugins affects: the list, and every set that names a version. */
function useTouched() {
  const queries = useQueryClient();
  return () => {
    for (const key of ["plugins", "policies", "revisions", "domains"])
      void queries.invalidateQueries({ queryKey: [key] });
  };
}

export function useUploadPlugin() {
  return useMutation({ mutationFn: upload, onSuccess: useTouched() });
}

/** @param onRemoved is called also if the stream told of the removal first and the caller is no longer on the page */
export function useRemovePlugin({ id, version }: Version, onRemoved: () => void) {
  const touched = useTouched();
  return useMutation({
    mutationFn: () =>
      answer(client.DELETE("/api/v1/policy-plugins/{id}/{version}", { params: { path: { id, version } } })),
    onSuccess: () => {
      onRemoved();
      touched();
    },
  });
}

/** What a move of every user of an older version would change. */
export function usePlanAdoption({ id, version }: Version) {
  return useMutation({
    mutationFn: async () =>
      (
        await answer(
          client.POST("/api/v1/policy-plugins/{id}/{version}/adopt/plan", {
            params: { path: { id, version } },
            body: {},
            fetch: reading,
          }),
        )
      ).items as Adoption[],
  });
}

/** Moves users of older versions to this one; they are named as the plan names them. */
export function useAdoptPlugin({ id, version }: Version) {
  return useMutation({
    mutationFn: async (domains: string[]) =>
      (
        await answer(
          client.POST("/api/v1/policy-plugins/{id}/{version}/adopt", {
            params: { path: { id, version } },
            body: { domains },
          }),
        )
      ).items as Adoption[],
    onSuccess: useTouched(),
  });
}
