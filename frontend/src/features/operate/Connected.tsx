import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { applicationsQuery, connectedQuery } from "@/api/leases";
import type { ConnectedApplication, ConnectedClient } from "@/api/types";
import { bytes, coarseAge, count, duration, NONE } from "@/format/format";
import { useNow } from "@/stream/hooks";
import { Empty } from "@/ui/Empty";
import { FilterBox } from "@/ui/FilterBox";
import { Fault, Num, Panel, Seg } from "@/ui/parts";

type By = "application" | "client";

/** Who is connected to the wire port, by application or one by one. A page at a time is read: thousands may be connected. */
export function Connected({ domain }: { domain: string }) {
  const [by, setBy] = useState<By>("application");
  const [q, setQ] = useState("");
  const [cursors, setCursors] = useState<readonly string[]>([]); // of the pages up to this one
  const page = { q, cursor: cursors.at(-1) };
  const applications = useQuery({ ...applicationsQuery(domain, page), enabled: by === "application" });
  const clients = useQuery({ ...connectedQuery(domain, page), enabled: by === "client" });
  const query = by === "application" ? applications : clients;
  const total = query.data?.total ?? 0;
  const next = query.data?.nextCursor;
  const fromStart = <T,>(change: (to: T) => void) => {
    return (to: T) => {
      setCursors([]);
      change(to);
    };
  };
  return (
    <Panel
      title={
        <>
          Connected now{" "}
          <span className="muted" style={{ fontWeight: 400, marginLeft: 8 }}>
            {total > 0 && `${count(total)} ${total === 1 ? "client" : "clients"}; figures since each connected`}
          </span>
        </>
      }
      aside={
        <>
          <FilterBox
            label="Filter the clients"
            placeholder="Application, user, address"
            maxLength={100}
            value={q}
            onChange={fromStart(setQ)}
          />
          <Seg
            label="Group"
            value={by}
            onChange={fromStart(setBy)}
            options={[
              ["application", "By application"],
              ["client", "One by one"],
            ]}
          />
        </>
      }
    >
      {query.isError && <Fault error={query.error} retry={() => void query.refetch()} />}
      {by === "application"
        ? applications.data && total > 0 && <Applications items={applications.data.items} />
        : clients.data && total > 0 && <One domain={domain} items={clients.data.items} />}
      {total === 0 && <Empty of={query}>{q ? "No client fits." : "No client of the wire port is connected."}</Empty>}
      {(next || cursors.length > 0) && (
        <p className="pad row">
          <button
            type="button"
            className="btn small"
            disabled={cursors.length === 0}
            onClick={() => setCursors(cursors.slice(0, -1))}
          >
            Previous page
          </button>
          <span className="muted" role="status">
            Page {cursors.length + 1}
          </span>
          <button
            type="button"
            className="btn small"
            disabled={!next || query.isPlaceholderData}
            onClick={() => next && setCursors([...cursors, next])}
          >
            Next page
          </button>
        </p>
      )}
    </Panel>
  );
}

function Applications({ items }: { items: ConnectedApplication[] }) {
  return (
    <div className="scroll-x">
      <table className="cards">
        <thead>
          <tr>
            <th>Application</th>
            <th className="r">Connected</th>
            <th className="r">Active</th>
            <th className="r">Waiting</th>
            <Figures />
          </tr>
        </thead>
        <tbody>
          {items.map((each) => (
            <tr key={JSON.stringify([each.application, each.user, each.host])}>
              <td className="title whole">
                <Who application={each.application} user={each.user} from={each.host} />
              </td>
              <td className="r" data-label="Connected">
                <Num value={each.connections} />
              </td>
              <td className="r" data-label="Active">
                <Num value={each.active} />
              </td>
              <td className="r" data-label="Waiting">
                <Num value={each.waiting} loud />
              </td>
              <FigureCells of={each} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function One({ domain, items }: { domain: string; items: ConnectedClient[] }) {
  return (
    <div className="scroll-x">
      <table className="cards">
        <thead>
          <tr>
            <th>Client</th>
            <th>State</th>
            <th>Connection</th>
            <th className="r">For</th>
            <Figures />
          </tr>
        </thead>
        <tbody>
          {items.map((each) => (
            <tr key={each.id}>
              <td className="title whole">
                <Who application={each.application} user={each.user} from={each.address} />
                {each.tls && <span className="chip">TLS</span>}
              </td>
              <td data-label="State" className="whole">
                <span className={`chip ${each.state === "waiting" ? "warn" : each.state === "active" ? "acc" : ""}`}>
                  {each.state}
                </span>
                {each.pinnedBy && <span className="muted small"> pinned by {each.pinnedBy}</span>}
              </td>
              <td data-label="Connection" className="mono">
                {each.connection ? (
                  <Link to="/domains/$domain/connections/$id" params={{ domain, id: each.connection }}>
                    {each.connection}
                  </Link>
                ) : (
                  <span className="faint">{NONE}</span>
                )}
              </td>
              <td className="r" data-label="For">
                <Age since={each.since} />
              </td>
              <FigureCells of={each} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Age({ since }: { since: string }) {
  return coarseAge(useNow() - Date.parse(since));
}

function Who({ application, user, from }: { application: string; user: string; from: string }) {
  return (
    <span className="caller">
      <b>{application || user}</b>
      <span className="muted small">
        {application && `${user} `}from {from}
      </span>
    </span>
  );
}

function Figures() {
  return (
    <>
      <th className="r">Transactions</th>
      <th className="r">Waits</th>
      <th className="r">Waited</th>
      <th className="r">Errors</th>
      <th className="r">Statements</th>
      <th className="r">In</th>
      <th className="r">Out</th>
    </>
  );
}

function FigureCells({ of }: { of: ConnectedApplication | ConnectedClient }) {
  return (
    <>
      <td className="r" data-label="Transactions">
        <Num value={of.transactions} />
      </td>
      <td className="r" data-label="Waits">
        <Num value={of.waits} />
      </td>
      <td className="r" data-label="Waited">
        {of.waits > 0 ? duration(of.waitedMs) : <span className="faint">{NONE}</span>}
      </td>
      <td className="r" data-label="Errors">
        <Num value={of.errors} loud />
      </td>
      <td className="r" data-label="Statements">
        <Num value={of.statements} />
      </td>
      <td className="r" data-label="In">
        {bytes(of.bytesIn)}
      </td>
      <td className="r" data-label="Out">
        {bytes(of.bytesOut)}
      </td>
    </>
  );
}
