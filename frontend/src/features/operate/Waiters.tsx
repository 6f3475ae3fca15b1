import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Deed, waitersQuery } from "@/api/leases";
import { nameOf } from "@/format/callers";
import { count, duration } from "@/format/format";
import { Empty } from "@/ui/Empty";
import { Fault, Panel } from "@/ui/parts";
import { Changes } from "@/ui/role";
import { Caller, Kind } from "./Caller";
import { Deeds } from "./Deeds";

/** Who waits for a connection, in the order of service. */
export function Waiters({ domain }: { domain: string }) {
  const query = useQuery(waitersQuery(domain));
  const [deed, setDeed] = useState<Deed | null>(null);
  const { items = [], total = 0 } = query.data ?? {};
  return (
    <Panel
      title="Waiters"
      aside={
        <span className="muted">
          {items.length < total ? `the first ${count(items.length)} of ${count(total)}` : total > 0 && count(total)}
        </span>
      }
    >
      {query.isError && <Fault error={query.error} retry={() => void query.refetch()} />}
      {items.length > 0 && (
        <div className="scroll-x">
          <table className="cards">
            <thead>
              <tr>
                <th className="r">Place</th>
                <th>Who waits</th>
                <th>Comes by</th>
                <th className="r">Waits for</th>
                <th className="r">Gives up in</th>
                <th className="r">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((waiter) => (
                <tr key={waiter.id}>
                  <td data-label="Place" className="r">
                    {waiter.position}
                  </td>
                  <td className="title whole">
                    <Caller caller={waiter.caller} />
                  </td>
                  <td data-label="Comes by">
                    <Kind caller={waiter.caller} />
                  </td>
                  <td data-label="Waits for" className="r">
                    {duration(waiter.waitedMs)}
                  </td>
                  <td data-label="Gives up in" className="r">
                    {waiter.leftMs == null ? "never" : duration(waiter.leftMs)}
                  </td>
                  <td className="r whole">
                    <Changes>
                      <button
                        type="button"
                        className="btn small"
                        aria-label={`End the wait of ${nameOf(waiter.caller)}…`}
                        onClick={() => setDeed({ what: "refuse", waiter })}
                      >
                        End…
                      </button>
                    </Changes>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {items.length === 0 && <Empty of={query}>Nobody waits.</Empty>}
      <Deeds domain={domain} deed={deed} onClose={() => setDeed(null)} />
    </Panel>
  );
}
