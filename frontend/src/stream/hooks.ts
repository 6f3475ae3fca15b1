import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { freshness, live, serverNow, wants } from "./browser";
import type { FreshnessLevel } from "./freshness";
import type { LiveStore } from "./live";
import { steady } from "./steady";
import type { Want } from "./wants";

/** Selects from the live store. The selection must be a stable reference while nothing changes. */
export function useLive<T>(select: (store: LiveStore) => T): T {
  return useSyncExternalStore(live.subscribe, () => select(live));
}

const TOLD = { isPending: false, isSuccess: true };
const UNTOLD = { isPending: true, isSuccess: false };

/** Whether the stream has told what there is, like the state of a query. Before its first snapshot all lists are empty. */
export const useStreamed = () => useLive((s) => (s.hasSnapshot ? TOLD : UNTOLD));

/** The state of every domain. */
export const usePools = () => useLive((s) => s.pools());

/** The state and the figures of every domain, which are streamed while this is used. */
export function useRows() {
  useWant(ALL_FIGURES);
  return useLive((s) => s.rows());
}
const ALL_FIGURES: Want = { figures: true };

/** A domain in full, which is streamed while this is used. */
export function usePool(domain: string) {
  useWant(useMemo(() => ({ domains: domain === "" ? [] : [domain] }), [domain]));
  return useLive((s) => s.pool(domain));
}

const SCROLLED_MS = 300;

/** Streams the last minutes, the ended seconds and the events of these domains. Waits until the list has been the same for a moment. */
export function useSeconds(domains: readonly string[]): void {
  const names = [...domains].sort().join();
  const [settled] = useDebouncedValue(names, SCROLLED_MS);
  useWant(useMemo(() => wantedOf(settled === "" ? [] : settled.split(",")), [settled]));
}

const wantedOf = (names: readonly string[]): Want => ({ seconds: names, events: names });

const ALL_EVENTS: Want = { events: ["*"] };

/** The newest decisions: of a domain that is streamed in full, or of all, whose events are streamed while this is used. */
export function useDecisions(domain?: string) {
  useWant(useMemo(() => (domain ? { events: [domain] } : ALL_EVENTS), [domain]));
  return useLive((s) => s.decisions());
}

/** Streams the events of all domains while this is used, so that what they make stale is fetched again. */
export const useAllEvents = () => useWant(ALL_EVENTS);

/** Whether the service has such a domain; true until it has told. */
export const useKnown = (domain: string) => useLive((s) => !s.hasSnapshot || s.standing(domain) !== undefined);

/** Streams what is wanted while the component is on the page. `want` is a stable reference. */
export function useWant(want: Want): void {
  useEffect(() => wants.add(want), [want]);
}

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

const second = steady(serverNow, 1_000);
const never = () => () => {};

/**
 * The server's time, for ages and clocks: the same in all components, which it renders again every second. Only small leaves
 * should use it.
 *
 * @param turns false for a time that stays
 */
export function useNow(turns = true): number {
  return useSyncExternalStore(turns ? second.subscribe : never, second.now);
}

/** Re-renders the component every `ms`, for what changes faster than ages do. Only small leaves should use it. */
export function useTick(ms: number): void {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), ms);
    return () => clearInterval(timer);
  }, [ms]);
}
