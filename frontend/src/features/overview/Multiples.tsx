import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { revisionsQuery } from "@/api/policies";
import { seriesColor, seriesDash } from "@/charts/colors";
import { policyMark } from "@/charts/marks";
import { TimeChart } from "@/charts/TimeChart";
import { duration } from "@/format/format";
import { capSpans } from "@/policy/summary";
import { live } from "@/stream/browser";
import type { LivePool } from "@/stream/schemas";
import { liveSource } from "@/stream/seriesSource";
import { Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";

const SPAN = 300_000;
/** Heights in pixels: of all rows together if there are few, and the least of one row. */
const TOGETHER = 520;
const LEAST = 98;
const AXIS = 24;

/** One small chart per domain, each with its own scale and the latency caps that were in force. */
export function Multiples({ pools }: { pools: readonly LivePool[] }) {
  const zone = useZone();
  const names = pools.map((p) => p.domain).sort();
  const revisions = useQueries({ queries: names.map((name) => revisionsQuery({ kind: "domain", name })) });
  const height = Math.max(LEAST, Math.min(180, Math.floor(TOGETHER / Math.max(1, names.length))));
  const byName = new Map(pools.map((p) => [p.domain, p]));
  return (
    <Panel
      title="p99 latency and cap of each domain"
      aside={<span className="muted">last 5 min · one scale per domain</span>}
      live
    >
      <div className="multiples">
        {names.map((name, i) => {
          const caps = capSpans(revisions[i]?.data ?? []);
          const last = i === names.length - 1;
          return (
            <div key={name} className="multiple">
              <div>
                <Link to="/domains/$domain" params={{ domain: name }} style={{ color: "inherit" }}>
                  <b>{name}</b>
                </Link>
                <div className="faint">{duration(byName.get(name)?.latency.p99Ms)}</div>
              </div>
              <TimeChart
                label={`p99 latency of ${name}, last 5 minutes`}
                height={last ? height + AXIS : height}
                timeAxis={last}
                yTicks={2}
                zone={zone}
                format={duration}
                clipSpikes
                source={() => liveSource(name, SPAN)}
                overlay={() => ({
                  zone,
                  quiet: !last,
                  markers: live.markers(name).map(policyMark),
                  caps,
                })}
                lines={[
                  {
                    column: "p99Ms",
                    label: "p99",
                    color: seriesColor(names, name),
                    keep: "max",
                    dash: seriesDash(0),
                    width: 1.6,
                  },
                ]}
              />
            </div>
          );
        })}
      </div>
    </Panel>
  );
}
