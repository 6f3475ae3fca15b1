/** Those who ask for a lease, in words. */
import type { LeaseCaller } from "@/api/types";

export const KINDS: Record<LeaseCaller["kind"], string> = {
  wire: "wire port",
  sql: "SQL over HTTP",
  jdbc: "in process",
};

/** The shortest name that tells who it is. */
export function nameOf(caller: LeaseCaller): string {
  if (caller.kind === "wire") return caller.application || caller.user || caller.holder;
  return caller.user || caller.holder || caller.thread || "unnamed";
}

/** What else is known of it: "app from 10.0.4.7:50432", or "transaction 1a2b3c4d from 10.0.4.7" of one over several requests. */
export function originOf(caller: LeaseCaller): string {
  const user = caller.user && caller.user !== nameOf(caller) ? caller.user : "";
  const transaction = caller.transaction ? `transaction ${caller.transaction}` : "";
  const from = caller.address ? `from ${caller.address}` : "";
  const thread = caller.thread ? `thread ${caller.thread}` : "";
  return [user, transaction, from, thread].filter(Boolean).join(" ") || KINDS[caller.kind];
}

/** "report (app from 10.0.4.7:50432)" */
export const who = (caller: LeaseCaller) => `${nameOf(caller)} (${originOf(caller)})`;
