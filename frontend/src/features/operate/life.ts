/** How much of the past the charts of one connection show. */

type Life = { readonly lastMs: number };

const MINUTE = 60_000;
/** Few and fixed, so that the time axis stays the same while a page is looked at. What is measured is kept for a day. */
const SPANS: readonly Life[] = [5, 15, 60, 360, 1_440].map((minutes) => ({ lastMs: minutes * MINUTE }));
const DAY = SPANS.at(-1) as Life;

/**
 * The shortest span that holds a connection's whole life; a day for an older one.
 *
 * @param openedAt undefined where nobody knows
 * @returns the same object for the same span
 */
export function lifeOf(openedAt: string | undefined, now: number): Life {
  const ms = openedAt === undefined ? DAY.lastMs : now - Date.parse(openedAt);
  return SPANS.find(({ lastMs }) => ms <= lastMs) ?? DAY;
}

/** "The last 15 min", "The last hour", "The last 6 h", "The last day". */
export function nameOf({ lastMs }: Life): string {
  const minutes = lastMs / MINUTE;
  if (minutes === 1_440) return "The last day";
  if (minutes === 60) return "The last hour";
  return `The last ${minutes < 60 ? `${minutes} min` : `${minutes / 60} h`}`;
}
