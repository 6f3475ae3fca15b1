/** What is marked on the time axis of a chart: a policy's revision, an alarm, an annotation. */

export type Mark = {
  kind: "policy" | "alarm" | "annotation";
  time: number;
  /** Of an alarm: when its condition was last seen. Null while it holds. */
  until?: number | null;
  /** The name beside the mark. */
  text: string;
  /** A sentence for people who cannot see the chart. */
  said: string;
  critical?: boolean;
};

const LONGEST = 28;

/** A text that leaves room for others on a chart. */
export function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).trimEnd()}…`;
}

export const policyMark = (m: { time: number; revision: number; actor: string }): Mark => ({
  kind: "policy",
  time: m.time,
  text: `rev ${m.revision}`,
  said: `rev ${m.revision} by ${m.actor}`,
});

export const alarmMark = (a: {
  code: string;
  message: string;
  severity: string;
  since: string;
  lastSeen: string;
  clearing: string | null;
  cleared: string | null;
}): Mark => ({
  kind: "alarm",
  time: Date.parse(a.since),
  until: a.cleared || a.clearing ? Date.parse(a.lastSeen) : null,
  text: a.code,
  said: `alarm ${a.code}: ${a.message}`,
  critical: a.severity === "critical",
});

export const annotationMark = (a: { kind: string; text: string; time: string; author: string }): Mark => ({
  kind: "annotation",
  time: Date.parse(a.time),
  text: short(a.kind === "note" ? a.text : `${a.kind}: ${a.text}`),
  said: `${a.kind} by ${a.author}: ${a.text}`,
});

export type Name = { at: number; width: number };

/**
 * Where the names of marks are written: right of each, or left of it at the right edge. Later marks come first: a name that would
 * overlap a later one's is left out (null).
 */
export function placeNames(names: readonly Name[], right: number): (number | null)[] {
  const places: (number | null)[] = names.map(() => null);
  let free = Number.POSITIVE_INFINITY;
  const latestFirst = names.map((name, index) => ({ ...name, index })).sort((a, b) => b.at - a.at);
  for (const { at, width, index } of latestFirst) {
    const left = at + 5 + width > right ? at - 5 - width : at + 5;
    if (left + width > free) continue;
    free = left - 6;
    places[index] = left;
  }
  return places;
}
