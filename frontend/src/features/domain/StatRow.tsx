import { type ReactNode, useState } from "react";
import { NONE } from "@/format/format";
import { usePool } from "@/stream/hooks";
import { Ms, Num } from "@/ui/parts";
import { Why } from "./Why";

/** The pool in seven figures. */
export function StatRow({ domain }: { domain: string }) {
  const pool = usePool(domain);
  const [asked, setAsked] = useState(false);
  if (!pool) return null;
  const { latency, wait } = pool;
  return (
    <>
      <Why domain={domain} at={asked ? "now" : null} onClose={() => setAsked(false)} />
      <dl className="stat live-data">
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
          <Ms value={latency.p50Ms} /> · <Ms value={latency.p99Ms} />
        </Stat>
        <Stat label="Requests/s">
          <Num value={Math.round((latency.perSecond ?? 0) * 10) / 10} />
        </Stat>
        <Stat label="Errors/s">
          <Num value={pool.errorsPerSecond} loud />
        </Stat>
        {pool.refusedPerSecond > 0 && (
          <Stat label="Refused/s">
            <Num value={pool.refusedPerSecond} loud />
          </Stat>
        )}
      </dl>
    </>
  );
}

function Stat({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
