import { useQuery } from "@tanstack/react-query";
import { revisionsQuery, type Scope } from "@/api/policies";
import type { Range } from "@/range/range";
import type { Before } from "@/range/series";
import { useZone } from "@/ui/preferences";
import { beforeOf, revisionOf } from "./compare";

/** The earlier range that is drawn beneath, as the address tells it. The revisions are read if it is the time of one. */
export function useBefore(scope: Scope, compare: string | undefined, range: Range): Before | null {
  const revisions = useQuery({ ...revisionsQuery(scope), enabled: revisionOf(compare) !== null }).data;
  return beforeOf(compare, range, useZone(), revisions);
}
