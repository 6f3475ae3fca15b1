import { useMemory } from "@/api/memory";
import type { Memory } from "@/api/types";
import { bytes, count } from "@/format/format";
import { Fault, Panel } from "@/ui/parts";

const WORDS: Record<Memory["holders"][number]["holder"], string> = {
  wire: "Wire clients: statements, long messages",
  buffers: "Wire clients: what is sent and not answered, answers that are not read",
  http: "Requests: bodies, and what is read to answer them",
  work: "Replays, plans, policy files, long histories",
  history: "The measurements of the last hour",
  leases: "The lease requests of the last ten minutes",
  stream: "Updates that browsers have not taken yet",
  "wide-stream": "Updates of many domains that clients of the stream have not taken yet",
  log: "The last lines of the log",
};

const COUNTED: Record<Memory["counts"][number]["of"], string> = {
  databases: "databases",
  domains: "domains",
  clients: "credentials of clients",
  "wire-clients": "wire clients",
};

/** Shows who holds how much of the memory that callers may use, and how often there was no room. */
export function MemoryTable() {
  const memory = useMemory();
  const { reservedBytes, mostBytes, holders } = memory.data ?? { reservedBytes: 0, mostBytes: 0, holders: [] };
  return (
    <Panel
      title="Memory held for callers"
      aside={memory.data && <span className="muted">{`${bytes(reservedBytes)} of ${bytes(mostBytes)}`}</span>}
    >
      {memory.isError && <Fault error={memory.error} retry={() => void memory.refetch()} />}
      <div className="scroll-x">
        <table className="cards">
          <thead>
            <tr>
              <th>For</th>
              <th className="r">Now</th>
              <th className="r">Highest</th>
              <th className="r">At most</th>
              <th className="r">Refused</th>
            </tr>
          </thead>
          <tbody>
            {holders.map((holder) => (
              <tr key={holder.holder}>
                <td className="title">{WORDS[holder.holder]}</td>
                <td className="r" data-label="Now">
                  {bytes(holder.reservedBytes)}
                </td>
                <td className="r" data-label="Highest">
                  {bytes(holder.highestBytes)}
                </td>
                <td className="r" data-label="At most">
                  {bytes(holder.mostBytes)}
                </td>
                <td className="r" data-label="Refused">
                  {holder.refused > 0 ? <b>{count(holder.refused)}</b> : count(holder.refused)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {memory.data && (
        <p className="pad muted small">
          The limits overlap: each is what one holder may have, and all of them together have at most {bytes(mostBytes)}
          . Beside that there are{" "}
          {memory.data.counts.map((each) => `${count(each.now)} of ${count(each.most)} ${COUNTED[each.of]}`).join(", ")}
          .
        </p>
      )}
    </Panel>
  );
}
