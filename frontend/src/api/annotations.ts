import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "./client";
import { NEWEST, type Page } from "./pages";
import { instantsOf, type Past } from "./past";
import type { Annotation, AnnotationCreate } from "./types";

/** The newest annotations of a range that a domain's charts show, or of all. */
export const annotationsOfDomainQuery = (domain: string | undefined, past: Past) =>
  queryOptions({
    queryKey: ["annotations", "of", domain, past],
    queryFn: async () => {
      const page = (await answer(
        client.GET("/api/v1/annotations", { params: { query: { domain, ...instantsOf(past), limit: NEWEST } } }),
      )) as unknown as Page<Annotation>;
      return page.items;
    },
  });

export function useAnnotate() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: AnnotationCreate) =>
      (await answer(client.POST("/api/v1/annotations", { body }))) as unknown as Annotation,
    onSuccess: () => queries.invalidateQueries({ queryKey: ["annotations"] }),
  });
}

export function useRemoveAnnotation() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answer(client.DELETE("/api/v1/annotations/{id}", { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["annotations"] }),
  });
}
