import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { historyQuery } from "@/api/domains";
import { refusalsQuery } from "@/api/leases";
import { count, duration, NONE, ofRequests } from "@/format/format";
import { usePool } from "@/stream/hooks";
import { Ms, Num } from "@/ui/parts";
import { pastOf, type Range } from "./range";
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

/** What was measured in the range of the charts. Live charts have none. It has its place before the figures come, so nothing moves. */
export function RangeRow({ domain, range }: Props) {
  const live = range.kind === "live";
  const total = useQuery({ ...historyQuery(domain, pastOf(range)), enabled: !live }).data?.total;
  if (live) return null;
  return (
    <dl className="stat" data-testid="range-figures">
      <Stat label="Figures of">this range</Stat>
      <Stat label="Statements · errors">
        <Num value={total?.requests} /> · <Num value={total?.errors} loud />
      </Stat>
      <Stat label="Lease requests · refused">
        <Num value={total?.arrivals} /> · <Num value={total?.refused} loud />
      </Stat>
      <Stat label="Latency p50 · p95 · p99" wide>
        {duration(total?.p50Ms)} · {duration(total?.p95Ms)} · {duration(total?.p99Ms)}
      </Stat>
      <Stat label="Wait p99">{duration(total?.waitP99Ms)}</Stat>
    </dl>
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

/** @param wide: on a narrow screen it has a row for itself */
function Stat({ label, wide, children }: { label: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? "wide" : undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
