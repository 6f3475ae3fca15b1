import { serverNow } from "@/stream/browser";

/** A part of the past: the last milliseconds until now, or from one instant until another. */
export type Past = { lastMs: number } | { from: number; to: number };

/** What is asked of the service for it, or for the part as long that began `backMs` earlier. Without `to` it is now. */
export function instantsOf(past: Past, backMs = 0): { from: string; to?: string } {
  const text = (time: number) => new Date(time - backMs).toISOString();
  if ("from" in past) return { from: text(past.from), to: text(past.to) };
  const now = serverNow();
  return { from: text(now - past.lastMs), to: backMs > 0 ? text(now) : undefined };
}

/** The service has a second of the past so long after its end. */
const KNOWN_AFTER_MS = 2_000;

/** Whether an answer of a time, by the browser's clock, lacks the end of a range that was still to come. */
export function isUnfinished(past: Past, answeredAt: number, backMs = 0): boolean {
  if ("lastMs" in past) return true;
  return answeredAt + serverNow() - Date.now() < past.to - backMs + KNOWN_AFTER_MS;
}

/** Until it is finished, an answer about a part of the past is old at once, and is asked for again about when there is a new row. */
export function untilFinished(past: Past, backMs = 0) {
  const lengthMs = "lastMs" in past ? past.lastMs : past.to - past.from;
  const paceMs = Math.min(300_000, Math.max(5_000, lengthMs / 720));
  type Asked = { state: { dataUpdatedAt: number } };
  return {
    refetchInterval: ({ state }: Asked) => (isUnfinished(past, state.dataUpdatedAt, backMs) ? paceMs : false),
    staleTime: ({ state }: Asked) => (isUnfinished(past, state.dataUpdatedAt, backMs) ? 0 : Number.POSITIVE_INFINITY),
  } as const;
}
