import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { auditQuery } from "@/api/log";
import type { AuditEntry } from "@/api/types";
import { NONE, stamp } from "@/format/format";
import { Empty } from "@/ui/Empty";
import { Key } from "@/ui/Field";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { actionName } from "./words";

/** The audit log: who changed what and when, with the values before and after. */
export function AuditLog() {
  const log = useInfiniteQuery(auditQuery);
  const entries = log.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {log.isError && <Fault error={log.error} retry={() => void log.refetch()} />}
      <section className="panel scroll-x" aria-label="Audit">
        <table className="cards">
          <thead>
            <tr>
              <th>Time</th>
              <th>Who</th>
              <th>What</th>
              <th>On</th>
              <th>Address</th>
              <th>
                <span className="sr-only">Details</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </tbody>
        </table>
        {entries.length === 0 && <Empty of={log}>Nobody has changed anything yet.</Empty>}
      </section>
      {log.hasNextPage && (
        <p>
          <button
            type="button"
            className="btn"
            onClick={() => void log.fetchNextPage()}
            disabled={log.isFetchingNextPage}
          >
            Older entries
          </button>
        </p>
      )}
    </>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const zone = useZone();
  const [open, setOpen] = useState(false);
  return (
    <>
      <tr>
        <td className="mono faint title">{stamp(entry.time, zone)}</td>
        <td data-label="Who">{entry.actor}</td>
        <td data-label="What" className="whole">
          <span>
            {actionName(entry.action)} <Key name={entry.action} title={actionName(entry.action)} />
          </span>
        </td>
        <td data-label="On" className="whole">
          {entry.target}
        </td>
        <td data-label="Address" className="muted">
          {entry.remote || NONE}
        </td>
        <td className="r whole">
          <button type="button" className="btn small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide" : "Before and after"}
          </button>
        </td>
      </tr>
      {open && (
        <tr>
          <td colSpan={6} className="whole">
            <div className="beside">
              <div>
                <span className="muted">before</span>
                <pre className="json">{pretty(entry.before)}</pre>
              </div>
              <div>
                <span className="muted">after</span>
                <pre className="json">{pretty(entry.after)}</pre>
              </div>
            </div>
          </td>
        </tr>
      )}
    </>
  );
}

const pretty = (value: unknown) => (value == null ? "nothing" : JSON.stringify(value, null, 2));
