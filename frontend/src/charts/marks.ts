import { alarmName } from "@/format/names";

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

/** A revision of a domain's set, or of its database's. */
export const policyMark = (m: { time: number; revision: number; actor: string; database?: string }): Mark => ({
  kind: "policy",
  time: m.time,
  text: m.database ? `${m.database} rev ${m.revision}` : `rev ${m.revision}`,
  said: `rev ${m.revision}${m.database ? ` of ${m.database}` : ""} by ${m.actor}`,
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
  text: alarmName(a.code),
  said: `alarm “${alarmName(a.code)}”: ${a.message}`,
  critical: a.severity === "critical",
});

export const annotationMark = (a: { kind: string; text: string; time: string; author: string }): Mark => ({
  kind: "annotation",
  time: Date.parse(a.time),
  text: short(a.kind === "note" ? a.text : `${a.kind}: ${a.text}`),
  said: `${a.kind} by ${a.author}: ${a.text}`,
});

/** Whether a chart from one time until another shows a mark. An alarm is shown for as long as its condition held. */
export const isOn = ({ kind, time, until: end }: Mark, from: number, until: number) =>
  time < until && (kind === "alarm" ? (end ?? Number.POSITIVE_INFINITY) : time) >= from;

/** Whether earlier marks of a range may be missing: the service was asked for the newest `most`, and all of them are within it. */
export const leavesOut = (marks: readonly Pick<Mark, "time">[], most: number, from: number) =>
  marks.length >= most && marks.every(({ time }) => time > from);

export type Name = { at: number; width: number };

type Edges = { left: number; right: number };

const GAP = 6;

/**
 * Where the names of marks are written: right of each, or left of it at the right edge. A mark before the left edge has its name
 * there. Later marks come first: a name that would overlap a later one's is left out (null).
 */
export function placeNames(names: readonly Name[], edges: Edges): (number | null)[] {
  const places: (number | null)[] = names.map(() => null);
  let free = Number.POSITIVE_INFINITY;
  const latestFirst = names.map((name, index) => ({ ...name, index })).sort((a, b) => b.at - a.at);
  for (const { at, width, index } of latestFirst) {
    const left = Math.max(edges.left, at + 5 + width > edges.right ? at - 5 - width : at + 5);
    if (left + width > free) continue;
    free = left - GAP;
    places[index] = left;
  }
  return places;
}

/**
 * Where the label of the line at `own` is written: above it, or directly under it where something higher, up to `top`, is drawn over
 * it. Never far from it: there it would name another line.
 */
export function labelBaseline(own: number, top: number, area: { top: number; bottom: number }): number {
  const [above, under] = [own - 7, own + 13];
  const free = area.top + 22; // below the names of revisions
  return (top >= own && above > free) || under > area.bottom - 4 ? above : Math.max(free, under);
}

type Label = Name & { line: number };

const LINE_HEIGHT = 12;

/**
 * Where the labels of steps are written: at the begin of each, or at the right edge where it would not fit. The last come first: one
 * that would cover a later one's is left out (null).
 */
export function placeLabels(labels: readonly Label[], area: Edges & { top: number; bottom: number }) {
  const places: ({ left: number; baseline: number } | null)[] = labels.map(() => null);
  for (const [i, { at, width, line }] of [...labels.entries()].reverse()) {
    const left = Math.max(area.left, Math.min(at + 6, area.right - 4 - width));
    const baseline = labelBaseline(line, line, area);
    const covers = places.some(
      (place, j) =>
        place &&
        Math.abs(place.baseline - baseline) < LINE_HEIGHT &&
        place.left < left + width + GAP &&
        left < place.left + (labels[j]?.width ?? 0) + GAP,
    );
    if (!covers) places[i] = { left, baseline };
  }
  return places;
}

/** Where the names at the ends of lines are written: each above its line, or lower where the name of a higher line is in the way. */
export function placeEnds(lines: readonly number[], top: number): number[] {
  const baselines = [...lines];
  let above = top - LINE_HEIGHT;
  for (const i of [...lines.keys()].sort((a, b) => (lines[a] ?? 0) - (lines[b] ?? 0))) {
    above = Math.max((lines[i] ?? 0) - 6, above + LINE_HEIGHT);
    baselines[i] = above;
  }
  return baselines;
}

/** Where the crosshair's time begins: centred under it, within the edges. */
export const placeTime = (at: number, width: number, { left, right }: Edges) =>
  Math.max(left, Math.min(right - width, at - width / 2));

/** Which of these, each centred at its place, a text from `left` to `right` would touch. */
export const touched = <N extends Name>(names: readonly N[], { left, right }: Edges): N[] =>
  names.filter(({ at, width }) => at + width / 2 > left - GAP && at - width / 2 < right + GAP);
