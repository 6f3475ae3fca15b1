import { useState } from "react";
import type { Scope } from "@/api/policies";
import { useReplay } from "@/api/rehearsal";
import type { PolicySet, ReplayResult } from "@/api/types";
import { duration, stamp } from "@/format/format";
import { Drawer } from "@/ui/layers";
import { Fault, Seg } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Figures } from "./Figures";
import { linePath } from "./linePath";

type Props = { scope: Scope; set: PolicySet; opened: boolean; onClose: () => void };

const LENGTHS = [
  ["30", "30 s"],
  ["60", "1 min"],
  ["300", "5 min"],
] as const;

/** Replays recorded load under the draft and compares the result with what happened. */
export function ReplayDrawer({ scope, set, opened, onClose }: Props) {
  const [seconds, setSeconds] = useState<(typeof LENGTHS)[number][0]>("60");
  const replay = useReplay(scope);
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size={520} title={`Replay of ${scope.name}`}>
      <div className="row wrap" style={{ gap: 8 }}>
        <Seg label="Length of the replay" value={seconds} onChange={setSeconds} options={LENGTHS} />
        <button
          type="button"
          className="btn pri"
          disabled={replay.isPending}
          onClick={() => replay.mutate({ policySet: set, seconds: Number(seconds) })}
        >
          {replay.isPending ? "Replaying…" : "Replay under this draft"}
        </button>
        {replay.isPending && (
          <>
            <progress aria-label="Progress of the replay" value={replay.progress} max={1} style={{ width: 90 }} />
            <button type="button" className="btn" onClick={replay.cancel}>
              Cancel
            </button>
          </>
        )}
      </div>
      <p className="muted small" style={{ marginTop: 8 }}>
        Runs every recorded arrival and lease through the same gates and governor, in virtual time. Live pools are not
        affected.
      </p>
      {replay.isError && <Fault error={replay.error} />}
      {replay.data && <Result result={replay.data} />}
    </Drawer>
  );
}

function Result({ result }: { result: ReplayResult }) {
  const zone = useZone();
  return (
    <div className="stack" style={{ marginTop: 12 }} data-testid="replay">
      <p className="small">
        {result.seconds} s from {stamp(result.from, zone)}, replayed in {duration(result.tookMs)} under this draft and
        under the set in force; the first {result.settlingSeconds} s are not counted, policies learn there.{" "}
        {result.load}
      </p>
      {result.domains.map((outcome) => (
        <section key={outcome.domain}>
          <Figures title={outcome.domain} outcome={outcome} />
          <Lines
            name="wait p99"
            domain={outcome.domain}
            actual={outcome.second.map((s) => s.actualWaitP99Ms)}
            baseline={outcome.second.map((s) => s.baselineWaitP99Ms)}
            replayed={outcome.second.map((s) => s.waitP99Ms)}
          />
          <Lines
            name="mean latency"
            domain={outcome.domain}
            actual={outcome.second.map((s) => s.actualMeanMs)}
            baseline={outcome.second.map((s) => s.baselineMeanMs)}
            replayed={outcome.second.map((s) => s.meanMs)}
          />
        </section>
      ))}
    </div>
  );
}

const WIDTH = 460;
const HEIGHT = 56;

type LinesProps = { name: string; domain: string; actual: number[]; baseline: number[]; replayed: number[] };

function Lines({ name, domain, actual, baseline, replayed }: LinesProps) {
  const most = Math.max(1, ...actual, ...baseline, ...replayed);
  const label = `${name} in ${domain}, second by second`;
  const line = (values: number[], stroke: string, dash?: string) => (
    <path
      d={linePath(values, most, WIDTH, HEIGHT)}
      fill="none"
      stroke={stroke}
      strokeWidth="1.5"
      strokeDasharray={dash}
    />
  );
  return (
    <figure style={{ margin: "8px 0 0" }}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width="100%" height={HEIGHT} role="img" aria-label={label}>
        <title>{label}</title>
        {line(actual, "var(--faint)")}
        {line(baseline, "var(--c5)", "1.5 2.5")}
        {line(replayed, "var(--c1)", "5 3")}
      </svg>
      <figcaption className="faint small">
        {name}, up to {duration(most)} (grey: actual, dotted: model of the set in force, dashed: draft)
      </figcaption>
    </figure>
  );
}
