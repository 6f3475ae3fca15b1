import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { refusalsQuery } from "@/api/leases";
import { count, NONE, ofRequests } from "@/format/format";
import type { Range } from "@/range/range";
import { usePool } from "@/stream/hooks";
import { Ms, Num, Stat } from "@/ui/parts";
import { Why } from "./Why";

type Props = { domain: string; range: Range };

/** The pool now, in eight figures. */
export function StatRow({ domain, range }: Props) {
  const pool = usePool(domain);
  const [asked, setAsked] = useState(false);
  if (!pool) return null;
  const { latency, wait } = pool;
  return (
    <>
      <Why domain={domain} at={asked ? "now" : null} onClose={() => setAsked(false)} />
      <dl className="stat unbroken live-data">
        {range.kind !== "live" && <Stat label="Figures of">now</Stat>}
        <Stat label="In use / open">
          {pool.inUse} / {pool.size}
        </Stat>
        <Stat label="Floor · ceiling">
          {pool.floor} · <span data-testid="ceiling">{pool.ceiling}</span>{" "}
          <button type="button" className="why" onClick={() => setAsked(true)}>
            why?
          </button>
        </Stat>
        <Stat label="Waiting">
          <Num value={pool.waiting} loud />
        </Stat>
        <Stat label="Wait p99">{wait.p99Ms == null ? NONE : <Ms value={wait.p99Ms} />}</Stat>
        <Stat label="Latency p50 · p99">
          <Ms value={ofRequests(latency.p50Ms, latency.perSecond)} /> ·{" "}
          <Ms value={ofRequests(latency.p99Ms, latency.perSecond)} />
        </Stat>
        <TurnedAway domain={domain} />
        <Stat label="Lease requests/s · refused">
          <Num value={pool.arrivalsPerSecond} /> · <Num value={pool.refusedPerSecond} loud />
        </Stat>
        <Stat label="Statements/s · errors">
          <Num value={Math.round((latency.perSecond ?? 0) * 10) / 10} /> · <Num value={pool.errorsPerSecond} loud />
        </Stat>
      </dl>
    </>
  );
}

/** How many callers got no connection lately, in the colour of the pool's health; it leads to who they were. */
function TurnedAway({ domain }: { domain: string }) {
  const total = useQuery(refusalsQuery(domain)).data?.total;
  const pool = usePool(domain);
  const tone = total ? (pool?.health.severity === "critical" ? "bad" : "warn") : "";
  return (
    <Stat label="Turned away, 10 min">
      <Link
        to="/domains/$domain/leases"
        params={{ domain }}
        className={`turned-away ${tone}`}
        data-testid="turned-away"
      >
        {total == null ? NONE : count(total)}
        <span className="sr-only"> requests, see who they were</span>
      </Link>
    </Stat>
  );
}
