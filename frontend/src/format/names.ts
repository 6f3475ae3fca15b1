import type { Decision } from "@/api/types";

/** Names as people sort them: shop-2 comes before shop-10. */
export const byName: (a: string, b: string) => number = new Intl.Collator("en", { numeric: true }).compare;

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
