import { useQuery } from "@tanstack/react-query";
import { refusalsQuery } from "@/api/leases";
import { count, NONE, whenText } from "@/format/format";
import { serverNow } from "@/stream/browser";
import { Empty } from "@/ui/Empty";
import { Fault, Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Caller } from "./Caller";

/** Who got no connection within the last ten minutes, why and how often. */
export function Refusals({ domain }: { domain: string }) {
  const zone = useZone();
  const query = useQuery(refusalsQuery(domain));
  const { items = [], total = 0 } = query.data ?? {};
  return (
    <Panel
      title="Turned away in the last 10 minutes"
      aside={<span className="muted">{total > 0 && count(total)}</span>}
    >
      {query.isError && <Fault error={query.error} retry={() => void query.refetch()} />}
      {items.length > 0 && (
        <div className="scroll-x">
          <table className="cards">
            <thead>
              <tr>
                <th>Who</th>
                <th>Why</th>
                <th>Policy</th>
                <th className="r">Times</th>
                <th className="r">First</th>
                <th className="r">Last</th>
              </tr>
            </thead>
            <tbody>
              {items.map((each) => (
                <tr key={JSON.stringify([each.caller, each.why, each.policy])}>
                  <td className="title whole">
                    <Caller caller={each.caller} />
                  </td>
                  <td data-label="Why">
                    <span className="chip warn">{each.why}</span>
                  </td>
                  <td data-label="Policy" className="whole">
                    {each.policy ?? <span className="faint">{NONE}</span>}{" "}
                    <span className="muted small">{each.reason}</span>
                  </td>
                  <td data-label="Times" className="r">
                    <b>{count(each.count)}</b>
                  </td>
                  <td data-label="First" className="r">
                    {whenText(each.first, zone, serverNow())}
                  </td>
                  <td data-label="Last" className="r">
                    {whenText(each.last, zone, serverNow())}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {items.length === 0 && <Empty of={query}>Nobody was turned away.</Empty>}
    </Panel>
  );
}
