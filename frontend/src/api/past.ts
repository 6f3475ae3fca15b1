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
