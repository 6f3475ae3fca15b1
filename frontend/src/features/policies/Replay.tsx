import { useState } from "react";
import type { Scope } from "@/api/policies";
import { useReplay } from "@/api/rehearsal";
import type { PolicySet, ReplayResult } from "@/api/types";
import { count, duration, stamp } from "@/format/format";
import { cappedStatistics, capsOf, type Statistic } from "@/policy/summary";
import { Drawer } from "@/ui/layers";
import { Fault, Seg } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { DrawnReplay } from "./DrawnReplay";
import { sameSet } from "./draft";
import { Figures } from "./Figures";

type Props = {
  scope: Scope;
  /** The draft. */
  set: PolicySet;
  /** The set in force and its revision. */
  current: { revision: number; policySet: PolicySet };
  opened: boolean;
  onClose: () => void;
};

const LENGTHS = [
  ["30", "30 s"],
  ["60", "1 min"],
  ["300", "5 min"],
] as const;

/** Replays recorded load under the draft and compares the result with what happened. */
export function ReplayDrawer({ scope, set, current, opened, onClose }: Props) {
  const [seconds, setSeconds] = useState<(typeof LENGTHS)[number][0]>("60");
  const replay = useReplay(scope);
  /** What was replayed last, which stays while the draft is edited. */
  const [ran, setRan] = useState({ set, revision: current.revision, statistics: cappedStatistics() });
  const isEarlier = !sameSet(ran.set, set);
  const run = () => {
    const statistics = cappedStatistics(...capsOf(set), ...capsOf(current.policySet));
    setRan({ set, revision: current.revision, statistics });
    replay.mutate({ policySet: set, seconds: Number(seconds) });
  };
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size={520} title={`Replay of ${scope.name}`}>
      <div className="row wrap" style={{ gap: 8 }}>
        <Seg label="Length of the replay" value={seconds} onChange={setSeconds} options={LENGTHS} />
        <button type="button" className="btn pri" disabled={replay.isPending} onClick={run}>
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
      {(replay.isPending || replay.data) && (isEarlier || ran.revision !== current.revision) && (
        <p className="note warn small" role="status" data-testid="earlier">
          {isEarlier && "This replay is of an earlier draft, which has changed since. "}
          {ran.revision !== current.revision &&
            `The set in force was rev ${ran.revision} then, and is rev ${current.revision} now. `}
          Replay again for figures of what is here now.
        </p>
      )}
      {replay.data && (
        <Result result={replay.data} statistics={ran.statistics} candidate={isEarlier ? "earlier draft" : "draft"} />
      )}
    </Drawer>
  );
}

type ResultProps = { result: ReplayResult; statistics: readonly Statistic[]; candidate: string };

function Result({ result, statistics, candidate }: ResultProps) {
  const zone = useZone();
  return (
    <div className="stack" style={{ marginTop: 12 }} data-testid="replay">
      <p className="small">
        {result.seconds} s from {stamp(result.from, zone)}, replayed in {duration(result.tookMs)} under the {candidate}{" "}
        and under the set in force; the first {result.settlingSeconds} s are not counted, policies learn there.{" "}
        {result.load}
      </p>
      {result.domains.map((outcome) => (
        <section key={outcome.domain}>
          <Figures title={outcome.domain} outcome={outcome} candidate={candidate} />
          <DrawnReplay
            outcome={outcome}
            settling={result.settlingSeconds}
            statistics={statistics}
            candidate={candidate}
          />
        </section>
      ))}
    </div>
  );
}
