import type { Decision } from "@/api/types";

/**
 * Names as people sort them: shop-2 comes before shop-10, and Bank beside bank. `Intl.Collator` would do it too, and load its tables
 * before the first page is drawn: up to 0.1 s.
 */
export function byName(a: string, b: string): number {
  const [these, those] = [parts(a), parts(b)];
  for (let i = 0; i < Math.min(these.length, those.length); i++) {
    const order = i % 2 === 1 ? compare(Number(these[i]), Number(those[i])) : compare(these[i], those[i]);
    if (order !== 0) return order;
  }
  return these.length - those.length || compare(a, b);
}

/** Text and digits in turn, text first. */
const parts = (name: string) => name.toLowerCase().split(/(\d+)/);

const compare = <T extends number | string>(a: T | undefined, b: T | undefined) =>
  a === b || a === undefined || b === undefined ? 0 : a < b ? -1 : 1;

/** What people call an alarm: "at ceiling" for "at-ceiling". */
export const alarmName = (code: string): string => code.replaceAll("-", " ");

/** What people call the kinds of decisions, in the order of the filter. */
const KINDS: Record<Decision["kind"], string> = {
  grew: "grew",
  shrank: "shrank",
  held: "held back",
  refused: "refused",
  limits: "limits changed",
  policy: "new revision",
  unjudged: "not judged",
  lent: "lent",
  reclaimed: "given back",
  degraded: "policy fails",
  recovered: "policies answer",
  quarantined: "policy shut out",
  alarm: "alarm",
  cleared: "alarm ended",
  paused: "paused",
  resumed: "resumed",
  flushed: "flushed",
  drained: "drained",
  shadow: "shadow differs",
  unreachable: "unreachable",
  reachable: "reachable again",
};

export const kinds = Object.keys(KINDS);

/** A kind of a newer service has its own name. */
export const kindName = (kind: string): string => (KINDS as Record<string, string>)[kind] ?? kind;
