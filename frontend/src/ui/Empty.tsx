import type { ReactNode } from "react";

/** What the service has told of a list: a query is one, and `useStreamed`. */
export type Told = { readonly isPending: boolean; readonly isSuccess: boolean };

type Props = { of: Told; className?: string; children: ReactNode };

/**
 * Stands where a list shows nothing, and is the one place that knows whether the page may say that there is nothing: only after an
 * answer of the service. After a request that failed nothing is known; the fault says that.
 */
export function Empty({ of, className = "", children }: Props) {
  if (!of.isPending && !of.isSuccess) return null;
  return <p className={`empty ${className}`}>{of.isPending ? "Loading…" : children}</p>;
}
