import { queryOptions } from "@tanstack/react-query";
import { answer, client } from "./client";
import type { Page } from "./pages";
import type { Annotation } from "./types";

/** The annotations of the last hour that a domain's charts show. */
export const annotationsOfDomainQuery = (domain: string) =>
  queryOptions({
    queryKey: ["annotations", "of", domain],
    queryFn: async () => {
      const from = new Date(Date.now() - 3_600_000).toISOString();
      const page = (await answer(
        client.GET("/api/v1/annotations", { params: { query: { domain, from, limit: 100 } } }),
      )) as unknown as Page<Annotation>;
      return page.items;
    },
  });
