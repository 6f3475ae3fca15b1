import { useSyncExternalStore } from "react";
import type { Zone } from "@/format/format";

const KEY = "headgate.zone";
const listeners = new Set<() => void>();

function read(): Zone {
  try {
    return localStorage.getItem(KEY) === "local" ? "local" : "utc";
  } catch {
    return "utc";
  }
}

let zone: Zone = read();

export function setZone(next: Zone): void {
  zone = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

/** UTC or local: how times are shown, everywhere on the page. */
export function useZone(): Zone {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => zone,
  );
}
