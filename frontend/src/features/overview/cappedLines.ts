/** The lines of a domain's small latency chart. */
import { STATISTICS } from "@/charts/statistics";
import type { Line } from "@/charts/TimeChart";

const CAPPED = [
  { ...STATISTICS.meanMs, label: "mean" },
  { ...STATISTICS.p95Ms, label: "p95" },
  { ...STATISTICS.p99Ms, label: "p99" },
] as const;

/** The statistics that caps are on as thick lines, and p99 beside them as a thin one. p99 alone without a cap. */
export function cappedLines(
  capped: readonly string[],
  color: string,
): Line<(typeof CAPPED)[number]["column"] | "perSecond">[] {
  return CAPPED.filter(({ label }) => label === "p99" || capped.includes(label)).map((line) => ({
    ...line,
    color,
    width: capped.length === 0 || capped.includes(line.label) ? 2 : 1,
  }));
}
