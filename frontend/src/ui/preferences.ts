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
    // Without storage the choice lasts until the page is closed.
  }
  for (const listener of listeners) listener();
}

/** The time zone of all times on the page: UTC or local. */
export function useZone(): Zone {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => zone,
  );
}
