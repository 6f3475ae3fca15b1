import { useComputedColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { connectionHistoryQuery } from "@/api/domains";
import { coarseAge, count } from "@/format/format";
import { byName } from "@/format/names";
import { isStreamed, lengthOf, pastOf, type Range, searchOf } from "@/range/range";
import { endOf } from "@/range/series";
import { live } from "@/stream/browser";
import type { HeatMeasure } from "@/stream/heat";
import { useWant } from "@/stream/hooks";
import { liveSource } from "@/stream/seriesSource";
import { loadCode } from "@/ui/loadCode";
import { Fault, Panel, Seg } from "@/ui/parts";
import { ConnectionTable } from "./ConnectionTable";
import { type HeatSource, heatSeconds, heatStep, rowName } from "./heatCells";
import { Why } from "./Why";

/** Below the charts, so that they are drawn before its code comes. */
const Heatmap = lazy(() => loadCode(() => import("./Heatmap")).then(({ Heatmap }) => ({ default: Heatmap })));

const STREAMED = { lastMs: 300_000 };
const DAY = 86_400_000;

/** Every physical connection: a heatmap row of the range, and its state now. */
export function Connections({ domain, range }: { domain: string; range: Range }) {
  const [measure, setMeasure] = useState<HeatMeasure>("p99");
  const [why, setWhy] = useState<number | null>(null);
  const scheme = useComputedColorScheme("light");
  useWant(useMemo(() => ({ connections: [domain] }), [domain]));
  const streamed = isStreamed(range);
  const lengthMs = lengthOf(range);
  const query = useQuery(
    streamed
      ? connectionHistoryQuery(domain, STREAMED, 1, { once: true })
      : connectionHistoryQuery(domain, pastOf(range), heatStep(lengthMs)),
  );
  const history = query.data;
  useEffect(() => {
    if (streamed && history) live.heat(domain).fill(heatSeconds(history));
  }, [domain, streamed, history]);
  const past = useMemo(() => (streamed || !history ? [] : heatSeconds(history)), [streamed, history]);
  const step = streamed || !history ? 1 : history.stepMs / 1_000; // the begin may be kept less finely than was asked for
  const source = (): HeatSource => {
    const until = endOf(range, liveSource(domain, lengthMs));
    return { seconds: streamed ? live.heat(domain).since(0) : past, from: until - lengthMs, until, step };
  };
  const pace = step === 1 ? "second by second" : `in steps of ${coarseAge(step * 1_000)}`;
  const stronger = scheme === "dark" ? "brighter" : "darker";
  return (
    <Panel
      title={
        <>
          Every connection{" "}
          <span className="muted" style={{ fontWeight: 400, marginLeft: 8 }}>
            {said(measure, step)}; {stronger} is {measure === "busy" ? "busier" : "slower"}
          </span>
        </>
      }
      aside={
        <Seg
          label="Measure"
          value={measure}
          onChange={setMeasure}
          options={[
            ["p99", "p99"],
            ["mean", "mean"],
            ["busy", "busy"],
          ]}
        />
      }
      live
    >
      {!streamed && query.isError && <Fault error={query.error} retry={() => void query.refetch()} />}
      <Suspense fallback={<div className="heat heat-comes" />}>
        <Heatmap
          domain={domain}
          measure={measure}
          source={source}
          pace={`${pace} ${searchOf(range).from ?? ""}`.trim()}
          onPick={setWhy}
        />
      </Suspense>
      <Why domain={domain} at={why} onClose={() => setWhy(null)} />
      {!streamed && history && <OfRange domain={domain} range={range} history={history} />}
      <ConnectionTable domain={domain} />
    </Panel>
  );
}

function said(measure: HeatMeasure, step: number): string {
  if (step === 1) return measure === "busy" ? "share of each second spent in statements" : `${measure} per second`;
  const each = coarseAge(step * 1_000);
  if (measure === "p99") return `p99 of the worst second in each ${each}`;
  return measure === "busy" ? `share of each ${each} spent in statements` : `mean of each ${each}`;
}

type OfRangeProps = { domain: string; range: Range; history: { connections: { id: string }[]; leftOut: number } };

/** The connections that were open in a past range, closed ones too, each with its page of that range. */
function OfRange({ domain, range, history: { connections, leftOut } }: OfRangeProps) {
  if (connections.length === 0)
    return (
      <p className="empty" role="status">
        No connection was measured then. The history of connections is kept for a day.
      </p>
    );
  const ids = connections.map((each) => each.id).sort(byName);
  const { from, to } = searchOf(range);
  return (
    <>
      <details className="of-range">
        <summary>
          {count(ids.length)} {ids.length === 1 ? "connection was" : "connections were"} open in this range
          {leftOut > 0 && `, and ${count(leftOut)} more before them`}
          {lengthOf(range) > DAY && "; the history of connections is kept for a day"}
        </summary>
        <ul>
          {ids.map((id) => (
            <li key={id}>
              <Link to="/domains/$domain/connections/$id" params={{ domain, id }} search={{ from, to }} title={id}>
                {rowName(id, domain)}
              </Link>
            </li>
          ))}
        </ul>
      </details>
      <p className="muted small of-range">The state of those that are open now:</p>
    </>
  );
}
