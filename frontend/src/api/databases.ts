import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, client } from "./client";
import { everything } from "./pages";
import type { Database, DatabaseCreate, DatabasePatch } from "./types";

export const databasesQuery = queryOptions({
  queryKey: ["databases"],
  queryFn: () => everything<Database>((query) => answer(client.GET("/api/v1/databases", { params: { query } }))),
});

export const useDatabases = () => useQuery(databasesQuery);

export function useCreateDatabase() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: DatabaseCreate) => (await answer(client.POST("/api/v1/databases", { body }))) as Database,
    onSuccess: () => queries.invalidateQueries({ queryKey: ["databases"] }),
  });
}

export function useChangeDatabase(database: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: DatabasePatch) =>
      (await answer(
        client.PATCH("/api/v1/databases/{database}", { params: { path: { database } }, body }),
      )) as Database,
    onSuccess: () => queries.invalidateQueries({ queryKey: ["databases"] }),
  });
}

/** @param onRemoved is called also if the stream told of the removal first and the caller is no longer on the page */
export function useDeleteDatabase(database: string, onRemoved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => answer(client.DELETE("/api/v1/databases/{database}", { params: { path: { database } } })),
    onSuccess: () => {
      onRemoved();
      return queries.invalidateQueries({ queryKey: ["databases"] });
    },
  });
}
