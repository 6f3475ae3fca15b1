import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { useDomains } from "@/api/domains";
import { policySetQuery } from "@/api/policies";
import type { PolicySet } from "@/api/types";
import { seriesColor } from "@/charts/colors";
import { Spark } from "@/charts/Spark";
import { count } from "@/format/format";
import { ofDatabase, policyName } from "@/policy/attribution";
import { summaryOf } from "@/policy/summary";
import type { LivePool } from "@/stream/schemas";
import { liveSource } from "@/stream/seriesSource";
import { worstFirst } from "@/ui/health";
import { Chip, ManagedChip, Ms, Num, StateChip, TierMark } from "@/ui/parts";

const TIER_ORDER = ["gold", "silver", "bronze"];

/** One row per domain. Domains with alarms come first. */
export function DomainTable({ pools }: { pools: readonly LivePool[] }) {
  const domains = useDomains();
  const known = new Map(domains.data?.map((d) => [d.name, d]));
  const rank = (domain: string) => (TIER_ORDER.indexOf(known.get(domain)?.tier ?? "") + TIER_ORDER.length + 1) % 4;
  const names = pools.map((p) => p.domain);
  const sets = useQueries({ queries: names.map((name) => policySetQuery({ kind: "domain", name })) });
  const sorted = pools
    .map((pool, i) => ({ pool, set: sets[i]?.data?.policySet }))
    .sort(
      (a, b) =>
        worstFirst(a.pool.health, b.pool.health) ||
        rank(a.pool.domain) - rank(b.pool.domain) ||
        a.pool.domain.localeCompare(b.pool.domain),
    );
  return (
    <section className="panel scroll-x live-data" aria-label="Domains">
      <table className="cards">
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
            <th className="r">Requests/s</th>
            <th>Limited by</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ pool, set }) => (
            <Row
              key={pool.domain}
              pool={pool}
              set={set}
              tier={known.get(pool.domain)?.tier}
              managedBy={known.get(pool.domain)?.managedBy}
              color={seriesColor(names, pool.domain)}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

type RowProps = {
  pool: LivePool;
  set: PolicySet | undefined;
  tier: string | null | undefined;
  managedBy: string | null | undefined;
  color: string;
};

const Row = memo(function Row({ pool, set, tier, managedBy, color }: RowProps) {
  return (
    <tr>
      <td className="title">
        <TierMark tier={tier} />{" "}
        <Link to="/domains/$domain" params={{ domain: pool.domain }} style={{ color: "inherit" }}>
          <b>{pool.domain}</b>
        </Link>{" "}
        <span className="faint">{tier}</span>
      </td>
      <td data-label="State">
        <StateChip health={pool.health} />
      </td>
      <td data-label="In use / open" className="whole">
        <SizeBar pool={pool} />
      </td>
      <td className="r" data-label="Waiting">
        <Num value={pool.waiting} loud />
      </td>
      <td className="r" data-label="p50">
        <Ms value={pool.latency.p50Ms} />
      </td>
      <td className="r" data-label="p99">
        <Ms value={pool.latency.p99Ms} />
      </td>
      <td data-label="p99, 5 min" className="whole">
        <Spark
          source={() => liveSource(pool.domain, 300_000)}
          column="p99Ms"
          color={color}
          label={`p99 latency of ${pool.domain} over the last 5 minutes`}
        />
      </td>
      <td className="r" data-label="Requests/s">
        <Num value={Math.round((pool.latency.perSecond ?? 0) * 10) / 10} />
      </td>
      <td data-label="Limited by" className="whole">
        <span>
          <Chip tone={pool.limit.holdsBack ? "acc" : ""} help={pool.limit.reason}>
            {limitText(pool, set)}
          </Chip>{" "}
          <span className="faint">rev {pool.revision}</span> <ManagedChip managedBy={managedBy} />
        </span>
      </td>
    </tr>
  );
});

/** What keeps the pool from growing. */
function limitText({ limit, database, ceiling }: LivePool, set: PolicySet | undefined): string {
  const { policy } = limit;
  if (policy) return ofDatabase(policy) ? policyName(policy, database) : summaryOf(set, policy);
  switch (limit.by) {
    case "nothing":
      return `nothing, up to ${ceiling}`;
    case "budget":
      return `the budget of ${database}`;
    case "policy":
    case "rate":
    case "database-policy":
      return "its policy set";
    default:
      return limit.by;
  }
}

/**
 * A bar of the connections: in use, open, the floor as dots, the ceiling as a tick. Its full width is at least 20
 * connections, or the budget if that is smaller.
 */
function SizeBar({ pool }: { pool: LivePool }) {
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
