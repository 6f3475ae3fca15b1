import { useQuery } from "@tanstack/react-query";
import { historyQuery } from "@/api/domains";
import { duration } from "@/format/format";
import { Num, Stat } from "@/ui/parts";
import { pastOf, type Range } from "./range";

/** What was measured in the range of the charts. Live charts have none. It has its place before the figures come, so nothing moves. */
export function RangeRow({ domain, range }: { domain: string; range: Range }) {
  const live = range.kind === "live";
  const total = useQuery({ ...historyQuery(domain, pastOf(range)), enabled: !live }).data?.total;
  if (live) return null;
  return (
    <dl className="stat" data-testid="range-figures">
      <Stat label="Figures of">this range</Stat>
      <Stat label="Statements · errors">
        <Num value={total?.requests} /> · <Num value={total?.errors} loud />
      </Stat>
      <Stat label="Lease requests · refused">
        <Num value={total?.arrivals} /> · <Num value={total?.refused} loud />
      </Stat>
      <Stat label="Latency p50 · p95 · p99" wide>
        {duration(total?.p50Ms)} · {duration(total?.p95Ms)} · {duration(total?.p99Ms)}
      </Stat>
      <Stat label="Wait p99">{duration(total?.waitP99Ms)}</Stat>
    </dl>
  );
}
