import { useSyncExternalStore } from "react";
import { live } from "@/stream/browser";

/**
 * Whether the page has had a moment of rest since it drew what the stream told first. What only refines what is shown is read from
 * then on: asked for at once, one answer for each domain would come between the page and whoever waits for it.
 */
export const useRested = () => useSyncExternalStore(subscribe, () => rested);

/** After the stream's first snapshot: the last minutes of the domains on the page, which it asks for next, are drawn by then. */
const MOMENT_MS = 400;
const LONGEST_MS = 3_000;
const waiting = new Set<() => void>();
let rested = false;

function subscribe(listener: () => void): () => void {
  if (!rested && waiting.size === 0) whenTold(() => setTimeout(() => atRest(rest), MOMENT_MS));
  waiting.add(listener);
  return () => waiting.delete(listener);
}

/** Runs once the stream has told what there is. Without a stream there is nothing to wait for. */
function whenTold(run: () => void): void {
  const told = () => {
    clearTimeout(longest);
    stop();
    run();
  };
  const longest = setTimeout(told, LONGEST_MS);
  const stop = live.subscribe(() => {
    if (live.hasSnapshot) told();
  });
  if (live.hasSnapshot) told();
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
