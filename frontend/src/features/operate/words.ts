/** What an operator reads of callers, and before he acts on them. Pure, so that it can be tested. */
import type { Deed } from "@/api/leases";
import type { ConnectionReport, Lease, LeaseCaller, Waiter } from "@/api/types";
import { nameOf, who } from "@/format/callers";
import { age, duration } from "@/format/format";
import type { Question } from "@/ui/Confirm";

/** What will happen to whom. */
export function questionOf(deed: Deed): Question {
  switch (deed.what) {
    case "cancel":
      return cancelling(deed.lease);
    case "end":
      return ending(deed.lease);
    case "refuse":
      return refusing(deed.waiter);
  }
}

/** Why a connection has no latencies to show. They come in when their second is over; their number is told at once. */
export function withoutLatencies({ closed, connection }: Pick<ConnectionReport, "closed" | "connection">): string {
  if (closed) return "It is kept for open connections only.";
  return connection.requests > 0 ? "Its first second is not over yet." : "No statement has ended yet.";
}

/** How long a lease is held: to the millisecond where that is short. */
export const held = (ms: number) => (ms < 1_000 ? duration(ms) : age(ms));

function cancelling({ caller, connection, heldMs, statement }: Lease): Question {
  return {
    title: `Cancel what ${nameOf(caller)} runs on ${connection}?`,
    lines: [
      `PostgreSQL stops the statement of ${who(caller)}, held for ${held(heldMs)}: it fails with SQLSTATE 57014.`,
      ...(statement ? [`It is: ${statement}`] : []),
      "An open transaction fails with it. The program keeps its lease and can go on.",
      ...(caller.kind === "jdbc" ? [`${connection} is closed when the lease ends, so that nobody else is hit.`] : []),
    ],
    undo: "It cannot be undone. The audit log records it.",
    action: "Cancel the statement",
    keep: "Let it run",
    danger: true,
  };
}

function ending({ caller, connection, heldMs, state }: Lease): Question {
  return {
    title: `End the lease of ${nameOf(caller)} on ${connection}?`,
    lines: [
      `${who(caller)} loses ${connection}, which it has held for ${held(heldMs)}.`,
      state === "active"
        ? "Its running statement is cancelled, and its transaction is rolled back."
        : "Its open transaction, if it has one, is rolled back.",
      AFTER[caller.kind],
      `${connection} is closed. The pool opens another one if it needs it.`,
    ],
    undo: "It cannot be undone. The audit log records it.",
    action: "End the lease",
    danger: true,
  };
}

const AFTER: Record<LeaseCaller["kind"], string> = {
  wire: "The client is told why (SQLSTATE 57P01) and disconnected. It may connect again.",
  sql: "The request fails with SQLSTATE 57P01.",
  jdbc: "The program finds its connection closed at its next use.",
};

function refusing({ caller, waitedMs, leftMs }: Waiter): Question {
  const left = leftMs == null ? "as long as it takes" : `for ${duration(leftMs)} more`;
  return {
    title: `End the wait of ${nameOf(caller)}?`,
    lines: [
      `The request of ${who(caller)} fails now with SQLSTATE 57014. It has waited ${duration(waitedMs)} and would wait ${left}.`,
      "Those who wait behind it move up. Leases continue.",
    ],
    undo: "It cannot be undone. The audit log records it.",
    action: "End the wait",
    danger: true,
  };
}

/** The prepared statements of a connection in a sentence. */
export function preparedSentence(prepared: NonNullable<ConnectionReport["prepared"]>): string {
  const asked = prepared.hits + prepared.misses;
  if (asked === 0) return "No client has used a prepared statement on it yet.";
  return `${Math.round((100 * prepared.hits) / asked)} % of ${asked} uses found their statement prepared already.`;
}
