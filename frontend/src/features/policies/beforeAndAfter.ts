/** The time under a revision beside the time before it, as the charts' address tells it. */
import type { PolicySetRevision } from "@/api/types";

const SHORTEST_MS = 10_000;
const LONGEST_MS = 3_600_000;

type Search = { from: string; to: string; compare: string };
type Made = Pick<PolicySetRevision, "createdAt">;

const SECOND = 1_000;

const instant = (time: number) => new Date(time).toISOString().replace(".000Z", "Z");

/**
 * At most an hour on both sides: until the next revision, and not before the former one. Null if there was no time before it, or too
 * little on one side to compare.
 */
export function beforeAndAfter(
  revision: Made,
  before: Made | undefined,
  after: Made | undefined,
  now: number,
): Search | null {
  if (!revision.createdAt) return null;
  const at = Math.floor(Date.parse(revision.createdAt) / SECOND) * SECOND; // so that its mark is within its time
  const began = before?.createdAt ? Date.parse(before.createdAt) : Number.NEGATIVE_INFINITY;
  const ended = after?.createdAt ? Date.parse(after.createdAt) : now;
  const length = Math.floor(Math.min(LONGEST_MS, ended - at, at - began) / SECOND) * SECOND;
  if (length < SHORTEST_MS) return null;
  return { from: instant(at), to: instant(at + length), compare: instant(at - length) };
}
