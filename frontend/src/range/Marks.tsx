import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { alarmsOfDomainQuery } from "@/api/alarms";
import { annotationsOfDomainQuery } from "@/api/annotations";
import { NEWEST } from "@/api/pages";
import { alarmMark, annotationMark, isOn, leavesOut, type Mark, policyMark } from "@/charts/marks";
import { timeText } from "@/format/format";
import { useDatabaseMarks } from "@/policy/overTime";
import { live, serverNow } from "@/stream/browser";
import { useLive } from "@/stream/hooks";
import { useZone } from "@/ui/preferences";
import { useRested } from "@/ui/rested";
import { concerns, type Place } from "./concerns";
import { eventsOf, type Range, spanOf } from "./range";

/** Of what the newest alarms and annotations are read. One answer about all serves the small charts of many domains. */
type Among = "its own" | "all";

type Props = {
  domain: string;
  range: Range;
  among?: Among;
  /** Those of the domain's set that came with its history. Null for the streamed ones. */
  revisions: readonly Mark[] | null;
};

/** All that is marked on the charts of a domain. */
export function useMarks({ domain, range, revisions, among }: Props): () => readonly Mark[] {
  const { alarms, annotations } = useEventMarks(domain, range, among);
  const ofDatabase = useDatabaseMarks(domain);
  return () => [...(revisions ?? live.markers(domain).map(policyMark)), ...ofDatabase, ...alarms, ...annotations];
}

function useEventMarks(
  domain: string,
  range: Range,
  among: Among = "its own",
): Readonly<Record<"alarms" | "annotations", readonly Mark[]>> {
  const past = eventsOf(range);
  const asked = among === "its own" ? domain : undefined;
  const enabled = useRested() || among === "its own";
  const alarms = useQuery({ ...alarmsOfDomainQuery(asked, past), enabled }).data;
  const annotations = useQuery({ ...annotationsOfDomainQuery(asked, past), enabled }).data;
  const database = useLive((s) => s.standing(domain)?.database);
  return useMemo(() => {
    const its = (place: Place) => asked !== undefined || concerns(place, domain, database);
    return {
      alarms: (alarms ?? []).filter(its).map(alarmMark),
      annotations: (annotations ?? []).filter(its).map(annotationMark),
    };
  }, [alarms, annotations, asked, domain, database]);
}

/** What is marked on the charts of a domain as text, for screen readers, and for everybody what is not. */
export function MarkerList({ domain, range, revisions, among }: Props) {
  const zone = useZone();
  const streamed = useLive((s) => s.markers(domain));
  const events = useEventMarks(domain, range, among);
  const now = serverNow();
  const { from, to: until } = spanOf(range, now);
  const shown = { until, spanMs: until - from, now };
  const ofDatabase = useDatabaseMarks(domain);
  const all = [...(revisions ?? streamed.map(policyMark)), ...ofDatabase, ...Object.values(events).flat()];
  const marks = all.filter((mark) => isOn(mark, from, until)).sort((a, b) => a.time - b.time);
  const cut = among === "all" ? [] : Object.entries(events).filter(([, each]) => leavesOut(each, NEWEST, from));
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
