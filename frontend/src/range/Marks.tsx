import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { alarmsOfDomainQuery } from "@/api/alarms";
import { annotationsOfDomainQuery } from "@/api/annotations";
import { NEWEST } from "@/api/pages";
import { alarmMark, annotationMark, leavesOut, type Mark, policyMark } from "@/charts/marks";
import { timeText } from "@/format/format";
import { useDatabaseMarks } from "@/policy/overTime";
import { live, serverNow } from "@/stream/browser";
import { useLive } from "@/stream/hooks";
import { useZone } from "@/ui/preferences";
import { eventsOf, type Range, spanOf } from "./range";

type Props = {
  domain: string;
  range: Range;
  /** Those of the domain's set that came with its history. Null for the streamed ones. */
  revisions: readonly Mark[] | null;
};

/**
 * All that is marked on the charts of a domain.
 *
 * @param events whether that includes alarms and annotations, the newest of each
 */
export function useMarks({ domain, range, revisions }: Props, events = true): () => readonly Mark[] {
  const { alarms, annotations } = useEventMarks(domain, range, events);
  const ofDatabase = useDatabaseMarks(domain);
  return () => [...(revisions ?? live.markers(domain).map(policyMark)), ...ofDatabase, ...alarms, ...annotations];
}

function useEventMarks(
  domain: string,
  range: Range,
  enabled = true,
): Readonly<Record<"alarms" | "annotations", readonly Mark[]>> {
  const past = eventsOf(range);
  const alarms = useQuery({ ...alarmsOfDomainQuery(domain, past), enabled });
  const annotations = useQuery({ ...annotationsOfDomainQuery(domain, past), enabled });
  return useMemo(
    () => ({ alarms: (alarms.data ?? []).map(alarmMark), annotations: (annotations.data ?? []).map(annotationMark) }),
    [alarms.data, annotations.data],
  );
}

/** What is marked on the charts of a domain as text, for screen readers, and for everybody what is not. */
export function MarkerList({ domain, range, revisions }: Props) {
  const zone = useZone();
  const streamed = useLive((s) => s.markers(domain));
  const events = useEventMarks(domain, range);
  const now = serverNow();
  const { from, to: until } = spanOf(range, now);
  const shown = { until, spanMs: until - from, now };
  const ofDatabase = useDatabaseMarks(domain).filter(({ time }) => time >= from && time < until);
  const all = [...(revisions ?? streamed.map(policyMark)), ...ofDatabase, ...Object.values(events).flat()];
  const marks = all.sort((a, b) => a.time - b.time);
  const cut = Object.entries(events).filter(([, each]) => leavesOut(each, NEWEST, from));
  return (
    <>
      <p className="sr-only" data-testid="markers">
        {marks.map((m) => `${m.said} at ${timeText(m.time, zone, shown)}`).join(", ")}
      </p>
      {cut.length > 0 && (
        <p className="note small" role="status">
          Only the newest {NEWEST} {cut.map(([name]) => name).join(" and ")} of this range are marked on the charts.
        </p>
      )}
    </>
  );
}
