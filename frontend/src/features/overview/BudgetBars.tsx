import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { seriesColor } from "@/charts/colors";
import { byName } from "@/format/names";
import type { LiveDatabase, PoolRow } from "@/stream/schemas";
import { Help } from "@/ui/Help";
import { detailOf, isTrouble } from "@/ui/health";
import { useHeldOrder } from "@/ui/heldOrder";
import { StateChip } from "@/ui/parts";
import { budgetParts } from "./budgetParts";

type Props = { databases: readonly LiveDatabase[]; pools: readonly PoolRow[] };

/** As many are shown before somebody asks for all. */
const FEW = 3;

/** The budget of each database and its use. Of many databases those in trouble and the fullest are shown. */
export function BudgetBars({ databases, pools }: Props) {
  const [all, setAll] = useState(false);
  const inOrder = databases.length > FEW ? [...databases].sort(fullestFirst) : databases;
  const { rows: ordered, holding } = useHeldOrder(inOrder, nameOf);
  const shown = all ? ordered : ordered.slice(0, FEW);
  return (
    <>
      <div style={{ display: "contents" }} {...holding}>
        {shown.map((database) => (
          <BudgetBar key={database.name} database={database} pools={pools} />
        ))}
      </div>
      {databases.length > FEW && (
        <p className="muted">
          {all ? `All ${databases.length} databases` : `The ${FEW} fullest of ${databases.length} databases`}{" "}
          <button type="button" className="bare" onClick={() => setAll(!all)}>
            {all ? "Show the fullest" : "Show all"}
          </button>
        </p>
      )}
    </>
  );
}

const nameOf = ({ name }: LiveDatabase) => name;

const fullestFirst = (a: LiveDatabase, b: LiveDatabase) =>
  Number(isTrouble(b.health)) - Number(isTrouble(a.health)) ||
  b.open / Math.max(1, b.budget) - a.open / Math.max(1, a.budget) ||
  byName(a.name, b.name);

/** One database: each domain's connections, hatched if they are guaranteed to another one and lent, and the rest free. */
function BudgetBar({ database, pools }: { database: LiveDatabase; pools: readonly PoolRow[] }) {
  const parts = budgetParts(database, pools);
  const lent = parts.some((p) => p.kind === "lent");
  return (
    <section className="panel budget" aria-label={`Budget of ${database.name}`}>
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
        {database.health.severity !== "fine" && <StateChip health={database.health} detail={detailOf(database)} />}
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
            style={{ width: `${part.share * 100}%`, ...(part.domain ? paint(seriesColor(part.domain)) : {}) }}
          >
            {part.label}
          </i>
        ))}
      </div>
      <p className="muted small budget-note">
        {lent
          ? "Hatched: guaranteed to another domain and lent; it gets them back on demand."
          : "Nothing that is guaranteed to another domain is lent."}{" "}
        <Help
          label={`Who uses the budget of ${database.name}`}
          text={parts.flatMap((part) => part.title ?? []).join("\n")}
        />
      </p>
    </section>
  );
}

function paint(color: string) {
  return { backgroundColor: `var(${color})`, color: color === "--c1" ? "var(--on-c1)" : "var(--on-c)" };
}
