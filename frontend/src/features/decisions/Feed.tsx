import { Link } from "@tanstack/react-router";
import { whenText } from "@/format/format";
import { serverNow } from "@/stream/browser";
import { useDecisions, usePools, useStreamed } from "@/stream/hooks";
import { Empty } from "@/ui/Empty";
import { Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { DecisionSentence } from "@/ui/sentences";

/** The newest decisions of all domains or of one, as sentences. */
export function Feed({ domain, most = 12 }: { domain?: string; most?: number }) {
  const zone = useZone();
  const all = useDecisions(domain);
  const streamed = useStreamed();
  const names = usePools().map((p) => p.domain);
  const decisions = all.filter((d) => !domain || d.domain === domain).slice(0, most);
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
      {decisions.length === 0 ? (
        <Empty of={streamed}>Nothing was changed or refused yet.</Empty>
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
