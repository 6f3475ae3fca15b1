import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { coarseAge, duration, NONE, ofRequests } from "@/format/format";
import { byName } from "@/format/names";
import { useLive } from "@/stream/hooks";
import type { Columns } from "@/stream/schemas";
import { Help } from "@/ui/Help";
import { useHeldOrder } from "@/ui/heldOrder";
import { leaseTone } from "@/ui/leaseTone";
import { Ms, Num } from "@/ui/parts";

type Row = {
  id: string;
  state: string;
  holder: string | null;
  leaseAgeMs: number | null;
  requests: number | null;
  p50Ms: number | null;
  p99Ms: number | null;
  errors: number | null;
  ageMs: number | null;
};
type Column = keyof Row;

const COLUMNS: readonly { key: Column; label: string; right?: boolean }[] = [
  { key: "id", label: "Connection" },
  { key: "state", label: "State" },
  { key: "holder", label: "Held by" },
  { key: "leaseAgeMs", label: "Lease age", right: true },
  { key: "requests", label: "Statements", right: true },
  { key: "p50Ms", label: "p50", right: true },
  { key: "p99Ms", label: "p99", right: true },
  { key: "errors", label: "Errors", right: true },
  { key: "ageMs", label: "Age", right: true },
];

const SHAPES: Record<string, string> = {
  active: "▶",
  "idle in transaction": "◆",
  idle: "○",
  opening: "◔",
  closing: "✕",
};

const MOST = 100;

const idOf = ({ id }: Row) => id;

/** One row per physical connection with its current state. */
export function ConnectionTable({ domain }: { domain: string }) {
  const columns = useLive((s) => s.columns(domain));
  const [sort, setSort] = useState<{ key: Column; down: boolean }>({ key: "p99Ms", down: true });
  const [all, setAll] = useState(false);
  const { rows, holding } = useHeldOrder(sortRows(rowsOf(columns), sort.key, sort.down), idOf);
  const slow = median(rows.map((r) => r.p99Ms)) * 1.5;
  const shown = all ? rows : rows.slice(0, MOST);
  if (!columns) return <p className="empty">Waiting for the connections…</p>;
  return (
    <div className="scroll-x">
      <table className="cards connections">
        <thead>
          <tr>
            {COLUMNS.map(({ key, label, right }) => (
              <th
                key={key}
                className={right ? "r" : ""}
                aria-sort={sort.key === key ? (sort.down ? "descending" : "ascending") : undefined}
              >
                <button
                  type="button"
                  onClick={() => setSort({ key, down: sort.key === key ? !sort.down : right === true })}
                >
                  {label}
                  <span aria-hidden="true">{sort.key === key ? (sort.down ? " ↓" : " ↑") : ""}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...holding}>
          {shown.map((row) => (
            <tr key={row.id}>
              <td className="mono title" title={row.id}>
                <Link to="/domains/$domain/connections/$id" params={{ domain, id: row.id }}>
                  {row.id}
                </Link>
              </td>
              <td data-label="State" className="whole">
                <span className={`chip ${leaseTone(row.state, row.leaseAgeMs ?? 0)}`}>
                  <span aria-hidden="true">{SHAPES[row.state] ?? "◇"}</span> {row.state}
                </span>
              </td>
              <td data-label="Held by" className="whole">
                {row.holder ? (
                  <Help className="cut" text={row.holder}>
                    {row.holder}
                  </Help>
                ) : (
                  <span className="faint">{NONE}</span>
                )}
              </td>
              <td className="r" data-label="Lease age">
                {row.leaseAgeMs == null ? <span className="faint">{NONE}</span> : shortAge(row.leaseAgeMs)}
              </td>
              <td className="r" data-label="Statements">
                <Num value={row.requests} />
              </td>
              <td className="r" data-label="p50">
                <Ms value={row.p50Ms} />
              </td>
              <td className="r" data-label="p99">
                <Ms value={row.p99Ms} strong={(row.p99Ms ?? 0) > slow} />
              </td>
              <td className="r" data-label="Errors">
                <Num value={row.errors} />
              </td>
              <td className="r" data-label="Age">
                {coarseAge(row.ageMs)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className="empty">No connection is open.</p>}
      {rows.length > shown.length && (
        <p className="pad">
          <button type="button" className="btn small" onClick={() => setAll(true)}>
            Show all {rows.length}
          </button>
        </p>
      )}
    </div>
  );
}

/** Exact where it is short, and in one unit where it is long, so that it fits its column. */
const shortAge = (ms: number) => (ms < 59_950 ? duration(ms) : coarseAge(ms));

export function rowsOf(columns: Columns | undefined): Row[] {
  return (columns?.id ?? []).map((id, i) => {
    const requests = columns?.requests[i] ?? null;
    const [p50Ms, p99Ms] = [columns?.p50Ms[i] ?? null, columns?.p99Ms[i] ?? null];
    const timed = p99Ms === 0 ? 0 : requests; // statements are counted at once, and timed when their second is over
    return {
      id,
      state: columns?.state[i] ?? "",
      holder: columns?.holder[i] ?? null,
      leaseAgeMs: columns?.leaseAgeMs[i] ?? null,
      requests,
      p50Ms: ofRequests(p50Ms, timed),
      p99Ms: ofRequests(p99Ms, timed),
      errors: columns?.errors[i] ?? null,
      ageMs: columns?.ageMs[i] ?? null,
    };
  });
}

/** Sorts by one column. Missing values come last; ties are sorted by id, so that rows keep their places. */
export function sortRows(rows: readonly Row[], key: Column, down: boolean): Row[] {
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [a[key], b[key]];
    if (x == null || y == null) return x == null && y == null ? byName(a.id, b.id) : x == null ? 1 : -1;
    const order = typeof x === "number" && typeof y === "number" ? x - y : byName(String(x), String(y));
    return order * sign || byName(a.id, b.id);
  });
}

function median(values: readonly (number | null)[]): number {
  const known = values.filter((v): v is number => v != null).sort((a, b) => a - b);
  return known[Math.floor(known.length / 2)] ?? Number.POSITIVE_INFINITY;
}
