import "./decisions.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { newestDecisionsQuery } from "@/api/log";
import { whenText } from "@/format/format";
import { serverNow } from "@/stream/browser";
import { useDecisions, usePools } from "@/stream/hooks";
import { Empty } from "@/ui/Empty";
import { Fault, Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { DecisionSentence } from "@/ui/sentences";
import { mergeLog } from "./merge";

/** The newest decisions of all domains or of one, as sentences: the stored ones, and those that are streamed since. */
export function Feed({ domain, most = 12 }: { domain?: string; most?: number }) {
  const zone = useZone();
  const live = useDecisions(domain);
  const stored = useQuery(newestDecisionsQuery(domain, most));
  const names = usePools().map((p) => p.domain);
  const decisions = mergeLog(stored.data ?? [], live, { domain }).slice(0, most);
  return (
    <Panel
      title="Decisions"
      aside={
        <Link to="/decisions" search={domain ? { domain } : {}} className="muted">
          all →
        </Link>
      }
      live
    >
      {stored.isError && <Fault error={stored.error} retry={() => void stored.refetch()} />}
      {decisions.length === 0 ? (
        <Empty of={stored}>Nothing was changed or refused yet.</Empty>
      ) : (
        <ol className="feed" data-testid="feed">
          {decisions.map((d) => (
            <li key={d.id}>
              <Link
                to="/decisions"
                search={{ ...(domain ? { domain } : {}), open: d.id }}
                className="mono faint"
                aria-label={`Decision of ${whenText(d.lastTime ?? d.time, zone, serverNow())}`}
              >
                {whenText(d.lastTime ?? d.time, zone, serverNow())}
              </Link>
              <p>
                <DecisionSentence message={d.message} domains={names} subject={d.domain} />
                {d.count > 1 && <span className="faint"> ×{d.count}</span>}
              </p>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
