/** How fresh the data on the page is. Pure. */
import type { Status } from "./client";

/** `waiting` and `unreachable` are before the first snapshot: the page knows nothing of the domains, not even whether there are any. */
export type FreshnessLevel = "waiting" | "unreachable" | "live" | "late" | "lost";

/** The summary comes once a second, whatever there is. */
const LATE_MS = 2_500;

type Facts = { hasSnapshot: boolean; status: Status; ageMs: number };

export function levelOf({ hasSnapshot, status, ageMs }: Facts): FreshnessLevel {
  if (!hasSnapshot) return status === "lost" ? "unreachable" : "waiting";
  if (status !== "live") return "lost";
  return ageMs > LATE_MS ? "late" : "live";
}

/** Whether the page shows how the domains are now. */
export const isCurrent = (level: FreshnessLevel) => level === "live" || level === "late";

/** A sentence about how things are now. Once the stream is lost it says that it is about then. */
export const whenSeen = (text: string, level: FreshnessLevel) => (level === "lost" ? `When last seen: ${text}` : text);

/** What a question says in place of figures that the stream has not told. */
export const UNTOLD = "How many connections and requests this concerns is not known: the live stream has not told.";

/** What is said of a stream that never opened, although the page came. */
export const UNREACHABLE =
  "The live stream does not open; trying again. A proxy before the service must pass WebSocket connections to /api/v1/stream.";
