import { Link } from "@tanstack/react-router";
import { seriesColor } from "@/charts/colors";
import type { LiveDatabase, LivePool } from "@/stream/schemas";
import { Help } from "@/ui/Help";
import { budgetParts } from "./budgetParts";

type Props = { databases: readonly LiveDatabase[]; pools: readonly LivePool[] };

/** The budget of each database and its use: solid within a guarantee, hatched if lent, the rest free. */
export function BudgetBars({ databases, pools }: Props) {
  const names = pools.map((p) => p.domain);
  return databases.map((database) => {
    const parts = budgetParts(database, pools);
    const lent = parts.some((p) => p.kind === "lent");
    return (
      <section key={database.name} className="panel budget" aria-label={`Budget of ${database.name}`}>
        <div className="row base wrap budget-head">
          <h2>
            <Link to="/databases/$database" params={{ database: database.name }} style={{ color: "inherit" }}>
              {database.name}
            </Link>
          </h2>
          <span className="muted">
            {database.serverVersion ? `PostgreSQL ${database.serverVersion} · ` : ""}
            {database.host}:{database.port}
          </span>
          {!database.reachable && (
            <span className="chip bad">
              <span aria-hidden="true">✕</span> unreachable
              {database.unreachableReason ? `: ${database.unreachableReason}` : ""}
            </span>
          )}
          <span className="grow" />
          <span>
            <b>{database.open}</b> <span className="muted">open of a budget of</span> <b>{database.budget}</b>
            {database.serverMaxConnections != null && (
              <span className="faint">
                {" "}
                · server allows {database.serverMaxConnections}, others use {database.othersUse ?? 0}
              </span>
            )}
          </span>
        </div>
        <div className="bar live-data" aria-hidden="true">
          {parts.map((part) => (
            <i
              key={`${part.domain}:${part.kind}`}
              className={part.kind}
              style={{ width: `${part.share * 100}%`, ...(part.domain ? paint(seriesColor(names, part.domain)) : {}) }}
            >
              {part.label}
            </i>
          ))}
        </div>
        <p className="muted small budget-note">
          {lent
            ? "Solid: within the guarantee. Hatched: lent; its owner gets it back on demand."
            : "Solid: within each domain's share. Nothing is lent at the moment."}{" "}
          <Help label={`Who uses the budget of ${database.name}`} text={parts.map((p) => p.title).join("\n")} />
        </p>
      </section>
    );
  });
}

function paint(color: string) {
  return { backgroundColor: `var(${color})`, color: color === "--c1" ? "var(--on-c1)" : "var(--on-c)" };
}
