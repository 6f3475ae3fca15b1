import type { ReactNode } from "react";
import { count, duration } from "@/format/format";
import { misjudged, type PlanNode, type QueryPlan } from "./plan";

/** A plan as a tree. Each node shows its own time and its share of the whole. */
export function PlanTree({ plan }: { plan: QueryPlan }) {
  const { root, analyzed, planningMs, executionMs } = plan;
  return (
    <div className="sql-plan" data-testid="plan-tree">
      <p className="muted pad small">
        {analyzed
          ? `Planned in ${duration(planningMs)}, executed in ${duration(executionMs)}. The times of a node's loops are added up.`
          : "Not executed, because Read-only is off: costs are PostgreSQL's estimates, in its own unit."}
      </p>
      <div className="sql-plan-head" aria-hidden="true">
        <span>Node</span>
        <span>{analyzed ? "Own time" : "Own cost"}</span>
        <span>{analyzed ? "Total" : "Total cost"}</span>
        <span>Rows</span>
        <span>Share</span>
      </div>
      <ul>
        <Node node={root} plan={plan} />
      </ul>
    </div>
  );
}

function Node({ node, plan }: { node: PlanNode; plan: QueryPlan }) {
  const costliest = node === plan.costliest && node.share > 0;
  const measure = plan.analyzed ? duration : count;
  const share = `${Math.round(node.share * 100)} %`;
  return (
    <li>
      <div className={`sql-node ${costliest ? "costliest" : ""}`} data-testid="plan-node">
        <div className="what">
          <span className="mono">{node.title}</span>
          {costliest && (
            <span className="chip warn">
              <span aria-hidden="true">▲</span> most expensive
            </span>
          )}
          {node.loops !== null && node.loops > 1 && <span className="faint small">{count(node.loops)} loops</span>}
          {node.loops === 0 && <span className="chip">never executed</span>}
        </div>
        <Figure name={plan.analyzed ? "Own time" : "Own cost"}>
          <b>{measure(node.own)}</b>
        </Figure>
        <Figure name={plan.analyzed ? "Total" : "Total cost"}>{measure(node.total)}</Figure>
        <Figure name="Rows">
          <Rows node={node} />
        </Figure>
        <Figure name="Share">
          <span className="sql-share" aria-hidden="true">
            <i style={{ width: `${node.share * 100}%` }} />
          </span>
          {share}
        </Figure>
        {node.details.length > 0 && (
          <p className="details faint small">
            {node.details.map(([name, value]) => (
              <span key={name}>
                {name}: {value}
              </span>
            ))}
          </p>
        )}
      </div>
      {node.children.length > 0 && (
        <ul>
          {node.children.map((child, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a node is its place
            <Node key={i} node={child} plan={plan} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span className="figure">
      <span className="name">{name} </span>
      {children}
    </span>
  );
}

/** An estimate that is wrong by this factor often is why a plan is slow. */
const FAR_OFF = 10;

function Rows({ node }: { node: PlanNode }) {
  const { actualRows, expectedRows } = node;
  if (actualRows === null) return <>{count(expectedRows)} expected</>;
  const factor = misjudged(node);
  const off =
    factor === null
      ? ""
      : factor >= FAR_OFF
        ? `${count(Math.round(factor))} times more`
        : factor <= 1 / FAR_OFF
          ? `${count(Math.round(1 / factor))} times fewer`
          : "";
  return (
    <>
      {count(actualRows)} <span className="faint">of {count(expectedRows)} expected</span>
      {off && <span className="loud small off">{off}</span>}
    </>
  );
}
