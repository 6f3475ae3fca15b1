import { Link } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import { seriesColor } from "@/charts/colors";
import { TimeChart } from "@/charts/TimeChart";
import { duration, ofRequests } from "@/format/format";
import { byName } from "@/format/names";
import { useCaps } from "@/policy/overTime";
import { capsWithin } from "@/policy/summary";
import { MarkerList, useMarks } from "@/range/Marks";
import { NothingKept } from "@/range/NothingKept";
import { RangeRow } from "@/range/RangeRow";
import { between, named, type Range, searchOf } from "@/range/range";
import { type Before, useSeries } from "@/range/series";
import { useToDecisions } from "@/range/toDecisions";
import { useSeconds } from "@/stream/hooks";
import type { PoolRow } from "@/stream/schemas";
import { byTrouble } from "@/ui/findDomains";
import { useHeldOrder } from "@/ui/heldOrder";
import { Fault, Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { useVisibleRows } from "@/ui/visibleRows";
import { cappedLines } from "./cappedLines";

const LAST_5_MINUTES: Range = { kind: "last", preset: "5m" };
/** Heights in pixels: of all rows together if there are few, and the least of one row. */
const TOGETHER = 520;
const LEAST = 98;
const AXIS = 31;
/** Up to here all are drawn, one below the other. More scroll in a box. */
const FEW = 8;

/** What a page that can look back shows: its range, an earlier one beneath, and a logarithmic axis. */
type LookingBack = { range: Range; before: Before | null; log: boolean; onRange: (range: Range) => void };

type Props = {
  pools: readonly PoolRow[];
  /** Without it, the last five minutes. With it, figures of the range are shown as on a domain's page. */
  back?: LookingBack;
};

const nameOf = ({ domain }: PoolRow) => domain;

/** One small chart per domain, each with its own scale and the latency caps that were in force. Of many, those in trouble come first. */
export function Multiples({ pools, back }: Props) {
  const zone = useZone();
  const box = useRef<HTMLDivElement>(null);
  const few = pools.length <= FEW;
  const inOrder = useMemo(() => [...pools].sort(few ? (a, b) => byName(a.domain, b.domain) : byTrouble), [pools, few]);
  const { rows: ordered, holding } = useHeldOrder(inOrder, nameOf);
  const height = Math.max(LEAST, Math.min(180, Math.floor(TOGETHER / Math.max(1, pools.length))));
  const rows = useVisibleRows({ container: box, count: ordered.length, estimate: LEAST + AXIS + 14, all: few });
  useSeconds(rows.visible.flatMap((row) => ordered[row.index]?.domain ?? []));
  return (
    <Panel
      title="Latency and cap of each domain"
      aside={
        <>
          <span className="muted">{named(back?.range ?? LAST_5_MINUTES, zone)} · one scale per domain</span>
          {back?.before && (
            <span className="legend">
              <span>
                <i className="earlier" />
                {back.before.name}
              </span>
            </span>
          )}
        </>
      }
      live
    >
      <div
        className={`multiples ${few ? "" : "many"}`}
        ref={box}
        {...holding}
        {...(few ? {} : { tabIndex: 0, role: "group", "aria-label": "Charts" })}
      >
        {rows.before > 0 && <div style={{ height: rows.before }} />}
        {rows.visible.map((row) => {
          const pool = ordered[row.index];
          if (!pool) return null;
          const axis = !few || row.index === ordered.length - 1;
          return (
            <div key={pool.domain} className="multiple" ref={row.measure} data-index={row.index}>
              <Multiple pool={pool} height={few ? height : LEAST} axis={axis} back={back} />
            </div>
          );
        })}
        {rows.after > 0 && <div style={{ height: rows.after }} />}
      </div>
    </Panel>
  );
}

type MultipleProps = { pool: PoolRow; height: number; axis: boolean; back: LookingBack | undefined };

function Multiple({ pool, height, axis, back }: MultipleProps) {
  const zone = useZone();
  const name = pool.domain;
  const { range = LAST_5_MINUTES, before = null, log = false, onRange } = back ?? {};
  const { source, earlier, streamed, history, then, revisions, isEmpty } = useSeries(name, range, before);
  const marked = { domain: name, range, revisions, among: back ? "its own" : "all" } as const;
  const marks = useMarks(marked);
  const toDecisions = useToDecisions({ domain: name });
  const spans = useCaps(name);
  const caps = () => {
    const { until, spanMs } = source();
    return capsWithin(spans, until - spanMs, until);
  };
  const lines = cappedLines(
    caps().map(({ statistic }) => statistic),
    seriesColor(name),
  );
  const ofNow = !back || range.kind === "live";
  const fault = !streamed && history.isError ? history : then.isError ? then : null;
  return (
    <>
      <div>
        <Link
          to="/domains/$domain"
          params={{ domain: name }}
          search={back ? searchOf(range) : {}}
          style={{ color: "inherit" }}
        >
          <b>{name}</b>
        </Link>
        <div className="legend">
          {lines.map(({ label, color, width }) => (
            <span key={label}>
              <i style={{ borderColor: `var(${color})`, borderTopWidth: width }} />
              {label}
              {ofNow && label === "p99" && ` ${duration(ofRequests(pool.latency.p99Ms, pool.latency.perSecond))}`}
            </span>
          ))}
        </div>
      </div>
      <div className="stack">
        {back && !isEmpty && <RangeRow domain={name} range={range} />}
        <MarkerList {...marked} />
        {fault && <Fault error={fault.error} retry={() => void fault.refetch()} />}
        {isEmpty ? (
          <NothingKept of={name} range={range} within />
        ) : (
          <TimeChart
            label={`Latency of ${name}, ${named(range, zone)}: ${lines.map(({ label }) => label).join(", ")}`}
            height={axis ? height + AXIS : height}
            timeAxis={axis}
            yTicks={2}
            zone={zone}
            format={duration}
            clipSpikes
            log={log}
            nothing="No statements in this range"
            source={source}
            earlier={earlier}
            overlay={() => ({ quiet: !axis, markers: marks(), caps: caps() })}
            lines={lines}
            {...toDecisions}
            {...(onRange && { onSelect: (from: number, to: number) => onRange(between(from, to)) })}
          />
        )}
      </div>
    </>
  );
}
