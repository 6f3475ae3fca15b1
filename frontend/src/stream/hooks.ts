import { useEffect, useState, useSyncExternalStore } from "react";
import { type FreshnessLevel, freshness, live } from "./browser";
import type { LiveStore } from "./live";

/** Selects from the live store. The selection must be a stable reference while nothing changes. */
export function useLive<T>(select: (store: LiveStore) => T): T {
  return useSyncExternalStore(live.subscribe, () => select(live));
}

export const usePools = () => useLive((s) => s.pools());
export const usePool = (domain: string) => useLive((s) => s.pool(domain));

function subscribeToLevel(listener: () => void): () => void {
  const timer = setInterval(listener, 500);
  const unsubscribe = live.subscribe(listener);
  return () => {
    clearInterval(timer);
    unsubscribe();
  };
}

/** How fresh the data is. Re-renders only when the level changes. */
export function useFreshnessLevel(): FreshnessLevel {
  return useSyncExternalStore(subscribeToLevel, () => freshness().level);
}

/** Re-renders the component every `ms`, for ages and clocks. Only small leaves should use it. */
export function useTick(ms: number): void {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), ms);
    return () => clearInterval(timer);
  }, [ms]);
}
