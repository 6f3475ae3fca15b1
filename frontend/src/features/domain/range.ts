import { z } from "zod";

/** How far the charts look back: live, and then what the service remembers. */
export const rangeSchema = z.enum(["live", "5m", "1h"]);
export type Range = z.infer<typeof rangeSchema>;

export const SPANS: Record<Range, number> = { live: 120_000, "5m": 300_000, "1h": 3_600_000 };

export const RANGE_OPTIONS = [
  ["live", "Live"],
  ["5m", "5 m"],
  ["1h", "1 h"],
] as const satisfies readonly (readonly [Range, string])[];
