/**
 * A plan of EXPLAIN (FORMAT JSON) as a tree with the time that each node took itself.
 *
 * PostgreSQL reports a node's time with its children, as an average over its loops. So a node's total is that average times
 * its loops; below a Gather, where several processes share the loops, divided by the processes. What a node took itself is
 * its total less its children's. A CTE is a child of the node that declares it, but its time passes in the CTE Scans that read
 * it, so it is subtracted there. Without ANALYZE there are no times, and costs take their place.
 */
export type PlanNode = {
  title: string;
  /** Conditions, buffers and so on. */
  details: [name: string, value: string][];
  /** Milliseconds if analyzed, else cost; with the children. */
  total: number;
  /** As `total`, without the children. */
  own: number;
  /** The part of the whole plan that `own` is, from 0 to 1. */
  share: number;
  expectedRows: number;
  /** Of all loops; null if not analyzed. */
  actualRows: number | null;
  loops: number | null;
  children: PlanNode[];
};

export type QueryPlan = {
  root: PlanNode;
  /** Whether the statement was executed: times are real. */
  analyzed: boolean;
  planningMs: number | null;
  executionMs: number | null;
  /** The node with the largest share. */
  costliest: PlanNode;
};

type Raw = { [name: string]: unknown };

/**
 * Reads a plan; null if there is none, as for a statement that PostgreSQL rewrites to nothing.
 *
 * @param json the only value of the answer to EXPLAIN (FORMAT JSON)
 */
export function readPlan(json: string): QueryPlan | null {
  const [explained] = JSON.parse(json) as Raw[];
  const top = explained?.Plan as Raw | undefined;
  if (!top) return null;
  const analyzed = "Actual Loops" in top;
  const ctes = new Map<string, Cte>();
  const root = node(top, analyzed, 1, ctes);
  for (const cte of ctes.values()) moveToScans(cte);
  const all = flat(root);
  for (const each of all) each.own = Math.max(0, each.own);
  const whole = all.reduce((sum, each) => sum + each.own, 0);
  for (const each of all) each.share = whole > 0 ? each.own / whole : 0;
  return {
    root,
    analyzed,
    planningMs: number(explained?.["Planning Time"]),
    executionMs: number(explained?.["Execution Time"]),
    costliest: all.reduce((most, each) => (each.own > most.own ? each : most)),
  };
}

export function flat(node: PlanNode): PlanNode[] {
  return [node, ...node.children.flatMap(flat)];
}

/** How far the estimate of the rows is off: 10 means ten times as many rows as expected, 0.1 a tenth. */
export function misjudged({ expectedRows, actualRows, loops }: PlanNode): number | null {
  if (actualRows === null || !loops) return null;
  return Math.max(1, actualRows) / Math.max(1, expectedRows);
}

type Cte = { total: number; declaredBy: PlanNode; scans: PlanNode[] };

function node(raw: Raw, analyzed: boolean, processes: number, ctes: Map<string, Cte>): PlanNode {
  const loops = number(raw["Actual Loops"]);
  const times = analyzed ? (loops ?? 0) : 1;
  const average = number(raw[analyzed ? "Actual Total Time" : "Total Cost"]) ?? 0;
  const total = (average * times) / processes;
  const made: PlanNode = {
    title: title(raw),
    details: details(raw),
    total,
    own: total,
    share: 0,
    expectedRows: (number(raw["Plan Rows"]) ?? 0) * Math.max(1, times),
    actualRows: analyzed ? Math.round((number(raw["Actual Rows"]) ?? 0) * times) : null,
    loops,
    children: [],
  };
  const gathers = /^Gather/.test(text(raw["Node Type"]));
  const workers = number(raw["Workers Launched"]) ?? 0;
  for (const child of (raw.Plans as Raw[] | undefined) ?? []) {
    const [, name] = /^CTE (.*)$/.exec(text(child["Subplan Name"])) ?? [];
    // Declared before its children are read: a recursive CTE reads itself by a WorkTable Scan, not by a CTE Scan.
    const cte = analyzed && name !== undefined ? { total: 0, declaredBy: made, scans: [] } : null;
    if (cte && name !== undefined) ctes.set(name, cte);
    const below = node(child, analyzed, gathers ? workers + 1 : processes, ctes);
    made.children.push(below);
    if (cte) cte.total = below.total;
    else made.own -= below.total;
  }
  if (raw["Node Type"] === "CTE Scan") ctes.get(text(raw["CTE Name"]))?.scans.push(made);
  return made;
}

/** The first scan to need a row of the CTE waits for it. What the scans do not account for passed in the declaring node. */
function moveToScans({ total, declaredBy, scans }: Cte): void {
  let left = total;
  for (const scan of scans) {
    const moved = Math.min(left, Math.max(0, scan.own));
    scan.own -= moved;
    left -= moved;
  }
  declaredBy.own -= left;
}

function title(raw: Raw): string {
  const kind = text(raw["Node Type"]);
  const join = text(raw["Join Type"]);
  const strategy = ({ Hashed: "Hash", Sorted: "Group", Mixed: "Mixed " } as Raw)[text(raw.Strategy)];
  const words = [
    raw["Parallel Aware"] === true && "Parallel",
    ["Partial", "Finalize"].includes(text(raw["Partial Mode"])) && raw["Partial Mode"],
    raw.Operation ?? joined(kind === "Aggregate" ? `${strategy ?? ""}${kind}` : kind, join),
    raw["Scan Direction"] === "Backward" && "Backward",
    raw["Index Name"] !== undefined && `using ${raw["Index Name"]}`,
    on(raw),
  ];
  const subplan = raw["Subplan Name"] === undefined ? "" : `${raw["Subplan Name"]}: `;
  return subplan + words.filter(Boolean).join(" ");
}

function joined(kind: string, join: string): string {
  if (join === "" || join === "Inner") return kind;
  return kind === "Nested Loop" ? `Nested Loop ${join} Join` : kind.replace(/ Join$/, ` ${join} Join`);
}

function on(raw: Raw): string {
  const name = raw["Relation Name"] ?? raw["Function Name"] ?? raw["CTE Name"];
  if (name === undefined) return "";
  return raw.Alias === undefined || raw.Alias === name ? `on ${name}` : `on ${name} ${raw.Alias}`;
}

/** Shown elsewhere, or of no use to somebody who looks for the slow part. */
const ELSEWHERE =
  /^(Node Type|Parent Relationship|Join Type|Strategy|Partial Mode|Operation|Index Name|Relation Name|Function Name|CTE Name|Subplan Name|Schema|Alias|Scan Direction|Startup Cost|Total Cost|Plan (Rows|Width)|Actual .*|.* Blocks|.* I\/O .* Time|Async Capable|Parallel Aware|Inner Unique|Disabled|Plans|Workers)$/;

/** EXPLAIN says them in kB, and the unit only in its text format. */
const KILOBYTES = /^(Sort Space Used|Peak Memory Usage|Disk Usage|Maximum Storage)$/;

function details(raw: Raw): [string, string][] {
  const shown = Object.entries(raw)
    .filter(([name, value]) => !ELSEWHERE.test(name) && value !== 0 && value !== false)
    .flatMap(([name, value]): [string, string][] => {
      if (Array.isArray(value))
        return value.every((each) => typeof each === "string") ? [[name, value.join(", ")]] : [];
      return typeof value === "object" ? [] : [[name, KILOBYTES.test(name) ? `${value} kB` : String(value)]];
    });
  const buffers = ["Hit", "Read", "Dirtied", "Written"]
    .map((what) => [what.toLowerCase(), number(raw[`Shared ${what} Blocks`])] as const)
    .filter(([, blocks]) => blocks)
    .map(([what, blocks]) => `${blocks} ${what}`);
  const spilled = number(raw["Temp Written Blocks"]);
  if (spilled) buffers.push(`${spilled} written to temporary files`);
  return buffers.length > 0 ? [...shown, ["Buffers, with children", buffers.join(", ")]] : shown;
}

function number(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
