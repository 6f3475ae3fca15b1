import { useQueryClient } from "@tanstack/react-query";
import { shadowQuery } from "@/api/rehearsal";
import type { ShadowSet } from "@/api/types";
import { serverNow } from "@/stream/browser";
import type { Question } from "@/ui/Confirm";
import { useZone } from "@/ui/preferences";
import { questionBeforeShadow } from "./questions";

/**
 * Makes the question before a domain's shadow set ends, or gives way to another. Null if none runs, or the one that was begun here.
 * All administrators have one name, so `mine` is the set that was begun on this page.
 */
export function useShadowQuestion(domain: string, mine: ShadowSet | undefined) {
  const queries = useQueryClient();
  const zone = useZone();
  return async (act: "replace" | "end"): Promise<Question | null> => {
    const known = shadowQuery(domain);
    const running = await queries
      .fetchQuery({ ...known, staleTime: 0 }) // somebody may have begun it just now
      .catch(() => queries.getQueryData(known.queryKey) ?? null);
    if (!running || running.createdAt === mine?.createdAt) return null;
    return questionBeforeShadow(act, domain, running, zone, serverNow());
  };
}
