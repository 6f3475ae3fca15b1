/** A transaction idle for longer than this is marked. Shorter pauses between two statements are normal. */
const IDLE_TOO_LONG_MS = 1_000;

/** The tone of a lease's state. */
export function leaseTone(state: string, heldMs: number): string {
  if (state === "idle in transaction") return heldMs < IDLE_TOO_LONG_MS ? "" : "warn";
  return state === "active" ? "acc" : "";
}
