import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { connectionHistoryQuery } from "@/api/domains";
import { connectionQuery } from "@/api/leases";
import type { Past } from "@/api/past";
import { ChartPanel, keyOf } from "@/charts/ChartPanel";
import { fromHistory } from "@/charts/fromHistory";
import { STATISTICS } from "@/charts/statistics";
import { type Line, TimeChart } from "@/charts/TimeChart";
import { coarseAge, duration, stamp } from "@/format/format";
import { useOwnMarks } from "@/policy/overTime";
import { MarkerList, useMarks } from "@/range/Marks";
import { rangeOfPast } from "@/range/range";
import { useToDecisions } from "@/range/toDecisions";
import { serverNow } from "@/stream/browser";
import { Empty } from "@/ui/Empty";
import { Fault, Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { isInFirstStep } from "./firstStep";
import { lifeOf, nameOf } from "./life";

type Figure = "p99Ms" | "meanMs" | "busy" | "requests";

const FIGURES: readonly Figure[] = ["p99Ms", "meanMs", "busy", "requests"];
const LATENCY: readonly Line<Figure>[] = [
  { ...STATISTICS.meanMs, weight: "requests", label: "mean", color: "--c1", width: 1.8 },
  { ...STATISTICS.p99Ms, label: "p99", color: "--c2" },
];
const BUSY: readonly Line<Figure>[] = [
  { column: "busy", label: "busy", color: "--c3", keep: "mean", fill: "origin", alpha: 0.25 },
];
const MOST_POINTS = 280;
const STEPS = [1, 5, 10, 60, 300];

type Props = { domain: string; id: string };

/** What was measured on one connection, also on a closed one: in a part of the past, or in its life. It is kept for a day. */
export function ConnectionPast({ domain, id, past }: Props & { past: Past | null }) {
  const opened = useQuery({
    ...connectionQuery(domain, id),
    enabled: past === null,
    select: ({ openedAt }) => openedAt,
  });
  if (past === null && opened.isPending) return null;
  return <Measured domain={domain} id={id} past={past ?? lifeOf(opened.data, serverNow())} />;
}

function Measured({ domain, id, past }: Props & { past: Past }) {
  const zone = useZone();
  const spanMs = "lastMs" in past ? past.lastMs : past.to - past.from;
  const step = STEPS.find((each) => spanMs <= each * MOST_POINTS * 1_000) ?? 600;
  const query = useQuery(connectionHistoryQuery(domain, past, step, { connection: id }));
  const history = query.data;
  const row = history?.connections[0];
  const series = useMemo(() => {
    if (!history || !row) return null;
    const { p99Ms, meanMs, busy, requests } = row;
    return fromHistory(FIGURES, { time: history.time, columns: { p99Ms, meanMs, busy, requests } });
  }, [history, row]);
  const opensFirst = history && row && "lastMs" in past && isInFirstStep(history.time, row.p99Ms, serverNow());
  const title = "lastMs" in past ? nameOf(past) : `${stamp(past.from, zone)} to ${stamp(past.to, zone)}`;
  const stepMs = history?.stepMs ?? 1_000;
  const source = () => ({
    series: series as NonNullable<typeof series>,
    until: "lastMs" in past ? serverNow() : past.to,
    spanMs,
    gapMs: 2.5 * stepMs,
    now: serverNow(),
  });
  const marked = { domain, range: rangeOfPast(past), revisions: useOwnMarks(domain) };
  const marks = useMarks(marked);
  const overlay = () => ({ markers: marks() });
  const toDecisions = useToDecisions({ domain });
  const share = (value: number) => `${Math.round(value * 100)} %`;
  const steps = stepMs > 1_000 ? `in steps of ${coarseAge(stepMs)}; p99 is that of the worst second` : undefined;
  const shared = { ...toDecisions, source, overlay, zone };
  if (!series || opensFirst)
    return (
      <Panel title={title}>
        {query.isError && <Fault error={query.error} retry={() => void query.refetch()} />}
        {opensFirst ? (
          <p className="empty">The first step of {coarseAge(stepMs)} is not over yet.</p>
        ) : (
          <Empty of={query}>Nothing was measured on {id} then. The history of connections is kept for a day.</Empty>
        )}
      </Panel>
    );
  return (
    <>
      <h2>{title}</h2>
      {query.isError && <Fault error={query.error} retry={() => void query.refetch()} />}
      <MarkerList {...marked} />
      <ChartPanel title="Latency" keys={LATENCY.map(keyOf)} format={duration} aside={steps} earlier={undefined}>
        {(onValues) => (
          <TimeChart
            {...shared}
            label={`Latency of connection ${id}: mean, p99`}
            lines={LATENCY}
            height={148}
            clipSpikes
            nothing="No statements in this range"
            format={duration}
            onValues={onValues}
          />
        )}
      </ChartPanel>
      <ChartPanel
        title="Busy"
        keys={BUSY.map(keyOf)}
        format={share}
        aside="share of the time spent in statements"
        earlier={undefined}
      >
        {(onValues) => (
          <TimeChart
            {...shared}
            label={`Share of the time that connection ${id} spent in statements`}
            lines={BUSY}
            height={108}
            leastMax={1}
            most={1}
            yTicks={2}
            format={share}
            onValues={onValues}
          />
        )}
      </ChartPanel>
    </>
  );
}
