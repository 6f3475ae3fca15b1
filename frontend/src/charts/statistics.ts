/**
 * What is kept of several seconds of a latency statistic. A cap on a statistic is drawn beside its line, so charts, tables and
 * reports keep the same: the mean of all statements of a mean, and of a percentile a measured one, since no percentile follows
 * from others.
 */
export const STATISTICS = {
  meanMs: { column: "meanMs", keep: "mean", weight: "perSecond" },
  p50Ms: { column: "p50Ms", keep: "last" },
  p95Ms: { column: "p95Ms", keep: "max" },
  p99Ms: { column: "p99Ms", keep: "max" },
} as const;
