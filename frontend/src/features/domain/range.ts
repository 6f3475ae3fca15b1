import * as z from "zod/mini";

/** The time range of the charts: live, or a span of stored history. */
export const rangeSchema = z.enum(["live", "5m", "1h"]);
export type Range = z.infer<typeof rangeSchema>;

export const SPANS: Record<Range, number> = { live: 120_000, "5m": 300_000, "1h": 3_600_000 };

export const RANGE_OPTIONS = [
  ["live", "Live"],
  ["5m", "5 m"],
  ["1h", "1 h"],
] as const satisfies readonly (readonly [Range, string])[];
