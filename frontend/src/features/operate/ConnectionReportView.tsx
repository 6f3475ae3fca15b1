import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { connectionQuery, type Deed } from "@/api/leases";
import { Problem } from "@/api/problem";
import type { ConnectionReport } from "@/api/types";
import { bytes, coarseAge, count, duration, NONE, ofRequests, stamp, whenText } from "@/format/format";
import { serverNow } from "@/stream/browser";
import { leaseTone } from "@/ui/leaseTone";
import { Fault, Ms, Num, Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Changes } from "@/ui/role";
import { Caller } from "./Caller";
import { Deeds } from "./Deeds";
import { Statement } from "./Statement";
import { held, preparedSentence, withoutLatencies } from "./words";

/** One physical connection: its life, latencies, leases and prepared statements, and why it was closed. */
export function ConnectionReportView({ domain, id }: { domain: string; id: string }) {
  const query = useQuery(connectionQuery(domain, id));
  const report = query.data;
  return (
    <>
      {query.error instanceof Problem && query.error.status === 404 ? (
        <p className="note">
          It was closed more than an hour ago, or there was none. Its measurements are kept for a day.
        </p>
      ) : (
        query.isError && <Fault error={query.error} retry={() => void query.refetch()} />
      )}
      {query.isPending && <p className="muted">Loading…</p>}
      {report && (
        <>
          <Life report={report} />
          <div className="beside">
            <Holder domain={domain} report={report} />
            <Distribution report={report} />
          </div>
          {!report.closed && <Past report={report} />}
          {!report.closed && <Prepared report={report} />}
        </>
      )}
    </>
  );
}

function Life({ report: { connection, openedAt, closed } }: { report: ConnectionReport }) {
  const zone = useZone();
  const timed = connection.maxMs === 0 ? 0 : connection.requests; // counted at once, and timed when their second is over
  const of = (ms: number | null) => ofRequests(ms, timed);
  return (
    <>
      {closed && (
        <p className="note">
          It was closed at {whenText(closed.closedAt, zone, serverNow())}, because {closed.sentence}. These are its last
          figures.
        </p>
      )}
      <dl className="stat">
        <Figure label="State">{closed ? "closed" : connection.state}</Figure>
        <Figure label="Opened">{stamp(openedAt, zone)}</Figure>
        <Figure label={closed ? "Lived" : "Age"}>{coarseAge(connection.ageMs)}</Figure>
        <Figure label="Statements">
          <Num value={connection.requests} />
        </Figure>
        <Figure label="Errors">
          <Num value={connection.errors} loud />
        </Figure>
        <Figure label="p50 · p99">
          <span className="unbroken">
            <Ms value={of(connection.p50Ms)} /> · <Ms value={of(connection.p99Ms)} />
          </span>
        </Figure>
        <Figure label="Slowest">
          <Ms value={of(connection.maxMs)} />
        </Figure>
        <Figure label="In · out">
          {bytes(connection.bytesIn)} · {bytes(connection.bytesOut)}
        </Figure>
        <Figure label="Server process">{connection.backendPid ?? NONE}</Figure>
      </dl>
    </>
  );
}

function Figure({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Holder({ domain, report: { lease, closed } }: { domain: string; report: ConnectionReport }) {
  const [deed, setDeed] = useState<Deed | null>(null);
  return (
    <Panel title="Lease">
      {lease ? (
        <div className="pad stack" style={{ gap: 10 }}>
          <Caller caller={lease.caller} />
          <span>
            Held for {held(lease.heldMs)},{" "}
            <span className={`chip ${leaseTone(lease.state, lease.heldMs)}`}>{lease.state}</span>
            {lease.waitedMs > 0 && <span className="muted"> after waiting {duration(lease.waitedMs)}</span>}
          </span>
          <Statement text={lease.statement} />
          <Changes>
            {" "}
            <span className="row" style={{ gap: 8 }}>
              <button
                type="button"
                className="btn small"
                disabled={lease.state !== "active"}
                onClick={() => setDeed({ what: "cancel", lease })}
              >
                Cancel the statement…
              </button>
              <button type="button" className="btn small" onClick={() => setDeed({ what: "end", lease })}>
                End the lease…
              </button>
            </span>
          </Changes>
        </div>
      ) : (
        <p className="empty">{closed ? "It is closed." : "Nobody holds it."}</p>
      )}
      <Deeds domain={domain} deed={deed} onClose={() => setDeed(null)} />
    </Panel>
  );
}

function Distribution({ report }: { report: ConnectionReport }) {
  const { distribution } = report;
  const most = Math.max(1, ...distribution.map((each) => each.count));
  return (
    <Panel title="Latencies since it was opened">
      {distribution.length > 0 ? (
        <table className="bars">
          <thead className="sr-only">
            <tr>
              <th>At most</th>
              <th>Share</th>
              <th>Statements</th>
            </tr>
          </thead>
          <tbody>
            {distribution.map((each) => (
              <tr key={each.upToMs}>
                <td className="r muted">≤ {duration(each.upToMs)}</td>
                <td className="bar" aria-hidden="true">
                  <i style={{ width: `${Math.max(0.5, (100 * each.count) / most)}%` }} />
                </td>
                <td className="r">{count(each.count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <p className="empty">{withoutLatencies(report)}</p>
      )}
    </Panel>
  );
}

function Past({ report: { leases } }: { report: ConnectionReport }) {
  const zone = useZone();
  return (
    <Panel title="Last leases">
      {leases.length > 0 ? (
        <div className="scroll-x">
          <table className="cards">
            <thead>
              <tr>
                <th>Began</th>
                <th>Held by</th>
                <th className="r">Held for</th>
                <th className="r">Statements</th>
                <th>Last statement</th>
              </tr>
            </thead>
            <tbody>
              {leases.map((each) => (
                <tr key={`${each.began} ${each.holder} ${each.heldMs}`}>
                  <td className="mono faint title">{whenText(each.began, zone, serverNow())}</td>
                  <td data-label="Held by" className="whole">
                    {each.holder || NONE}
                  </td>
                  <td className="r" data-label="Held for">
                    {duration(each.heldMs)}
                  </td>
                  <td className="r" data-label="Statements">
                    <Num value={each.requests} />
                  </td>
                  <td data-label="Last statement" className="whole">
                    <Statement text={each.statement} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <p className="empty">No lease has ended on it yet.</p>
      )}
    </Panel>
  );
}

function Prepared({ report: { prepared } }: { report: ConnectionReport }) {
  return (
    <Panel
      title="Prepared statements"
      aside={prepared && <span className="muted">{`${count(prepared.count)}, ${bytes(prepared.bytes)}`}</span>}
    >
      {prepared && <p className="pad muted small">{preparedSentence(prepared)}</p>}
      {prepared && prepared.statements.length > 0 ? (
        <div className="scroll-x">
          <table className="cards">
            <thead>
              <tr>
                <th>Name</th>
                <th>Statement</th>
                <th className="r">Size</th>
              </tr>
            </thead>
            <tbody>
              {prepared.statements.map((each) => (
                <tr key={each.name}>
                  <td className="mono title">{each.name}</td>
                  <td data-label="Statement" className="whole">
                    <Statement text={each.statement ?? "a text that is too long to be kept"} />
                  </td>
                  <td className="r" data-label="Size">
                    {bytes(each.bytes)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <p className="empty">
          {prepared
            ? "Nothing is prepared on it."
            : "Neither the wire port nor SQL over HTTP has prepared a statement on it."}
        </p>
      )}
    </Panel>
  );
}
