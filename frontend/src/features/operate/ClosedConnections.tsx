import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { closedQuery } from "@/api/leases";
import { coarseAge, ofRequests, whenText } from "@/format/format";
import { serverNow } from "@/stream/browser";
import { Empty } from "@/ui/Empty";
import { Fault, Ms, Num, Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";

/** The connections that were closed within the last hour, and why. */
export function ClosedConnections({ domain }: { domain: string }) {
  const zone = useZone();
  const query = useQuery(closedQuery(domain));
  const items = query.data?.items ?? [];
  return (
    <Panel title="Closed in the last hour">
      {query.isError && <Fault error={query.error} retry={() => void query.refetch()} />}
      {items.length > 0 && (
        <div className="scroll-x">
          <table className="cards">
            <thead>
              <tr>
                <th>Connection</th>
                <th>Closed</th>
                <th>Because</th>
                <th className="r">Lived</th>
                <th className="r">Statements</th>
                <th className="r">Errors</th>
                <th className="r">p99</th>
              </tr>
            </thead>
            <tbody>
              {items.map((each) => (
                <tr key={each.id}>
                  <td className="mono title">
                    <Link to="/domains/$domain/connections/$id" params={{ domain, id: each.id }}>
                      {each.id}
                    </Link>
                  </td>
                  <td data-label="Closed">{whenText(each.closedAt, zone, serverNow())}</td>
                  <td data-label="Because" className="whole">
                    {each.sentence}
                  </td>
                  <td className="r" data-label="Lived">
                    {coarseAge(each.ageMs)}
                  </td>
                  <td className="r" data-label="Statements">
                    <Num value={each.requests} />
                  </td>
                  <td className="r" data-label="Errors">
                    <Num value={each.errors} loud />
                  </td>
                  <td className="r" data-label="p99">
                    <Ms value={ofRequests(each.p99Ms, each.requests)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {items.length === 0 && <Empty of={query}>No connection was closed.</Empty>}
    </Panel>
  );
}
