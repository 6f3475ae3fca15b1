import { useSyncExternalStore } from "react";
import type { ReplayResult } from "@/api/types";
import type { Cap } from "./summary";

/** What is predicted of a draft, which has these caps. */
export type Prediction = { result: ReplayResult; caps: readonly Cap[] };

/** What the policy editor predicts for a domain's draft, for the charts beside it. */
const predictions = new Map<string, Prediction>();
const listeners = new Set<() => void>();

/** Null if there is no draft, or no prediction of it. */
export function setPrediction(domain: string, prediction: Prediction | null): void {
  if (prediction) predictions.set(domain, prediction);
  else predictions.delete(domain);
  for (const listener of listeners) listener();
}

export function usePredicted(domain: string): Prediction | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => predictions.get(domain) ?? null,
  );
}
