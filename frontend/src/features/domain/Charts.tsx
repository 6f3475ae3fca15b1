import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { shadowDecisionsQuery } from "@/api/log";
import { shadowQuery } from "@/api/rehearsal";
import { ChartPanel, type Key, keyOf } from "@/charts/ChartPanel";
import type { Overlay, Trace } from "@/charts/overlay";
import { STATISTICS } from "@/charts/statistics";
import { type Line, TimeChart } from "@/charts/TimeChart";
import { count, duration } from "@/format/format";
import { policyName } from "@/policy/attribution";
import { useCaps } from "@/policy/overTime";
import { usePredicted } from "@/policy/predictions";
import { cappedStatistics, capsWithin } from "@/policy/summary";
import { MarkerList, useMarks } from "@/range/Marks";
import { NothingKept } from "@/range/NothingKept";
import { between, eventsOf, lengthOf, type Range, searchOf } from "@/range/range";
import { useSeries } from "@/range/series";
import { live } from "@/stream/browser";
import type { SeriesName } from "@/stream/live";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Differences } from "./Differences";
import { predictedLatency, predictedSize, shadowTrace } from "./traces";
import { useBefore } from "./useBefore";
import { Why } from "./Why";

type SourceLine = Line<SeriesName>;

const LATENCY: readonly SourceLine[] = [
  { ...STATISTICS.p50Ms, label: "p50", color: "--c1", width: 1.8 },
  { ...STATISTICS.p95Ms, label: "p95", color: "--c5", dash: [4, 3] },
  { ...STATISTICS.p99Ms, label: "p99", color: "--c2" },
];
/** Beside the percentiles where a policy controls it, so that its line and the cap can be compared. */
const MEAN: SourceLine = { ...STATISTICS.meanMs, label: "mean", color: "--c3", width: 2 };
const CONNECTIONS: readonly SourceLine[] = [
  { column: "floor", label: "floor", color: "--c1", keep: "last", width: 0, stepped: true, nowOnly: true },
  {
    column: "ceiling",
    label: "ceiling",
    color: "--text",
    keep: "last",
    width: 1,
    dash: [2, 3],
    stepped: true,
    fill: "-1",
    fillColor: "--band",
    nowOnly: true,
  },
  {
    column: "inUse",
    label: "in use",
    color: "--c1",
    keep: "max",
    width: 0,
    stepped: true,
    fill: "origin",
    alpha: 0.35,
  },
  { column: "size", label: "open", color: "--c1", keep: "last", width: 1.8, stepped: true },
];
const WAITING: readonly SourceLine[] = [
  { column: "waiting", label: "waiting", color: "--c2", keep: "max", fill: "origin", alpha: 0.25 },
];
/** Both count requests for a lease. A lease may run many statements, so neither is drawn beside those. */
const LEASES: readonly SourceLine[] = [
  { column: "leasesPerSecond", label: "granted", color: "--c1", keep: "mean" },
  { column: "refusedPerSecond", label: "refused", color: "--c6", keep: "mean", dash: [4, 3] },
];
const STATEMENTS: readonly SourceLine[] = [{ column: "perSecond", label: "done", color: "--c3", keep: "mean" }];
const RATES = [
  { title: "Leases per second", lines: LEASES },
  { title: "Statements per second", lines: STATEMENTS },
];

const CAP_KEY = { color: "var(--bad)", look: "dash", inPicture: true } as const;

const CONNECTION_KEYS: readonly Key[] = [
  { label: "in use", color: "color-mix(in srgb, var(--c1) 50%, transparent)", look: "area" },
  { label: "open", color: "var(--c1)", look: "line" },
  { label: "floor", color: "", look: "area" },
  { label: "ceiling", color: "var(--band)", look: "area" },
];

type Props = {
  domain: string;
  range: Range;
  compare: string | undefined;
  /** A logarithmic axis of the latency. */
  log: boolean;
  onRange: (range: Range) => void;
};

/** Charts of latency, connections, waiting, leases and statements on one time axis, with policy limits and revisions. */
export function Charts({ domain, range, compare, log, onRange }: Props) {
  const zone = useZone();
  const spanMs = lengthOf(range);
  const before = useBefore({ kind: "domain", name: domain }, compare, range);
  const { source, earlier, streamed, history, then, revisions, isEmpty } = useSeries(domain, range, before);
  const spans = useCaps(domain);
  const predicted = usePredicted(domain);
  const shadow = useShadow(domain, range);
  const marks = useMarks({ domain, range, revisions });

  const caps = () => {
    const { until } = source();
    return capsWithin(spans, until - spanMs, until);
  };
  const capped = caps();
  const statistics = cappedStatistics(...capped, ...(predicted?.caps ?? []));
  const latencies = predictedLatency(predicted?.result ?? null, statistics);
  const withMean = capped.some((cap) => cap.statistic === "mean") || (latencies.length > 0 && statistics[0] === "mean");
  const latency = useMemo(() => (withMean ? [MEAN, ...LATENCY] : LATENCY), [withMean]);
  const capKeys = [...new Set(capped.map(({ name }) => name))].map((label) => ({ ...CAP_KEY, label }));
  const overlay =
    (extra: () => Partial<Overlay> = () => ({})) =>
    (): Overlay => ({ markers: marks(), ...extra() });
  const connectionsOverlay = (): Overlay => {
    const pool = range.kind === "fixed" ? undefined : live.pool(domain);
    const label = pool
      ? {
          y: pool.ceiling,
          text: `ceiling ${pool.ceiling}${pool.binding ? ` · ${policyName(pool.binding.policy, pool.database)}` : ""}`,
        }
      : undefined;
    const traces = [...predictedSize(predicted?.result ?? null), ...shadow(pool?.budget, source().until)];
    return { ...overlay()(), label, traces };
  };

  const onSelect = (from: number, to: number) => onRange(between(from, to));
  const [why, setWhy] = useState<number | null>(null);
  const shared = { source, earlier, onSelect, onPick: setWhy, zone };

  if (isEmpty) return <NothingKept of={domain} range={range} />;

  return (
    <>
      <Why domain={domain} at={why} onClose={() => setWhy(null)} />
      {!streamed && history.isError && <Fault error={history.error} retry={() => void history.refetch()} />}
      <MarkerList domain={domain} range={range} revisions={revisions} />
      <div className="charts" data-range={searchOf(range).range ?? range.kind} aria-busy={history.isLoading}>
        <ChartPanel earlier={before?.name} title="Latency" keys={[...latency.map(keyOf), ...capKeys]} format={duration}>
          {(onValues) => (
            <TimeChart
              {...shared}
              label={`Latency of ${domain}: ${latency.map((each) => each.label).join(", ")}`}
              lines={latency}
              height={176}
              clipSpikes
              log={log}
              nothing="No statements in this range"
              format={duration}
              overlay={overlay(() => ({ caps: caps(), traces: latencies }))}
              onValues={onValues}
            />
          )}
        </ChartPanel>
        <ChartPanel earlier={before?.name} title="Connections" keys={CONNECTION_KEYS} format={count}>
          {(onValues) => (
            <TimeChart
              {...shared}
              label={`Connections of ${domain}: in use, open, floor and ceiling`}
              lines={CONNECTIONS}
              height={176}
              whole
              leastMax={4}
              format={count}
              overlay={connectionsOverlay}
              onValues={onValues}
            />
          )}
        </ChartPanel>
        <ChartPanel
          earlier={before?.name}
          title="Waiting"
          keys={WAITING.map(keyOf)}
          format={count}
          aside="requests in the gate's queue; click to see why"
        >
          {(onValues) => (
            <TimeChart
              {...shared}
              label={`Requests waiting for a connection of ${domain}`}
              lines={WAITING}
              height={132}
              whole
              leastMax={4}
              yTicks={2}
              format={count}
              overlay={overlay()}
              onValues={onValues}
            />
          )}
        </ChartPanel>
        {RATES.map(({ title, lines }) => (
          <ChartPanel key={title} earlier={before?.name} title={title} keys={lines.map(keyOf)} format={count}>
            {(onValues) => (
              <TimeChart
                {...shared}
                label={`${title} of ${domain}: ${lines.map((each) => each.label).join(", ")}`}
                lines={lines}
                height={132}
                yTicks={2}
                leastMax={10}
                format={count}
                overlay={overlay()}
                onValues={onValues}
              />
            )}
          </ChartPanel>
        ))}
      </div>
      {then.isError && <Fault error={then.error} retry={() => void then.refetch()} />}
      {before && then.data && history.data && (
        <Differences title={before.name} then={then.data.total} now={history.data.total} />
      )}
    </>
  );
}

/** The shadow set's ceiling over the range. */
function useShadow(domain: string, range: Range): (budget: number | undefined, until: number) => Trace[] {
  const shadow = useQuery(shadowQuery(domain)).data ?? null;
  const decisions = useQuery(shadowDecisionsQuery(domain, eventsOf(range), shadow !== null)).data;
  return (budget = Number.POSITIVE_INFINITY, until) =>
    shadowTrace(shadow, decisions ?? [], budget, until, range.kind !== "fixed");
}
