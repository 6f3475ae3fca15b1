import type { TimeSource } from "@/charts/TimeChart";
import { live, serverNow, stream } from "./browser";
import type { SeriesName } from "./live";

/** The live series of a domain. While the stream is lost the time axis stops, so that the last data stays visible. */
export function liveSource(domain: string, spanMs: number): TimeSource<SeriesName> {
  const series = live.series(domain);
  const now = serverNow();
  const until = stream.status === "live" || series.length === 0 ? now : series.lastTime;
  return { series, until, spanMs, gapMs: 2_500, now };
}
