import { queryOptions } from "@tanstack/react-query";
import { answer, client } from "./client";
import type { Page } from "./pages";
import { instantsOf, type Past } from "./past";
import type { Annotation } from "./types";

/** The annotations of a range that a domain's charts show. */
export const annotationsOfDomainQuery = (domain: string, past: Past) =>
  queryOptions({
    queryKey: ["annotations", "of", domain, past],
    queryFn: async () => {
      const page = (await answer(
        client.GET("/api/v1/annotations", { params: { query: { domain, ...instantsOf(past), limit: 100 } } }),
      )) as unknown as Page<Annotation>;
      return page.items;
    },
  });
