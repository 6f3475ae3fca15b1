import { Link } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import { seriesColor } from "@/charts/colors";
import { policyMark } from "@/charts/marks";
import { TimeChart } from "@/charts/TimeChart";
import { duration, ofRequests } from "@/format/format";
import { byName } from "@/format/names";
import { useCaps, useDatabaseMarks } from "@/policy/overTime";
import { capsWithin } from "@/policy/summary";
import { live } from "@/stream/browser";
import { useSeconds } from "@/stream/hooks";
import type { PoolRow } from "@/stream/schemas";
import { liveSource } from "@/stream/seriesSource";
import { byTrouble } from "@/ui/findDomains";
import { Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { useVisibleRows } from "@/ui/visibleRows";
import { cappedLines } from "./cappedLines";

const SPAN = 300_000;
/** Heights in pixels: of all rows together if there are few, and the least of one row. */
const TOGETHER = 520;
const LEAST = 98;
const AXIS = 31;
/** Up to here all are drawn, one below the other. More scroll in a box. */
const FEW = 8;

/** One small chart per domain, each with its own scale and the latency caps that were in force. Of many, those in trouble come first. */
export function Multiples({ pools }: { pools: readonly PoolRow[] }) {
  const box = useRef<HTMLDivElement>(null);
  const few = pools.length <= FEW;
  const ordered = useMemo(() => [...pools].sort(few ? (a, b) => byName(a.domain, b.domain) : byTrouble), [pools, few]);
  const height = Math.max(LEAST, Math.min(180, Math.floor(TOGETHER / Math.max(1, pools.length))));
  const rows = useVisibleRows({ container: box, count: ordered.length, estimate: LEAST + AXIS + 14, all: few });
  useSeconds(rows.visible.flatMap((row) => ordered[row.index]?.domain ?? []));
  return (
    <Panel
      title="Latency and cap of each domain"
      aside={<span className="muted">last 5 min · one scale per domain</span>}
      live
    >
      <div
        className={`multiples ${few ? "" : "many"}`}
        ref={box}
        {...(few ? {} : { tabIndex: 0, role: "group", "aria-label": "Charts" })}
      >
        {rows.before > 0 && <div style={{ height: rows.before }} />}
        {rows.visible.map((row) => {
          const pool = ordered[row.index];
          if (!pool) return null;
          const axis = !few || row.index === ordered.length - 1;
          return (
            <div key={pool.domain} className="multiple" ref={row.measure} data-index={row.index}>
              <Multiple pool={pool} height={few ? height : LEAST} axis={axis} />
            </div>
          );
        })}
        {rows.after > 0 && <div style={{ height: rows.after }} />}
      </div>
    </Panel>
  );
}

function Multiple({ pool, height, axis }: { pool: PoolRow; height: number; axis: boolean }) {
  const zone = useZone();
  const name = pool.domain;
  const spans = useCaps(name);
  const databaseMarks = useDatabaseMarks(name);
  const caps = () => {
    const { until } = liveSource(name, SPAN);
    return capsWithin(spans, until - SPAN, until);
  };
  const lines = cappedLines(
    caps().map(({ statistic }) => statistic),
    seriesColor(name),
  );
  return (
    <>
      <div>
        <Link to="/domains/$domain" params={{ domain: name }} style={{ color: "inherit" }}>
          <b>{name}</b>
        </Link>
        <div className="legend">
          {lines.map(({ label, color, width }) => (
            <span key={label}>
              <i style={{ borderColor: `var(${color})`, borderTopWidth: width }} />
              {label}
              {label === "p99" && ` ${duration(ofRequests(pool.latency.p99Ms, pool.latency.perSecond))}`}
            </span>
          ))}
        </div>
      </div>
      <TimeChart
        label={`Latency of ${name}, last 5 minutes: ${lines.map(({ label }) => label).join(", ")}`}
        height={axis ? height + AXIS : height}
        timeAxis={axis}
        yTicks={2}
        zone={zone}
        format={duration}
        clipSpikes
        nothing="No statements in 5 minutes"
        source={() => liveSource(name, SPAN)}
        overlay={() => ({
          quiet: !axis,
          markers: [...live.markers(name).map(policyMark), ...databaseMarks],
          caps: caps(),
        })}
        lines={lines}
      />
    </>
  );
}
