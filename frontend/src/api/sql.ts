import { queryOptions } from "@tanstack/react-query";
import { answer, client, reading } from "./client";
import type { SqlRequest } from "./types";

/**
 * Executes statements and returns the answer's bytes as they arrive: one record for each line, or one JSON object
 * (docs/sql.md). Aborting cancels the statements at the server.
 */
export function executeSql(
  domain: string,
  body: SqlRequest,
  signal: AbortSignal,
  accept: "application/x-ndjson" | "application/json" = "application/x-ndjson",
): Promise<ReadableStream<Uint8Array>> {
  return answer<unknown>(
    client.POST("/api/v1/domains/{domain}/sql", {
      params: { path: { domain } },
      headers: { Accept: accept },
      body,
      signal,
      parseAs: "stream",
      ...(body.readOnly === true && { fetch: reading }),
    }),
  ) as Promise<ReadableStream<Uint8Array>>;
}

/** A column of a domain's tables and views. `visible`: the table is found without its schema's name. */
export type CatalogueColumn = { schema: string; table: string; visible: boolean; column: string; type: string };

const MOST_COLUMNS = 20_000;

const COLUMNS = `SELECT n.nspname, c.relname, pg_table_is_visible(c.oid), a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
ORDER BY 1, 2, a.attnum`;

/** The columns of a domain's tables, for completion. Asked once; it changes by DDL only. */
export const catalogueQuery = (domain: string) =>
  queryOptions({
    queryKey: ["catalogue", domain],
    queryFn: async ({ signal }) => {
      const { results } = (await answer<unknown>(
        client.POST("/api/v1/domains/{domain}/sql", {
          params: { path: { domain } },
          headers: { Accept: "application/json" },
          body: { sql: COLUMNS, readOnly: true, maxRows: MOST_COLUMNS, timeoutMs: 10_000 },
          signal,
          fetch: reading,
        }),
      )) as { results: { data: [string, string, boolean, string, string][] }[] };
      return (results[0]?.data ?? []).map(
        ([schema, table, visible, column, type]): CatalogueColumn => ({ schema, table, visible, column, type }),
      );
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
