/** A range as files: its rows, and what happened in it as a text for an incident's report. */
import { NEWEST } from "@/api/pages";
import type { Annotation, Decision, History, LoggedAlarm, Refusal } from "@/api/types";
import type { Mark } from "@/charts/marks";
import { who } from "@/format/callers";
import { age, count, duration, stamp } from "@/format/format";
import { alarmName, kindName } from "@/format/names";
import { instant, said } from "@/range/range";
import { type Cap, chartsSection, type Rows } from "./sparklines";

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
  /** What the charts show. */
  rows: Rows;
  markers: History["markers"];
  /** The revisions of its database's set. */
  ofDatabase: readonly Pick<Mark, "time" | "said">[];
  annotations: readonly Pick<Annotation, "time" | "kind" | "text" | "author">[];
  alarms: readonly Pick<
    LoggedAlarm,
    "since" | "cleared" | "code" | "severity" | "message" | "detail" | "times" | "acknowledged"
  >[];
  /** The latency caps that were in force. */
  caps: readonly (Cap & { label: string })[];
  /** Who was turned away in the last ten minutes. Earlier refusals are only counted. */
  refusals: readonly Refusal[];
  decisions: readonly Pick<Decision, "time" | "kind" | "message" | "count">[];
};

/** The incident in Markdown. All times are UTC, the earliest first. */
export function markdownOf(incident: Incident): string {
  const { domain, link, total, rows, markers, ofDatabase, annotations, alarms, caps, refusals, decisions } = incident;
  const [from, to] = [Date.parse(total.from), Date.parse(total.to)];
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
    `# ${plain(domain)}, ${said({ from, to }, "utc")} UTC`,
    "",
    `[The charts of this range](${link})`,
    "",
    "| figure | value |",
    "| --- | --- |",
    ...figures.map(([name, value]) => `| ${name} | ${value} |`),
    ...chartsSection(rows, caps, from, to),
    ...section(
      newest("alarms", alarms),
      alarms.map((a) => {
        const end = a.cleared ? `until ${stamp(a.cleared, "utc")}` : "not cleared";
        const often = a.times > 1 ? `, ${count(a.times)} times` : "";
        const facts = `${a.severity}, ${end}${often}${acknowledgement(a.acknowledged)}`;
        return [
          a.since,
          `**${plain(alarmName(a.code))}** (${facts}): ${plain([a.message, a.detail].filter(Boolean).join(": "))}`,
        ];
      }),
    ),
    ...section(
      "Turned away in the last ten minutes",
      refusals
        .filter(({ first, last }) => Date.parse(last) >= from && Date.parse(first) < to)
        .map((r) => {
          const often = r.count > 1 ? ` (${count(r.count)} times until ${stamp(r.last, "utc")})` : "";
          return [r.first, `**${r.why}**${often}: ${plain(who(r.caller))}. ${plain(r.reason)}`.trimEnd()];
        }),
    ),
    ...section(
      "Latency caps in force",
      caps.map((cap) => {
        const end = cap.to < to ? ` until ${stamp(cap.to, "utc")}` : "";
        return [instant(cap.from), `${plain(cap.label)}${end}`];
      }),
    ),
    ...section("Policy revisions", [
      ...markers.map((m) => [m.time, `rev ${m.revision} by ${plain(m.actor)}`] as const),
      ...ofDatabase
        .filter(({ time }) => time >= from && time < to)
        .map((mark) => [instant(mark.time), plain(mark.said)] as const),
    ]),
    ...section(
      newest("annotations", annotations),
      annotations.map((a) => [a.time, `${a.kind} by ${plain(a.author)}: ${plain(a.text)}`]),
    ),
    ...section(
      newest("decisions", decisions),
      decisions.map((d) => [
        d.time,
        `**${kindName(d.kind)}**${d.count > 1 ? ` (${count(d.count)} times)` : ""}: ${plain(d.message)}`,
      ]),
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** The title of a section. It says so where there may be more. */
const newest = (name: string, { length }: readonly unknown[]) =>
  length < NEWEST ? name.charAt(0).toUpperCase() + name.slice(1) : `The newest ${NEWEST} ${name}`;

function acknowledgement(acknowledged: LoggedAlarm["acknowledged"]): string {
  if (!acknowledged) return "";
  const { actor, time, reason } = acknowledged;
  return `, acknowledged by ${plain(actor)} at ${stamp(time, "utc")}${reason ? `: “${plain(reason)}”` : ""}`;
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
