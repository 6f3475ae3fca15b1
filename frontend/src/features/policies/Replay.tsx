import { lazy, Suspense, useState } from "react";
import type { Scope } from "@/api/policies";
import { useReplay } from "@/api/rehearsal";
import type { PolicySet, ReplayResult } from "@/api/types";
import { count, duration, stamp } from "@/format/format";
import { Drawer } from "@/ui/layers";
import { loadCode } from "@/ui/loadCode";
import { Fault, Seg } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Figures } from "./Figures";
import { replayCharts } from "./replayCharts";

/** Code that the editor does without. */
const XyChart = lazy(() => loadCode(() => import("@/charts/XyChart")).then(({ XyChart }) => ({ default: XyChart })));

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
            <progress aria-label="Progress of the replay" value={replay.progress.share} max={1} style={{ width: 90 }} />
            {replay.progress.leases !== null && <span className="muted">{count(replay.progress.leases)} requests</span>}
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
          <Suspense fallback={<p className="muted">Loading…</p>}>
            {replayCharts(outcome).map((xy) => (
              <XyChart key={xy.title} xy={xy} height={150} />
            ))}
          </Suspense>
        </section>
      ))}
    </div>
  );
}
