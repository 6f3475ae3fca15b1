/** The lines of a domain's small latency chart. */
import type { Line } from "@/charts/TimeChart";

const STATISTICS = [
  { column: "meanMs", label: "mean", keep: "mean" },
  { column: "p95Ms", label: "p95", keep: "max" },
  { column: "p99Ms", label: "p99", keep: "max" },
] as const;

/** The statistics that caps are on as thick lines, and p99 beside them as a thin one. p99 alone without a cap. */
export function cappedLines(capped: readonly string[], color: string): Line<(typeof STATISTICS)[number]["column"]>[] {
  return STATISTICS.filter(({ label }) => label === "p99" || capped.includes(label)).map((line) => ({
    ...line,
    color,
    width: capped.length === 0 || capped.includes(line.label) ? 2 : 1,
  }));
}
