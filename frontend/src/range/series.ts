/** What the charts of a range draw: the stream where it has it all, else the history that the service keeps. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { historyQuery } from "@/api/domains";
import type { Past } from "@/api/past";
import { fromHistory } from "@/charts/fromHistory";
import { type Mark, policyMark } from "@/charts/marks";
import { RingBuffer } from "@/charts/ringBuffer";
import type { TimeSource } from "@/charts/TimeChart";
import type { Earlier } from "@/charts/values";
import { SERIES, type SeriesName } from "@/stream/live";
import { liveSource } from "@/stream/seriesSource";
import { isStreamed, lengthOf, pastOf, type Range } from "./range";

const NOTHING = new RingBuffer(SERIES, 1);

/**
 * An earlier range, which began so many ms before, and its name in legends and tables.
 *
 * @param lengthMs of one that is shorter, beside a fixed range
 */
export type Before = { name: string; backMs: number; lengthMs?: number };

const pastThen = (past: Past, { lengthMs }: Before): Past =>
  "from" in past && lengthMs !== undefined ? { from: past.from, to: past.from + lengthMs } : past;

/** A line breaks where more than two rows are missing. */
export const gapOf = (history: { stepMs: number } | undefined) => 2.5 * (history?.stepMs ?? 1_000);

/** The right end of a range's time axis. It moves unless the range is fixed. */
export const endOf = (range: Range, live: { until: number }) => (range.kind === "fixed" ? range.to : live.until);

/** The series of a domain over a range, and of an earlier range beneath it. */
export function useSeries(domain: string, range: Range, before: Before | null = null) {
  const past = pastOf(range);
  const spanMs = lengthOf(range);
  const streamed = isStreamed(range, before !== null);
  const history = useQuery({ ...historyQuery(domain, past), enabled: !streamed });
  const then = useQuery({
    ...historyQuery(domain, before ? pastThen(past, before) : past, before?.backMs ?? 0),
    enabled: before !== null,
  });
  const ring = useMemo(() => (history.data ? fromHistory(SERIES, history.data) : NOTHING), [history.data]);
  const earlierRing = useMemo(() => (then.data ? fromHistory(SERIES, then.data) : NOTHING), [then.data]);
  const stored = useMemo(
    () => history.data?.markers.map((m) => policyMark({ ...m, time: Date.parse(m.time) })) ?? [],
    [history.data],
  );
  const source = (): TimeSource<SeriesName> => {
    const live = liveSource(domain, spanMs);
    if (streamed) return live;
    return { series: ring, until: endOf(range, live), spanMs, gapMs: gapOf(history.data), now: live.now };
  };
  const earlier = before
    ? (): Earlier<SeriesName> => ({
        name: before.name,
        series: earlierRing,
        shiftMs: before.backMs,
        gapMs: gapOf(then.data),
      })
    : undefined;
  return {
    source,
    earlier,
    streamed,
    /** The service's answers. Not asked for what is streamed, or without an earlier range. */
    history,
    then,
    /** The revisions of the domain's set in the range. Null where the stream tells them. */
    revisions: streamed ? null : (stored as readonly Mark[]),
    /** Nothing is kept of the whole range. */
    isEmpty: !streamed && history.data?.time.length === 0,
  };
}
