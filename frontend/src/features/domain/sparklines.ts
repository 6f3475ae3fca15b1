/** The charts of a range as lines of text, for a report that shows neither pictures nor HTML. */
import type { History } from "@/api/types";
import { type Kept, kept, measureOf } from "@/charts/decimate";
import { fromHistory } from "@/charts/fromHistory";
import { STATISTICS } from "@/charts/statistics";
import { age, count, duration, NONE, stamp } from "@/format/format";
import type { CapSpan } from "@/policy/summary";

/** `time` tells the ends of the rows. */
export type Rows = Pick<History, "stepMs" | "time" | "columns">;
export type Cap = Pick<CapSpan, "from" | "to" | "y" | "name" | "statistic">;

/** What the characters stand for: so many equal parts of a time, in ms since 1970. */
type Parts = { from: number; each: number; number: number };

type Series = {
  label: string;
  /** All that were measured, or in force, the oldest first. */
  values: readonly number[];
  /** One for each character. NaN where nothing was measured. */
  drawn: readonly number[];
  format: (value: number) => string;
  /** Series of one scale are drawn against the greatest value of all of them. */
  scale: string;
};

type Line = Pick<Series, "label" | "format"> & Kept<keyof Rows["columns"]> & { scale?: string };

const BARS = "▁▂▃▄▅▆▇█";
const NOT_MEASURED = "·";
const MOST_CHARACTERS = 60;

const rate = (value: number) => `${count(value)}/s`;

/** Of what hurts when it is high, a character keeps the greatest: a single spike stays. A latency is kept as its chart keeps it. */
const LINES: readonly Line[] = [
  { ...STATISTICS.meanMs, label: "latency mean", format: duration },
  { ...STATISTICS.p50Ms, label: "latency p50", format: duration },
  { ...STATISTICS.p95Ms, label: "latency p95", format: duration },
  { ...STATISTICS.p99Ms, label: "latency p99", format: duration },
  { column: "inUse", label: "connections in use", keep: "max", format: count, scale: "connections" },
  { column: "size", label: "connections open", keep: "last", format: count, scale: "connections" },
  { column: "floor", label: "floor", keep: "last", format: count, scale: "connections" },
  { column: "ceiling", label: "ceiling", keep: "last", format: count, scale: "connections" },
  { column: "waiting", label: "requests waiting", keep: "max", format: count },
  { column: "leasesPerSecond", label: "leases granted", keep: "mean", format: rate },
  { column: "refusedPerSecond", label: "leases refused", keep: "max", format: rate },
  { column: "perSecond", label: "statements done", keep: "mean", format: rate },
];

/**
 * A section in Markdown with a row for each series of the charts, and for each latency cap beneath the statistic that it is on.
 * Empty if nothing is kept of the range. `from` and `to` are its ends in ms since 1970.
 */
export function chartsSection(rows: Rows, caps: readonly Cap[], from: number, to: number): string[] {
  if (rows.time.length === 0) return [];
  const each = Math.ceil((to - from) / rows.stepMs / MOST_CHARACTERS) * rows.stepMs;
  const parts = { from, each, number: Math.ceil((to - from) / each) };
  const ofMean = caps.some(({ statistic }) => statistic === "mean"); // as on the chart
  const all = LINES.filter(({ column }) => ofMean || column !== "meanMs").flatMap((line) => {
    const onIt = caps.filter(({ statistic }) => line.label === `latency ${statistic}`);
    const names = [...new Set(onIt.map(({ name }) => name))];
    return [
      measured(rows, line, parts),
      ...names.map((name) =>
        inForce(
          onIt.filter((cap) => cap.name === name),
          line.label,
          parts,
        ),
      ),
    ];
  });
  const last = from + (parts.number - 1) * each;
  return [
    "",
    "## Charts",
    "",
    `Each character is ${age(each)}: the first begins at ${stamp(from, "utc")}, the last at ${stamp(last, "utc")} UTC. ` +
      "Of its time it is the greatest p95, p99, in use, waiting and refused, the mean of granted, done and the mean latency " +
      `(of all statements), and the last of the others. ▁ is zero, █ what its column says, ${NOT_MEASURED} a time without a measurement or a cap.`,
    "",
    "| series | over the range | █ | least | greatest | last |",
    "| --- | --- | --- | --- | --- | --- |",
    ...all.map((series) => row(series, greatest(all.filter(({ scale }) => scale === series.scale)))),
  ];
}

function measured(rows: Rows, line: Line, parts: Parts): Series {
  const { column, label, weight, format, scale = label } = line;
  const ring = fromHistory(weight ? [column, weight] : [column], rows);
  const measure = measureOf(ring, line);
  const rowAt = (part: number) => {
    if (part === parts.number) return ring.length;
    return ring.indexAt(parts.from + part * parts.each + rows.stepMs); // a row's time is its end
  };
  const drawn = Array.from(
    { length: parts.number },
    (_, part) => kept(ring, measure, rowAt(part), rowAt(part + 1))?.y ?? Number.NaN,
  );
  const values = rows.columns[column].filter((value) => value !== null);
  return { label, values, drawn, format, scale };
}

/** A cap over time, the oldest span first. A character has the one that was in force last in its time. */
function inForce(spans: readonly Cap[], scale: string, { from, each, number }: Parts): Series {
  const drawn = Array.from({ length: number }, (_, i) => {
    const [begin, end] = [from + i * each, from + (i + 1) * each];
    return spans.findLast((span) => span.from < end && span.to > begin)?.y ?? Number.NaN;
  });
  return { label: spans[0]?.name ?? "", values: spans.map(({ y }) => y), drawn, format: duration, scale };
}

const greatest = (series: readonly Series[]) => Math.max(...series.flatMap(({ values }) => values));

function row({ label, values, drawn, format }: Series, top: number): string {
  const told = [top, Math.min(...values), Math.max(...values), values.at(-1) ?? Number.NaN];
  const figures = told.map((value) => (Number.isFinite(value) ? format(value) : NONE));
  return `| ${[label, `\`${sparkline(drawn, top)}\``, ...figures].join(" | ")} |`;
}

/** A character for each value, from zero to `top`. What is above zero is never drawn as zero. */
export function sparkline(values: readonly number[], top: number): string {
  const steps = BARS.length - 1;
  const bar = (value: number) => (value > 0 ? Math.min(steps, Math.max(1, Math.round((value / top) * steps))) : 0);
  return values.map((value) => (Number.isNaN(value) ? NOT_MEASURED : BARS[bar(value)])).join("");
}
