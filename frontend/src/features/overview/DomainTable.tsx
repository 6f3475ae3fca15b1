import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo, useMemo, useRef } from "react";
import { policySetQuery } from "@/api/policies";
import { seriesColor } from "@/charts/colors";
import { Spark } from "@/charts/Spark";
import { count, ofRequests } from "@/format/format";
import { ofDatabase } from "@/policy/attribution";
import { useSeconds } from "@/stream/hooks";
import type { PoolRow } from "@/stream/schemas";
import { liveSource } from "@/stream/seriesSource";
import { byTrouble } from "@/ui/findDomains";
import { isTrouble } from "@/ui/health";
import { useHeldOrder } from "@/ui/heldOrder";
import { Chip, ManagedChip, Ms, Num, StateChip, TierMark } from "@/ui/parts";
import { useRested } from "@/ui/rested";
import { useVisibleRows } from "@/ui/visibleRows";
import { type Grouping, grouped } from "./groups";
import { limitText } from "./limitText";

type Item = { kind: "group"; name: string; size: number; troubled: number } | { kind: "domain"; pool: PoolRow };

/** Below this number all rows are drawn and streamed. */
const MANY = 24;

type Props = { pools: readonly PoolRow[]; group?: Grouping | undefined };

const nameOf = ({ domain }: PoolRow) => domain;

/** One row per domain, those in trouble first. Of many domains, only the rows on the screen are drawn and have a curve. */
export function DomainTable({ pools, group }: Props) {
  const byNeed = useMemo(() => [...pools].sort(byTrouble), [pools]);
  const { rows: ordered, holding } = useHeldOrder(byNeed, nameOf);
  const items = useMemo(() => itemsOf(ordered, group), [ordered, group]);
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = useVisibleRows({ container: body, count: items.length, estimate: 43, all: items.length <= MANY });
  const shown = rows.visible.map((row) => items[row.index] as Item);
  useSeconds(
    items.length <= MANY
      ? pools.map((pool) => pool.domain)
      : shown.flatMap((item) => (item.kind === "domain" ? item.pool.domain : [])),
  );
  return (
    <section className="panel scroll-x live-data" aria-label="Domains">
      <table className="cards domains" aria-rowcount={items.length + 1}>
        <thead>
          <tr>
            <th>Domain</th>
            <th>State</th>
            <th>
              Connections <span className="faint">in use / open, floor · ceiling</span>
            </th>
            <th className="r">Waiting</th>
            <th className="r">p50</th>
            <th className="r">p99</th>
            <th>p99, 5 min</th>
            <th className="r">Statements/s</th>
            <th>Limited by</th>
          </tr>
        </thead>
        <tbody ref={body} {...holding}>
          {rows.before > 0 && <Gap height={rows.before} />}
          {rows.visible.map((row) => {
            const item = items[row.index] as Item;
            return item.kind === "group" ? (
              <tr key={`group ${item.name}`} ref={row.measure} data-index={row.index} className="group">
                <th colSpan={9} scope="rowgroup">
                  {item.name}{" "}
                  <span className="faint">
                    {item.size} {item.size === 1 ? "domain" : "domains"}
                    {item.troubled > 0 && `, ${item.troubled} in trouble`}
                  </span>
                </th>
              </tr>
            ) : (
              <Row key={item.pool.domain} pool={item.pool} index={row.index} measure={row.measure} />
            );
          })}
          {rows.after > 0 && <Gap height={rows.after} />}
        </tbody>
      </table>
    </section>
  );
}

function itemsOf(ordered: readonly PoolRow[], group: Grouping | undefined): Item[] {
  if (!group) return ordered.map((pool) => ({ kind: "domain", pool }));
  return grouped(ordered, group).flatMap(({ name, members }): Item[] => [
    {
      kind: "group",
      name,
      size: members.length,
      troubled: members.filter((member) => isTrouble(member.health)).length,
    },
    ...members.map((pool): Item => ({ kind: "domain", pool })),
  ]);
}

/** The place of the rows that are not drawn. */
function Gap({ height }: { height: number }) {
  return (
    <tr className="gap">
      <td colSpan={9} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

type RowProps = {
  pool: PoolRow;
  index: number;
  measure: (row: Element | null) => void;
};

const Row = memo(function Row({ pool, index, measure }: RowProps) {
  const { policy } = pool.limit;
  const rested = useRested();
  const set = useQuery({
    ...policySetQuery({ kind: "domain", name: pool.domain }),
    enabled: rested && policy !== null && !ofDatabase(policy),
  });
  const { tier } = pool;
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2}>
      <td className="title">
        <TierMark tier={tier} />{" "}
        <Link to="/domains/$domain" params={{ domain: pool.domain }} style={{ color: "inherit" }}>
          <b>{pool.domain}</b>
        </Link>{" "}
        <span className="faint">{tier}</span>
      </td>
      <td data-label="State" className="whole">
        <StateChip health={pool.health} />
        <TurnedAway pool={pool} />
      </td>
      <td data-label="In use / open" className="whole">
        <SizeBar pool={pool} />
      </td>
      <td className="r" data-label="Waiting">
        <Num value={pool.waiting} loud />
      </td>
      <td className="r" data-label="p50">
        <Ms value={ofRequests(pool.latency.p50Ms, pool.latency.perSecond)} />
      </td>
      <td className="r" data-label="p99">
        <Ms value={ofRequests(pool.latency.p99Ms, pool.latency.perSecond)} />
      </td>
      <td data-label="p99, 5 min" className="whole">
        <Spark
          source={() => liveSource(pool.domain, 300_000)}
          column="p99Ms"
          color={seriesColor(pool.domain)}
          label={`p99 latency of ${pool.domain} over the last 5 minutes`}
        />
      </td>
      <td className="r" data-label="Statements/s">
        <Num value={Math.round((pool.latency.perSecond ?? 0) * 10) / 10} />
      </td>
      <td data-label="Limited by" className="whole">
        <span>
          <Chip tone={pool.limit.holdsBack ? "acc" : ""} help={pool.limit.reason ?? null}>
            {limitText(pool, set.data?.policySet)}
          </Chip>{" "}
          <span className="faint" style={{ whiteSpace: "nowrap" }}>
            rev {pool.revision}
          </span>{" "}
          <ManagedChip managedBy={pool.managedBy} />
        </span>
      </td>
    </tr>
  );
});

/** How many callers got no connection lately; it leads to who they were. */
function TurnedAway({ pool: { domain, turnedAway } }: { pool: PoolRow }) {
  if (turnedAway === 0) return null;
  return (
    <Link
      to="/domains/$domain/leases"
      params={{ domain }}
      className="turned-away warn small"
      title={`Requests of ${domain} that got no connection within the last 10 minutes`}
    >
      {count(turnedAway)} turned away
      <span className="sr-only"> from {domain} within 10 minutes, see who they were</span>
    </Link>
  );
}

/**
 * A bar of the connections: in use, open, the floor as dots, the ceiling as a tick. Its full width is at least 20
 * connections, or the budget if that is smaller.
 */
function SizeBar({ pool }: { pool: PoolRow }) {
  const scale = Math.max(1, Math.min(pool.budget || pool.ceiling, Math.max(20, pool.ceiling, pool.size)));
  const at = (n: number) => `${Math.min(100, (n / scale) * 100)}%`;
  return (
    <div className="row size">
      <span
        className="cap"
        role="img"
        aria-label={`${pool.inUse} in use of ${pool.size} open, floor ${pool.floor}, ceiling ${pool.ceiling}`}
      >
        <u style={{ width: at(pool.size) }} />
        <b style={{ width: at(pool.inUse) }} />
        {pool.floor > 0 && <em style={{ left: at(pool.floor) }} />}
        <s style={{ left: at(pool.ceiling) }} />
      </span>
      <span>
        {pool.inUse} / {pool.size}{" "}
        <span className="faint" aria-hidden="true">
          {count(pool.floor)} · {count(pool.ceiling)}
        </span>
      </span>
    </div>
  );
}
