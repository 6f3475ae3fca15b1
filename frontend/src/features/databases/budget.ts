/** What a budget means for the server and for those who hold connections now. Pure. */
import type { Database } from "@/api/types";
import { count } from "@/format/format";
import type { Question } from "@/ui/Confirm";

type Facts = Pick<Database, "name" | "host" | "port" | "budget" | "serverMaxConnections" | "othersUse">;

/**
 * Why the budgets on one server are more than it can give, or null. Others' connections count, because they are there already.
 *
 * @param budget the one in the form
 * @param edited the database of the form
 */
export function overcommitted(budget: number, edited: Facts, all: readonly Facts[]): string | null {
  const most = edited.serverMaxConnections;
  if (most == null || !Number.isFinite(budget)) return null;
  const siblings = all.filter((d) => d.name !== edited.name && d.host === edited.host && d.port === edited.port);
  const promised = siblings.reduce((sum, d) => sum + d.budget, budget);
  const others = edited.othersUse ?? 0;
  if (promised + others <= most) return null;
  const whose =
    siblings.length === 0
      ? `A budget of ${count(budget)}`
      : `The budgets on this server (${[`${edited.name} ${count(budget)}`, ...siblings.map((d) => `${d.name} ${count(d.budget)}`)].join(", ")})`;
  const is = siblings.length === 0 && others === 0 ? "is" : "are";
  const and = others > 0 ? ` and ${count(others)} connections of others` : "";
  return `${whose}${and} ${is} more than the ${count(most)} connections that the server gives. It will refuse some.`;
}

/** Before a budget that is smaller than what is open now. Null if it cuts nothing. */
export function questionBefore(name: string, budget: number, open: number): Question | null {
  if (!(budget < open)) return null;
  return {
    title: `Lower the budget of ${name} to ${count(budget)}?`,
    lines: [
      `${count(open)} connections are open now: ${count(open - budget)} must close.`,
      "Idle ones close now, those in use when they are released. No work is cut.",
      "Until then no domain on it gets a new connection.",
    ],
    undo: "A larger budget takes it back.",
    action: `Lower it to ${count(budget)}`,
  };
}
