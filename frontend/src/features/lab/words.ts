/** The words and shapes for states, verdicts and outcomes. None differs by colour alone. */
import type { ExperimentComparisonRow, ExperimentFinding, ExperimentRun } from "@/api/types";
import { figure } from "@/format/figure";
import { bytes, NONE } from "@/format/format";

type Word = { shape: string; label: string; tone: string };

export const STATES: Record<ExperimentRun["state"], Word> = {
  running: { shape: "▶", label: "running", tone: "acc" },
  done: { shape: "●", label: "done", tone: "good" },
  failed: { shape: "■", label: "failed", tone: "bad" },
  cancelled: { shape: "‖", label: "cancelled", tone: "" },
};

export const VERDICTS: Record<ExperimentFinding["verdict"], Word> = {
  holds: { shape: "✓", label: "holds", tone: "good" },
  differs: { shape: "✕", label: "does not hold here", tone: "warn" },
  undecided: { shape: "?", label: "cannot be told", tone: "" },
};

/** "2 of 6 hold, 1 cannot be told" */
export function held(findings: readonly Pick<ExperimentFinding, "verdict">[]): string {
  const of = (verdict: ExperimentFinding["verdict"]) => findings.filter((each) => each.verdict === verdict).length;
  const open = of("undecided");
  return `${of("holds")} of ${findings.length} hold${open > 0 ? `, ${open} cannot be told` : ""}`;
}

export const OUTCOMES: Record<ExperimentComparisonRow["outcome"], Word> = {
  better: { shape: "▲", label: "better", tone: "good" },
  worse: { shape: "▼", label: "worse", tone: "bad" },
  different: { shape: "◆", label: "different", tone: "acc" },
  "no-difference": { shape: "=", label: "no difference", tone: "" },
  "too-few-samples": { shape: "?", label: "too few samples", tone: "" },
};

/** "× 1.23"; a ratio to zero is none. */
export const ratioText = ({ first, ratio }: Pick<ExperimentComparisonRow, "first" | "ratio">) =>
  first === 0 ? NONE : `× ${figure(ratio)}`;

/** A probability: "0.03", "< 0.001". */
export const chanceText = ({ chance }: Pick<ExperimentComparisonRow, "chance">) =>
  chance === null ? NONE : chance < 0.001 ? "< 0.001" : chance.toFixed(chance < 0.1 ? 3 : 2);

/** How many measures came out how: "2 better, 1 worse, 3 without a difference". */
export function tally(rows: readonly Pick<ExperimentComparisonRow, "outcome">[]): string {
  const of = (outcome: ExperimentComparisonRow["outcome"]) => rows.filter((row) => row.outcome === outcome).length;
  const parts = [
    [of("better"), "better"],
    [of("worse"), "worse"],
    [of("different"), "different"],
    [of("no-difference"), "without a difference"],
    [of("too-few-samples"), "with too few samples to tell"],
  ] as const;
  return parts
    .filter(([n]) => n > 0)
    .map(([n, words]) => `${n} ${words}`)
    .join(", ");
}

/** What a run was measured with and on, by name. */
export function setUpOf(
  run: Pick<ExperimentRun, "form" | "values" | "seed" | "setUp">,
): [name: string, value: string][] {
  const { headgate, jdk, postgres, processor, processors, load, memoryBytes, system, versions } = run.setUp;
  return [
    ["form", run.form],
    ...Object.entries(run.values).map(([name, value]): [string, string] => [name, String(value)]),
    ["seed", String(run.seed)],
    ["Headgate", headgate],
    ["Java", jdk],
    ["PostgreSQL", postgres || NONE],
    ...Object.entries(versions),
    ["processors", processor ? `${processors} × ${processor}` : String(processors)],
    ["load average before", load === null ? NONE : load.toFixed(2)],
    ["heap", bytes(memoryBytes)],
    ["system", system],
  ];
}

/** A column of figures is aligned to the right. */
export const isFigures = (cells: readonly string[]) =>
  cells.length > 0 && cells.every((cell) => /^([<>×≤≥±-]? ?[\d.,]+|–|)( ?(%|[a-zµ/]{1,4}))?$/i.test(cell.trim()));

/** "policy-sweep-12-latency-by-connections.svg" */
export const fileName = (experiment: string, id: string, title: string) =>
  `${experiment}-${id}-${title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")}.svg`;
