import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { alarmsOfDomainQuery } from "@/api/alarms";
import { annotationsOfDomainQuery } from "@/api/annotations";
import { historyQuery } from "@/api/domains";
import { shadowDecisionsQuery } from "@/api/log";
import { NEWEST } from "@/api/pages";
import { shadowQuery } from "@/api/rehearsal";
import { fromHistory } from "@/charts/fromHistory";
import { alarmMark, annotationMark, leavesOut, type Mark, policyMark } from "@/charts/marks";
import type { Overlay, Trace } from "@/charts/overlay";
import { RingBuffer } from "@/charts/ringBuffer";
import { type Line, TimeChart, type TimeSource } from "@/charts/TimeChart";
import { count, duration, timeText } from "@/format/format";
import { policyName } from "@/policy/attribution";
import { useCaps, useDatabaseMarks } from "@/policy/overTime";
import { usePredicted } from "@/policy/predictions";
import { capsWithin } from "@/policy/summary";
import { live, serverNow } from "@/stream/browser";
import { useLive } from "@/stream/hooks";
import { SERIES, type SeriesName } from "@/stream/live";
import { liveSource } from "@/stream/seriesSource";
import { Fault, Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { comparedText, shiftOf } from "./compare";
import { Differences } from "./Differences";
import { between, isStreamed, LIVE_EVENTS, lengthOf, pastOf, type Range, said, searchOf, spanOf } from "./range";
import { predictedTrace, shadowTrace } from "./traces";
import { Why } from "./Why";

type SourceLine = Line<SeriesName>;

const LATENCY: readonly SourceLine[] = [
  { column: "p50Ms", label: "p50", color: "--c1", keep: "last", width: 1.8 },
  { column: "p95Ms", label: "p95", color: "--c5", keep: "max", dash: [4, 3] },
  { column: "p99Ms", label: "p99", color: "--c2", keep: "max" },
];
/** Beside the percentiles where a policy controls it, so that its line and the cap can be compared. */
const MEAN: SourceLine = { column: "meanMs", label: "mean", color: "--c3", keep: "mean", width: 2 };
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

const NOTHING = new RingBuffer(SERIES, 1);

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
  const backMs = shiftOf(compare, range);
  const streamed = isStreamed(range, backMs !== null);
  const history = useQuery({ ...historyQuery(domain, pastOf(range)), enabled: !streamed });
  const before = useQuery({ ...historyQuery(domain, pastOf(range), backMs ?? 0), enabled: backMs !== null });
  const spans = useCaps(domain);
  const predicted = usePredicted(domain);
  const predictedLatency = useMemo(() => predictedTrace(predicted, "latency"), [predicted]);
  const predictedSize = useMemo(() => predictedTrace(predicted, "connections"), [predicted]);
  const shadow = useShadow(domain, range);
  const ring = useMemo(() => (history.data ? fromHistory(SERIES, history.data) : null), [history.data]);
  const earlierRing = useMemo(() => (before.data ? fromHistory(SERIES, before.data) : NOTHING), [before.data]);
  const historyMarkers = useMemo(
    () => history.data?.markers.map((m) => policyMark({ ...m, time: Date.parse(m.time) })) ?? [],
    [history.data],
  );
  const events = useEventMarks(domain, range);
  const databaseMarks = useDatabaseMarks(domain);

  const source = (): TimeSource<SeriesName> => {
    const lively = liveSource(domain, spanMs);
    if (streamed) return lively;
    const until = range.kind === "fixed" ? range.to : lively.until;
    return { series: ring ?? NOTHING, until, spanMs, gapMs: 2.5 * (history.data?.stepMs ?? 1_000), now: lively.now };
  };
  const caps = () => {
    const { until } = source();
    return capsWithin(spans, until - spanMs, until);
  };
  const capped = caps();
  const withMean = capped.some((cap) => cap.statistic === "mean") || predictedLatency.length > 0;
  const latency = useMemo(() => (withMean ? [MEAN, ...LATENCY] : LATENCY), [withMean]);
  const capKeys = [...new Set(capped.map(({ name }) => name))].map((label) => ({ ...CAP_KEY, label }));
  const earlierText = backMs === null || compare === undefined ? undefined : comparedText(compare, zone);
  const earlier =
    backMs === null || earlierText === undefined
      ? undefined
      : () => ({
          name: earlierText,
          series: earlierRing,
          shiftMs: backMs,
          gapMs: 2.5 * (before.data?.stepMs ?? 1_000),
        });
  const overlay =
    (extra: () => Partial<Overlay> = () => ({})) =>
    (): Overlay => ({
      markers: [
        ...(streamed ? live.markers(domain).map(policyMark) : historyMarkers),
        ...databaseMarks,
        ...events.alarms,
        ...events.annotations,
      ],
      ...extra(),
    });
  const connectionsOverlay = (): Overlay => {
    const pool = range.kind === "fixed" ? undefined : live.pool(domain);
    const label = pool
      ? {
          y: pool.ceiling,
          text: `ceiling ${pool.ceiling}${pool.binding ? ` · ${policyName(pool.binding.policy, pool.database)}` : ""}`,
        }
      : undefined;
    const traces = [...predictedSize, ...shadow(pool?.budget, source().until)];
    return { ...overlay()(), label, traces };
  };

  const onSelect = (from: number, to: number) => onRange(between(from, to));
  const [why, setWhy] = useState<number | null>(null);
  const shared = { source, earlier, onSelect, onPick: setWhy, zone };

  if (!streamed && history.data?.time.length === 0)
    return (
      <p className="panel empty" role="status">
        Nothing is kept of {domain} for {said(spanOf(range, serverNow()), zone)}.
      </p>
    );

  return (
    <>
      <Why domain={domain} at={why} onClose={() => setWhy(null)} />
      {!streamed && history.isError && <Fault error={history.error} retry={() => void history.refetch()} />}
      <MarkerList domain={domain} range={range} stored={streamed ? null : historyMarkers} />
      <div className="charts" data-range={searchOf(range).range ?? range.kind} aria-busy={history.isLoading}>
        <ChartPanel earlier={earlierText} title="Latency" keys={[...latency.map(keyOf), ...capKeys]} format={duration}>
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
              overlay={overlay(() => ({ caps: caps(), traces: predictedLatency }))}
              onValues={onValues}
            />
          )}
        </ChartPanel>
        <ChartPanel earlier={earlierText} title="Connections" keys={CONNECTION_KEYS} format={count}>
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
          earlier={earlierText}
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
          <ChartPanel key={title} earlier={earlierText} title={title} keys={lines.map(keyOf)} format={count}>
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
      {before.isError && <Fault error={before.error} retry={() => void before.refetch()} />}
      {earlierText && before.data && history.data && (
        <Differences title={earlierText} then={before.data.total} now={history.data.total} />
      )}
    </>
  );
}

/** The shadow set's ceiling over the range. */
function useShadow(domain: string, range: Range): (budget: number | undefined, until: number) => Trace[] {
  const past = isStreamed(range) ? LIVE_EVENTS : pastOf(range);
  const shadow = useQuery(shadowQuery(domain)).data ?? null;
  const decisions = useQuery(shadowDecisionsQuery(domain, past, shadow !== null)).data;
  return (budget = Number.POSITIVE_INFINITY, until) =>
    shadowTrace(shadow, decisions ?? [], budget, until, range.kind !== "fixed");
}

/** The alarms and annotations of the range, the newest of each. */
function useEventMarks(domain: string, range: Range): Readonly<Record<"alarms" | "annotations", readonly Mark[]>> {
  const past = isStreamed(range) ? LIVE_EVENTS : pastOf(range);
  const alarms = useQuery(alarmsOfDomainQuery(domain, past));
  const annotations = useQuery(annotationsOfDomainQuery(domain, past));
  return useMemo(
    () => ({ alarms: (alarms.data ?? []).map(alarmMark), annotations: (annotations.data ?? []).map(annotationMark) }),
    [alarms.data, annotations.data],
  );
}

type MarkerListProps = { domain: string; range: Range; stored: readonly Mark[] | null };

/**
 * What is marked on the charts as text, for screen readers, and for everybody what is not. Without stored revisions it tells the streamed
 * ones.
 */
function MarkerList({ domain, range, stored }: MarkerListProps) {
  const zone = useZone();
  const revisions = useLive((s) => s.markers(domain));
  const events = useEventMarks(domain, range);
  const now = serverNow();
  const { from, to: until } = spanOf(range, now);
  const shown = { until, spanMs: until - from, now };
  const ofDatabase = useDatabaseMarks(domain).filter(({ time }) => time >= from && time < until);
  const all = [...(stored ?? revisions.map(policyMark)), ...ofDatabase, ...Object.values(events).flat()];
  const marks = all.sort((a, b) => a.time - b.time);
  const cut = Object.entries(events).filter(([, each]) => leavesOut(each, NEWEST, from));
  return (
    <>
      <p className="sr-only" data-testid="markers">
        {marks.map((m) => `${m.said} at ${timeText(m.time, zone, shown)}`).join(", ")}
      </p>
      {cut.length > 0 && (
        <p className="note small" role="status">
          Only the newest {NEWEST} {cut.map(([name]) => name).join(" and ")} of this range are marked on the charts.
        </p>
      )}
    </>
  );
}

type Key = { label: string; color: string; look: "line" | "dash" | "area" };

const keyOf = ({ label, color, dash }: SourceLine): Key => ({
  label,
  color: `var(${color})`,
  look: dash ? "dash" : "line",
});

const CAP_KEY = { color: "var(--bad)", look: "dash" } as const;

const CONNECTION_KEYS: readonly Key[] = [
  { label: "in use", color: "color-mix(in srgb, var(--c1) 50%, transparent)", look: "area" },
  { label: "open", color: "var(--c1)", look: "line" },
  { label: "floor", color: "", look: "area" },
  { label: "ceiling", color: "var(--band)", look: "area" },
];

type ChartPanelProps = {
  title: string;
  keys: readonly Key[];
  format: (value: number) => string;
  aside?: string;
  /** The name of the earlier range that is drawn beneath. */
  earlier: string | undefined;
  children: (onValues: (values: ReadonlyMap<string, number> | null) => void) => ReactNode;
};

/**
 * A chart with its legend. The values under the crosshair stand over the chart, not in the legend: nothing moves under the
 * pointer. They are written to the DOM directly, without React.
 */
function ChartPanel({ title, keys, format, aside, earlier, children }: ChartPanelProps) {
  const figures = useRef(new Map<string, HTMLElement>());
  const readout = useRef<HTMLParagraphElement>(null);
  const show = (values: ReadonlyMap<string, number> | null) => {
    let measured = 0;
    for (const [label, element] of figures.current) {
      const value = values?.get(label);
      const known = value !== undefined && !Number.isNaN(value);
      element.textContent = known ? format(value) : "–";
      if (known) measured++;
    }
    if (readout.current) readout.current.hidden = measured === 0;
  };
  return (
    <Panel
      title={title}
      live
      aside={
        <span className="legend">
          {aside && <span>{aside}</span>}
          {!(aside && keys.length === 1) &&
            keys
              .filter(({ color }) => color !== "")
              .map((key) => (
                <span key={key.label}>
                  <Swatch of={key} />
                  {key.label === "ceiling" ? "floor to ceiling" : key.label}
                </span>
              ))}
          {earlier && (
            <span>
              <i className="earlier" />
              {earlier}
            </span>
          )}
        </span>
      }
    >
      <div className="chart" data-chart={title}>
        {children(show)}
        <p className="legend readout" ref={readout} hidden>
          {keys.map((key) => (
            <span key={key.label}>
              <Swatch of={key} />
              {key.label}
              <b
                ref={(element) => {
                  if (element) figures.current.set(key.label, element);
                  else figures.current.delete(key.label);
                }}
              />
            </span>
          ))}
        </p>
      </div>
    </Panel>
  );
}

function Swatch({ of: { color, look } }: { of: Key }) {
  return color === "" ? null : <i className={look} style={{ borderColor: color }} />;
}
