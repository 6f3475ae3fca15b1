import { useQueries } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { alarmsOfDomainQuery } from "@/api/alarms";
import { annotationsOfDomainQuery } from "@/api/annotations";
import { historyQuery } from "@/api/domains";
import { ChartPanel, type Key } from "@/charts/ChartPanel";
import { seriesColor } from "@/charts/colors";
import { fromHistory } from "@/charts/fromHistory";
import { alarmMark, annotationMark, type Mark } from "@/charts/marks";
import type { Overlay } from "@/charts/overlay";
import { RingBuffer } from "@/charts/ringBuffer";
import { type Line, TimeChart, type TimeSource } from "@/charts/TimeChart";
import { count } from "@/format/format";
import { useDatabaseMarks } from "@/policy/overTime";
import { NothingKept } from "@/range/NothingKept";
import { between, eventsOf, isStreamed, lengthOf, pastOf, type Range } from "@/range/range";
import { endOf, gapOf } from "@/range/series";
import { useToDecisions } from "@/range/toDecisions";
import { useSeconds } from "@/stream/hooks";
import { liveSource } from "@/stream/seriesSource";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { ownOf, stacked, topOf } from "./stack";

type Props = {
  database: { name: string; budget: number };
  /** At least one. */
  domains: readonly string[];
  range: Range;
  onRange: (range: Range) => void;
};

const NOTHING = new RingBuffer<string>([], 1);

/** The open connections of each domain on top of one another, below the budget of now: what it was is not kept. */
export function BudgetChart({ database, domains, range, onRange }: Props) {
  const zone = useZone();
  const { series, spanMs, gapMs, stored } = useStack(domains, range);
  const marks = useMarks(domains, range);
  const toDecisions = useToDecisions({ database: database.name });
  const last = domains.at(-1) ?? "";
  const lines = useMemo(
    () => [
      ...domains.map((domain, i): Line<string> => {
        const column = topOf(domain);
        const color = seriesColor(domain);
        const fill = i === 0 ? "origin" : "-1";
        return { ...STACKED, column, told: ownOf(domain), label: domain, color, width: 1.4, fill, alpha: 0.4 };
      }),
      { ...STACKED, column: topOf(last), label: ALL, color: "--text", width: 0 },
    ],
    [domains, last],
  );
  if (stored.isEmpty) return <NothingKept of={`the domains of ${database.name}`} range={range} />;

  const source = (): TimeSource<string> => {
    const live = liveSource(last, spanMs);
    return { series: series(), until: endOf(range, live), spanMs, gapMs, now: live.now };
  };
  const { budget } = database;
  const name = range.kind === "live" ? "the budget" : "budget today"; // no domain is called so
  const overlay = (): Overlay => {
    const { until } = source();
    const points = [until - spanMs, until].map((x) => ({ x, y: budget }));
    return {
      markers: marks,
      traces: [{ label: name, end: `${name} ${count(budget)}`, color: "--muted", stepped: true, points }],
    };
  };
  const keys: Key[] = [
    ...domains.map((label): Key => {
      const color = `color-mix(in srgb, var(${seriesColor(label)}) 50%, transparent)`;
      return { label, color, look: "area" };
    }),
    { label: ALL, color: "", look: "area" },
    { label: name, color: "var(--muted)", look: "dash" },
  ];
  return (
    <>
      {stored.error && <Fault error={stored.error} retry={stored.retry} />}
      <ChartPanel title="Open connections" keys={keys} format={count} earlier={undefined}>
        {(onValues) => (
          <TimeChart
            label={`Open connections of ${database.name}: ${domains.join(", ")}`}
            lines={lines}
            source={source}
            overlay={overlay}
            format={count}
            zone={zone}
            height={200}
            whole
            leastMax={4}
            onSelect={(from, to) => onRange(between(from, to))}
            {...toDecisions}
            onValues={onValues}
          />
        )}
      </ChartPanel>
    </>
  );
}

const STACKED = { keep: "last", stepped: true } as const;

/** A range that moves is asked for domain by domain, every five seconds or less often, so one's rows end earlier than another's. */
const APART_MS = 10_000;

/** No domain is called so. */
const ALL = "all domains";

/** The stream's seconds or the service's history of all domains. It draws nothing until it has the history of each. */
function useStack(domains: readonly string[], range: Range) {
  const streamed = isStreamed(range);
  const spanMs = lengthOf(range);
  useSeconds(domains);
  const stored = useQueries({
    queries: domains.map((domain) => ({ ...historyQuery(domain, pastOf(range)), enabled: !streamed })),
    combine: (answers) => ({
      histories: answers.map(({ data }) => data),
      error: streamed ? null : (answers.find(({ isError }) => isError)?.error ?? null),
      retry: () => {
        for (const answer of answers) if (answer.isError) void answer.refetch();
      },
    }),
  });
  const { histories } = stored;
  const gapMs = streamed ? gapOf(undefined) : Math.max(...histories.map(gapOf));
  const kept = useMemo(() => {
    const parts = histories.flatMap((history, i) =>
      history ? { domain: domains[i] ?? "", series: fromHistory(["size"], history) } : [],
    );
    return parts.length === domains.length ? stacked(parts, Math.max(gapMs, APART_MS)) : null;
  }, [domains, histories, gapMs]);
  const lately = useRef({ of: "", ring: NOTHING });
  const series = () => {
    if (!streamed) return kept ?? NOTHING;
    const parts = domains.map((domain) => ({ domain, series: liveSource(domain, spanMs).series }));
    const of = parts.map(({ domain, series: { length, lastTime } }) => `${domain} ${length} ${lastTime}`).join();
    if (lately.current.of !== of) lately.current = { of, ring: stacked(parts, gapMs) };
    return lately.current.ring;
  };
  return { series, spanMs, gapMs, stored: { ...stored, isEmpty: !streamed && kept?.length === 0 } };
}

/** The revisions of the database's set, and the alarms and annotations of all domains, each once. */
function useMarks(domains: readonly string[], range: Range): readonly Mark[] {
  const past = eventsOf(range);
  const alarms = useQueries({ queries: domains.map((domain) => alarmsOfDomainQuery(domain, past)), combine: once });
  const annotations = useQueries({
    queries: domains.map((domain) => annotationsOfDomainQuery(domain, past)),
    combine: once,
  });
  const ofDatabase = useDatabaseMarks(domains[0] ?? "");
  return useMemo(
    () => [...ofDatabase, ...alarms.map(alarmMark), ...annotations.map(annotationMark)],
    [ofDatabase, alarms, annotations],
  );
}

const once = <T extends { id: string }>(answers: readonly { data: readonly T[] | undefined }[]): T[] => [
  ...new Map(answers.flatMap(({ data = [] }) => data).map((each) => [each.id, each])).values(),
];
