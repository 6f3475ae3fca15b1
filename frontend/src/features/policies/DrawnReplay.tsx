import { lazy, Suspense, useMemo } from "react";
import type { ReplayOutcome } from "@/api/types";
import type { Statistic } from "@/policy/summary";
import { loadCode } from "@/ui/loadCode";
import { replayCharts } from "./replayCharts";

/** Code that the editor does without. */
const XyChart = lazy(() => loadCode(() => import("@/charts/XyChart")).then(({ XyChart }) => ({ default: XyChart })));

type Props = { outcome: ReplayOutcome; settling: number; statistics: readonly Statistic[]; candidate: string };

/** One domain's replay as charts. */
export function DrawnReplay({ outcome, settling, statistics, candidate }: Props) {
  const charts = useMemo(
    () => replayCharts(outcome, settling, statistics, candidate),
    [outcome, settling, statistics, candidate],
  );
  return (
    <Suspense fallback={<p className="muted">Loading…</p>}>
      {charts.map((xy) => (
        <XyChart key={xy.title} xy={xy} height={150} />
      ))}
    </Suspense>
  );
}
