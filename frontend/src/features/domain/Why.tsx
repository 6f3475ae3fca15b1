import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { explanationQuery } from "@/api/log";
import type { LimitRow } from "@/api/types";
import { count, duration, stamp, whenText, type Zone } from "@/format/format";
import { kindName } from "@/format/names";
import { serverNow } from "@/stream/browser";
import { Modal } from "@/ui/layers";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";

type Props = { domain: string; at: number | "now" | null; onClose: () => void };

/** Explains one instant, or now: what limits the pool, why requests waited or were refused, with figures and decisions. */
export function Why({ domain, at, onClose }: Props) {
  const zone = useZone();
  const explanation = useQuery(explanationQuery(domain, at));
  const why = explanation.data;
  const moment = why?.moment;
  return (
    <Modal opened={at !== null} onClose={onClose} size={640} title={titleOf(domain, at, zone)}>
      {explanation.isError && <Fault error={explanation.error} retry={() => void explanation.refetch()} />}
      {explanation.isPending && at !== null && <p className="muted">Looking it up…</p>}
      {why && (
        <div data-testid="why">
          <p>
            <b>{why.sentence}</b>
          </p>
          {moment && (
            <dl className="facts" style={{ marginTop: 12 }}>
              <dt>in use / open</dt>
              <dd>
                {moment.inUse?.toFixed(1)} of {count(moment.size)}
              </dd>
              <dt>floor to ceiling</dt>
              <dd>
                {count(moment.floor)} to {count(moment.ceiling)}
              </dd>
              <dt>waiting, wait p99</dt>
              <dd>
                {count(moment.waiting)}, {duration(moment.waitP99Ms)}
              </dd>
              <dt>latency mean, p99</dt>
              <dd>
                {duration(moment.meanMs)}, {duration(moment.p99Ms)}
              </dd>
            </dl>
          )}
          {why.limits.length > 0 && <Limits rows={why.limits} />}
          <h3 style={{ margin: "14px 0 6px" }}>Decisions within one second</h3>
          {why.decisions.map((decision) => (
            <p key={decision.id} className="small" style={{ marginBottom: 6 }}>
              <span className="mono faint">{whenText(decision.time, zone, serverNow())}</span>{" "}
              <span className="chip">{kindName(decision.kind)}</span> {decision.message}
            </p>
          ))}
          {why.decisions.length === 0 && <p className="faint">Nothing changed and nothing was refused.</p>}
          {typeof at === "number" && (
            <p className="small">
              <Link to="/decisions" search={{ domain, at: new Date(at).toISOString() }}>
                The decisions around it →
              </Link>
            </p>
          )}
          {why.standing && !why.sentence.includes(why.standing.message) && (
            <>
              <h3 style={{ margin: "14px 0 6px" }}>These limits since {stamp(why.standing.time, zone)}</h3>
              <p className="small">
                rev {why.standing.revision}: {why.standing.message}
              </p>
            </>
          )}
        </div>
      )}
    </Modal>
  );
}

function titleOf(domain: string, at: number | "now" | null, zone: Zone): string {
  if (at === null) return "";
  return at === "now" ? `${domain} now` : `${domain} at ${whenText(at, zone, serverNow())}`;
}

/** What each source allows, the most restrictive first: what binds, and what would bind next. */
function Limits({ rows }: { rows: readonly LimitRow[] }) {
  return (
    <>
      <h3 style={{ margin: "14px 0 6px" }}>What limits its connections</h3>
      <table className="limits">
        <thead>
          <tr>
            <th>Source</th>
            <th className="r">Allows</th>
            <th>Why</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={`${row.source} ${row.name} ${rows.slice(0, at).filter((each) => sameSource(each, row)).length}`}>
              <td>
                {SOURCES[row.source]} <b>{row.name}</b> {row.binds && <span className="chip acc">the limit</span>}
                {row.next && <span className="chip">would be next</span>}
              </td>
              <td className="r num">
                {row.allows == null ? (
                  <span className="faint">{row.known ? "any" : "not known"}</span>
                ) : (
                  count(row.allows)
                )}
              </td>
              <td className="small">{row.sentence}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!rows.some((row) => row.binds) && (
        <p className="small muted">
          Which of them was the limit cannot be told: not everything is known of that moment.
        </p>
      )}
    </>
  );
}

/** A plugin may be used twice in one set. */
const sameSource = (a: LimitRow, b: LimitRow) => a.source === b.source && a.name === b.name;

const SOURCES: Record<LimitRow["source"], string> = {
  policy: "policy",
  "database-policy": "database's policy",
  budget: "budget of",
  server: "server",
};
