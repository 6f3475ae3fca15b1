/** The last statements of each domain, kept by this browser. Results are never kept. Without storage there is no history. */
import * as z from "zod/mini";

const entry = z.object({
  sql: z.string(),
  at: z.number(),
  elapsedMs: z.number(),
  rows: z.number(),
  outcome: z.enum(["complete", "failed", "refused", "cut", "cancelled"]),
});

export type HistoryEntry = z.infer<typeof entry>;

export const MOST_ENTRIES = 100;
const LONGEST = 20_000;

const key = (domain: string) => `headgate.console.${domain}`;

/** The newest entry first. What cannot be read counts as nothing. */
export function readHistory(domain: string): HistoryEntry[] {
  try {
    return z.array(entry).parse(JSON.parse(localStorage.getItem(key(domain)) ?? "[]"));
  } catch {
    return [];
  }
}

/**
 * Keeps an entry as the newest, and returns all that are kept. A statement is kept once, with its last execution. Very
 * long ones are not kept, and none that sets a password.
 */
export function remember(domain: string, added: HistoryEntry): HistoryEntry[] {
  const history = readHistory(domain);
  if (added.sql.length > LONGEST || /\bpassword\s+(e|u&)?['$]/i.test(added.sql)) return history;
  const kept = [added, ...history.filter(({ sql }) => sql !== added.sql)].slice(0, MOST_ENTRIES);
  try {
    localStorage.setItem(key(domain), JSON.stringify(kept));
  } catch {
    return history;
  }
  return kept;
}

export function forget(domain: string): void {
  try {
    localStorage.removeItem(key(domain));
  } catch {
    // There is nothing to forget.
  }
}
