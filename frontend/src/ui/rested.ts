import { useSyncExternalStore } from "react";

/**
 * Whether the page has had a moment of rest since it was opened. What only refines what is shown is read from then on: asked for at
 * once, one answer for each domain would come between the page and whoever waits for it.
 */
export const useRested = () => useSyncExternalStore(subscribe, () => rested);

const LONGEST_MS = 3_000;
const waiting = new Set<() => void>();
let rested = false;

function subscribe(listener: () => void): () => void {
  if (!rested && waiting.size === 0) atRest(rest);
  waiting.add(listener);
  return () => waiting.delete(listener);
}

/** Safari does not tell of it. */
function atRest(run: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(run, { timeout: LONGEST_MS });
  else setTimeout(run, 100);
}

function rest(): void {
  rested = true;
  for (const listener of waiting) listener();
}
