/** What governed a domain over time: its own policy set and its database's. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { revisionsQuery } from "@/api/policies";
import type { PolicySetRevision } from "@/api/types";
import { type Mark, policyMark } from "@/charts/marks";
import { useLive } from "@/stream/hooks";
import { useRested } from "@/ui/rested";
import { type CapSpan, capSpans } from "./summary";

const useOwn = (domain: string) =>
  useQuery({ ...revisionsQuery({ kind: "domain", name: domain }), enabled: useRested() }).data;

function useDatabases(domain: string) {
  const database = useLive((s) => s.standing(domain)?.database);
  const scope = { kind: "database", name: database ?? "" } as const;
  const rested = useRested();
  const revisions = useQuery({ ...revisionsQuery(scope), enabled: rested && database !== undefined }).data;
  return { database, revisions };
}

/** The latency caps of both sets, each for the time it was in force. */
export function useCaps(domain: string): readonly CapSpan[] {
  const own = useOwn(domain);
  const { database, revisions } = useDatabases(domain);
  return useMemo(() => [...capSpans(own ?? []), ...capSpans(revisions ?? [], database)], [own, revisions, database]);
}

/** The revisions of the domain's set, where neither its history nor its stream is read. */
export function useOwnMarks(domain: string): readonly Mark[] {
  const revisions = useOwn(domain);
  return useMemo(() => (revisions ?? []).flatMap((each) => markOf(each)), [revisions]);
}

/** The revisions of the database's set. Those of the domain come with its history and its stream. */
export function useDatabaseMarks(domain: string): readonly Mark[] {
  const { database, revisions } = useDatabases(domain);
  return useMemo(() => (revisions ?? []).flatMap((each) => markOf(each, database)), [database, revisions]);
}

/** None of the empty set, which nobody has made. */
function markOf({ createdAt, revision, actor }: PolicySetRevision, database?: string): Mark | [] {
  return createdAt ? policyMark({ time: Date.parse(createdAt), revision, actor: actor ?? "", database }) : [];
}
