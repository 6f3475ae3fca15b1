import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Deed, leasesQuery } from "@/api/leases";
import type { Lease } from "@/api/types";
import { nameOf } from "@/format/callers";
import { count } from "@/format/format";
import { Empty } from "@/ui/Empty";
import { leaseTone } from "@/ui/leaseTone";
import { Fault, Panel } from "@/ui/parts";
import { Changes } from "@/ui/role";
import { Caller, Kind } from "./Caller";
import { Deeds } from "./Deeds";
import { Statement } from "./Statement";
import { held } from "./words";

/** Who holds which connection, the longest first. */
export function Leases({ domain }: { domain: string }) {
  const query = useQuery(leasesQuery(domain));
  const [deed, setDeed] = useState<Deed | null>(null);
  const leases = query.data?.items.toSorted((a, b) => b.heldMs - a.heldMs) ?? [];
  return (
    <Panel title="Leases" aside={<span className="muted">{leases.length > 0 && `${count(leases.length)} held`}</span>}>
      {query.isError && <Fault error={query.error} retry={() => void query.refetch()} />}
      {leases.length > 0 && (
        <div className="scroll-x">
          <table className="cards">
            <thead>
              <tr>
                <th>Held by</th>
                <th>Comes by</th>
                <th>Connection</th>
                <th className="r">Held for</th>
                <th>State</th>
                <th>Statement</th>
                <th className="r">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {leases.map((lease) => (
                <Row key={lease.id} domain={domain} lease={lease} onDeed={setDeed} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {leases.length === 0 && <Empty of={query}>Nobody holds a connection.</Empty>}
      <Deeds domain={domain} deed={deed} onClose={() => setDeed(null)} />
    </Panel>
  );
}

type RowProps = { domain: string; lease: Lease; onDeed: (deed: Deed) => void };

function Row({ domain, lease, onDeed }: RowProps) {
  return (
    <tr>
      <td className="title whole">
        <Caller caller={lease.caller} />
      </td>
      <td data-label="Comes by">
        <Kind caller={lease.caller} />
      </td>
      <td data-label="Connection" className="mono">
        <Link to="/domains/$domain/connections/$id" params={{ domain, id: lease.connection }}>
          {lease.connection}
        </Link>
      </td>
      <td data-label="Held for" className="r">
        {held(lease.heldMs)}
      </td>
      <td data-label="State" className="whole">
        <span className={`chip ${leaseTone(lease.state, lease.heldMs)}`}>{lease.state}</span>{" "}
        <span className="faint small">pid {lease.backendPid}</span>
      </td>
      <td data-label="Statement" className="whole">
        <Statement text={lease.statement} />
      </td>
      <td className="r whole">
        <Changes>
          <span className="row deeds">
            <button
              type="button"
              className="btn small"
              disabled={lease.state !== "active"}
              aria-label={`Cancel what ${nameOf(lease.caller)} runs on ${lease.connection}…`}
              onClick={() => onDeed({ what: "cancel", lease })}
            >
              Cancel…
            </button>
            <button
              type="button"
              className="btn small"
              aria-label={`End the lease of ${nameOf(lease.caller)} on ${lease.connection}…`}
              onClick={() => onDeed({ what: "end", lease })}
            >
              End…
            </button>
          </span>
        </Changes>
      </td>
    </tr>
  );
}
