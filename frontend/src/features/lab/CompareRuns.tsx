import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { comparisonQuery, runQuery, useRuns } from "@/api/experiments";
import type {
  ExperimentComparison,
  ExperimentComparisonOnly,
  ExperimentComparisonRow,
  ExperimentRun,
} from "@/api/types";
import { XyChart } from "@/charts/XyChart";
import { figure } from "@/format/figure";
import { stamp } from "@/format/format";
import { Help } from "@/ui/Help";
import { Fault, Panel } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { overlaid } from "./charts";
import { Wide, Word } from "./Word";
import { chanceText, OUTCOMES, ratioText, setUpOf, tally } from "./words";

const CHART_HEIGHT = 300;

/** Chooses any two runs that are done, and compares them. */
export function CompareRuns({ first, second }: { first: string | undefined; second: string | undefined }) {
  const both = first !== undefined && second !== undefined;
  return (
    <>
      <div className="row wrap">
        <h1>{both ? `Run ${second} compared with run ${first}` : "Compare two runs"}</h1>
        <span className="grow" />
        <span className="row wrap lab-deeds">
          {both && (
            <Link className="btn" to="/lab/compare" search={{ first: Number(second), second: Number(first) }}>
              Swap
            </Link>
          )}
          <Link className="btn" to="/lab">
            Back to the lab
          </Link>
        </span>
      </div>
      <Chosen first={first} second={second} />
      {both && <Compared first={first} second={second} />}
    </>
  );
}

function Chosen({ first, second }: { first: string | undefined; second: string | undefined }) {
  const navigate = useNavigate();
  const runs = useRuns();
  const done = useMemo(() => runs.data?.filter(({ state }) => state === "done") ?? [], [runs.data]);
  const number = (id: string | undefined) => (id ? Number(id) : undefined);
  const choose = (one: string | undefined, other: string | undefined) =>
    void navigate({ to: "/lab/compare", search: { first: number(one), second: number(other) }, replace: true });
  if (runs.error) return <Fault error={runs.error} retry={() => void runs.refetch()} />;
  return (
    <div className="row wrap lab-two">
      <RunChoice label="Run" value={second} runs={done} onChange={(id) => choose(first, id)} />
      <RunChoice label="beside run" value={first} runs={done} onChange={(id) => choose(id, second)} />
    </div>
  );
}

type RunChoiceProps = {
  label: string;
  value: string | undefined;
  runs: readonly ExperimentRun[];
  onChange: (id: string) => void;
};

/** Offers done runs by their experiments, the newest first. */
function RunChoice({ label, value = "", runs, onChange }: RunChoiceProps) {
  const zone = useZone();
  const experiments = [...new Set(runs.map(({ experiment }) => experiment))].sort();
  return (
    <label className="row lab-choice">
      <span className="muted small">{label}</span>
      <span className="inp">
        <select value={value} onChange={({ target }) => target.value && onChange(target.value)}>
          {!runs.some(({ id }) => id === value) && <option value={value}>{value || "choose one"}</option>}
          {experiments.map((experiment) => (
            <optgroup key={experiment} label={experiment}>
              {runs
                .filter((run) => run.experiment === experiment)
                .map((run) => (
                  <option key={run.id} value={run.id}>
                    {run.id}, {run.experiment}, {run.form}, {stamp(run.startedAt, zone)}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </span>
    </label>
  );
}

/** Measure by measure, and the charts of both over one another. */
function Compared({ first, second }: { first: string; second: string }) {
  const comparison = useQuery(comparisonQuery(first, second));
  const one = useQuery(runQuery(first));
  const other = useQuery(runQuery(second));
  const error = comparison.error ?? one.error ?? other.error;
  return (
    <>
      {error && (
        <Fault
          error={error}
          retry={() => {
            for (const query of [comparison, one, other]) void query.refetch();
          }}
        />
      )}
      {comparison.data && <Rows comparison={comparison.data} />}
      {one.data?.report && other.data?.report && <Overlaid first={one.data} second={other.data} />}
      {one.data && other.data && <SetUps first={one.data} second={other.data} />}
    </>
  );
}

function Rows({ comparison }: { comparison: ExperimentComparison }) {
  const { experiment, secondExperiment, first, second, sameSetUp, rows, firstOnly, secondOnly } = comparison;
  return (
    <>
      {experiment !== secondExperiment && (
        <p className="note warn">
          Run {second} is of {secondExperiment}, run {first} of {experiment}.{" "}
          {rows.length > 0
            ? "Measures of one name and unit are compared, but the experiments may measure them in different ways."
            : "They have no measure in common, so nothing can be compared."}
        </p>
      )}
      {experiment === secondExperiment && !sameSetUp && (
        <p className="note warn">
          The runs differ in machine, versions or values, so a difference may come from there. The set-up below marks
          what differs.
        </p>
      )}
      {experiment === secondExperiment && rows.length === 0 && (
        <p className="note">The runs have no measure in common, so nothing can be compared.</p>
      )}
      {rows.length > 0 && <Both first={first} second={second} rows={rows} />}
      <Only run={second} measures={secondOnly} />
      <Only run={first} measures={firstOnly} />
    </>
  );
}

/** What the other run did not measure. */
function Only({ run, measures }: { run: string; measures: readonly ExperimentComparisonOnly[] }) {
  if (measures.length === 0) return null;
  return (
    <Panel title={`Only run ${run} measured`}>
      <Wide label={`Only run ${run} measured`}>
        <table className="cards lab-measures">
          <thead>
            <tr>
              <th>Measure</th>
              <th>Unit</th>
              <th className="r">Run {run}</th>
            </tr>
          </thead>
          <tbody>
            {measures.map(({ measure, unit, median }) => (
              <tr key={`${measure} ${unit}`}>
                <td className="title">{measure}</td>
                <td className="muted" data-label="Unit">
                  {unit}
                </td>
                <td className="r" data-label={`Run ${run}`}>
                  {figure(median)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </Panel>
  );
}

const differs = ({ outcome }: ExperimentComparisonRow) => outcome !== "no-difference" && outcome !== "too-few-samples";

/** What differs comes first. */
function Both({ first, second, rows }: Pick<ExperimentComparison, "first" | "second" | "rows">) {
  const sorted = [...rows.filter(differs), ...rows.filter((row) => !differs(row))];
  return (
    <Panel title="Measures" aside={<span className="muted">{tally(rows)}</span>}>
      <Wide label="Measures">
        <table className="cards lab-measures">
          <thead>
            <tr>
              <th>Measure</th>
              <th>Unit</th>
              <th className="r">Run {first}</th>
              <th className="r">Run {second}</th>
              <th className="r">Ratio</th>
              <th className="r">
                Chance{" "}
                <Help
                  label="What the chance is"
                  text="The probability that samples which do not differ are ranked so differently, by the test of Mann and Whitney, corrected for the number of measures after Holm. Below 0.05 it counts as a difference. Samples are repetitions within one run: a machine that was slower during one run makes a difference, too."
                />
              </th>
              <th>Run {second} is</th>
            </tr>
          </thead>
          <tbody>
            {sorted.map((row) => (
              <tr key={`${row.measure} ${row.unit}`}>
                <td className="title">{row.measure}</td>
                <td className="muted" data-label="Unit">
                  {row.unit}
                </td>
                <td className="r" data-label={`Run ${first}`}>
                  {figure(row.first)}
                </td>
                <td className="r" data-label={`Run ${second}`}>
                  {figure(row.second)}
                </td>
                <td className="r" data-label="Ratio">
                  {ratioText(row)}
                </td>
                <td className="r" data-label="Chance">
                  {chanceText(row)}
                </td>
                <td className="whole" data-label={`Run ${second} is`}>
                  <Word of={OUTCOMES[row.outcome]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </Panel>
  );
}

function Overlaid({ first, second }: { first: ExperimentRun; second: ExperimentRun }) {
  const charts = useMemo(
    () =>
      overlaid(
        { charts: first.report?.charts ?? [], name: `run ${first.id}` },
        { charts: second.report?.charts ?? [], name: `run ${second.id}` },
      ),
    [first, second],
  );
  return (
    <div className="lab-charts">
      {charts.map((xy) => (
        <Panel key={xy.title} title={xy.title} aside={<span className="muted">run {first.id} is paler</span>}>
          <div className="lab-chart">
            <XyChart xy={xy} height={CHART_HEIGHT} />
          </div>
        </Panel>
      ))}
    </div>
  );
}

function SetUps({ first, second }: { first: ExperimentRun; second: ExperimentRun }) {
  const zone = useZone();
  const [one, other] = [first, second].map((run) => new Map(setUpOf(run)));
  const names = [...new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])];
  const rows = names.map((name) => [name, one?.get(name) ?? "", other?.get(name) ?? ""] as const);
  return (
    <Panel title="Set-up">
      <Wide label="Set-up">
        <table className="lab-setups">
          <thead>
            <tr>
              <th>
                <span className="sr-only">What</span>
              </th>
              <th>
                <Link to="/lab/runs/$id" params={{ id: first.id }}>
                  Run {first.id}
                </Link>
              </th>
              <th>
                <Link to="/lab/runs/$id" params={{ id: second.id }}>
                  Run {second.id}
                </Link>
              </th>
              <th>
                <span className="sr-only">Difference</span>
              </th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <td className="muted">started</td>
              <td>{stamp(first.startedAt, zone)}</td>
              <td>{stamp(second.startedAt, zone)}</td>
              <td />
            </tr>
            {rows.map(([name, before, after]) => (
              <tr key={name}>
                <td className="muted">{name}</td>
                <td>{before}</td>
                <td>{after}</td>
                <td>{before !== after && <span className="chip warn">differs</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </Panel>
  );
}
