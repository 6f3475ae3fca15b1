/** A range as files: its rows, and what happened in it as a text for an incident's report. */
import { MOST_DECISIONS } from "@/api/log";
import type { Annotation, Decision, History, LoggedAlarm } from "@/api/types";
import { age, count, duration, stamp } from "@/format/format";
import { alarmName } from "@/format/names";
import { instant, said } from "./range";

type Total = NonNullable<History["total"]>;

/** "bank-2026-11-23T21-00-00Z-2026-11-23T21-15-00Z.csv" */
export function fileName(domain: string, { from, to }: Pick<Total, "from" | "to">, ending: string, part = ""): string {
  const times = [from, to].map((time) => instant(Math.floor(Date.parse(time) / 1000) * 1000).replaceAll(":", "-"));
  return `${[domain, part, ...times].filter(Boolean).join("-")}.${ending}`;
}

/** RFC 4180, a row per time, with empty fields where nothing was measured. */
export function csvOf({ time, columns }: Pick<History, "time" | "columns">): string {
  const named = Object.entries(columns);
  const rows = time.map((at, row) => [at, ...named.map(([, values]) => values[row] ?? "")]);
  return [["time", ...named.map(([name]) => name)], ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

export const jsonOf = (domain: string, history: History) => `${JSON.stringify({ domain, ...history }, null, 2)}\n`;

export type Incident = {
  domain: string;
  link: string;
  total: Total;
  markers: History["markers"];
  annotations: readonly Pick<Annotation, "time" | "kind" | "text" | "author">[];
  alarms: readonly Pick<LoggedAlarm, "since" | "cleared" | "code" | "severity" | "message" | "times">[];
  decisions: readonly Pick<Decision, "time" | "kind" | "message" | "count">[];
};

/** The incident in Markdown. All times are UTC, the earliest first. */
export function markdownOf(incident: Incident): string {
  const { domain, link, total, markers, annotations, alarms, decisions } = incident;
  const span = said({ from: Date.parse(total.from), to: Date.parse(total.to) }, "utc");
  const figures: [string, string][] = [
    ["measured", age(total.measuredMs)],
    ["statements", count(total.requests)],
    ["errors", count(total.errors)],
    ["lease requests", count(total.arrivals)],
    ["refused", count(total.refused)],
    ["latency mean", duration(total.meanMs)],
    ["latency p50, p95, p99", [total.p50Ms, total.p95Ms, total.p99Ms].map(duration).join(", ")],
    ["latency max", duration(total.maxMs)],
    ["wait p99, max", [total.waitP99Ms, total.waitMaxMs].map(duration).join(", ")],
  ];
  const lines = [
    `# ${plain(domain)}, ${span} UTC`,
    "",
    `[The charts of this range](${link})`,
    "",
    "| figure | value |",
    "| --- | --- |",
    ...figures.map(([name, value]) => `| ${name} | ${value} |`),
    ...section(
      "Alarms",
      alarms.map((a) => {
        const end = a.cleared ? `until ${stamp(a.cleared, "utc")}` : "not cleared";
        const often = a.times > 1 ? `, ${count(a.times)} times` : "";
        return [a.since, `**${plain(alarmName(a.code))}** (${a.severity}, ${end}${often}): ${plain(a.message)}`];
      }),
    ),
    ...section(
      "Policy revisions",
      markers.map((m) => [m.time, `rev ${m.revision} by ${plain(m.actor)}`]),
    ),
    ...section(
      "Annotations",
      annotations.map((a) => [a.time, `${a.kind} by ${plain(a.author)}: ${plain(a.text)}`]),
    ),
    ...section(
      decisions.length < MOST_DECISIONS ? "Decisions" : `The newest ${MOST_DECISIONS} decisions`,
      decisions.map((d) => [
        d.time,
        `**${d.kind}**${d.count > 1 ? ` (${count(d.count)} times)` : ""}: ${plain(d.message)}`,
      ]),
    ),
  ];
  return `${lines.join("\n")}\n`;
}

function section(title: string, entries: readonly (readonly [time: string, text: string])[]): string[] {
  if (entries.length === 0) return [];
  const sorted = [...entries].sort(([a], [b]) => Date.parse(a) - Date.parse(b));
  return ["", `## ${title}`, "", ...sorted.map(([time, text]) => `- ${stamp(time, "utc")} ${text}`)];
}

/** On one line, and without a meaning in Markdown or HTML. */
const plain = (text: string) =>
  text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*_[\]<>|#]/g, "\\$&");
