import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { comparisonQuery, runQuery } from "@/api/experiments";
import type { ExperimentComparison, ExperimentRun } from "@/api/types";
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

/** Two runs of one experiment: measure by measure, and their charts over one another. */
export function CompareRuns({ first, second }: { first: string; second: string }) {
  const comparison = useQuery(comparisonQuery(first, second));
  const one = useQuery(runQuery(first));
  const other = useQuery(runQuery(second));
  const error = comparison.error ?? one.error ?? other.error;
  return (
    <>
      <div className="row wrap">
        <h1>
          Run {second} compared with run {first}
        </h1>
        {comparison.data && <span className="muted">{comparison.data.experiment}</span>}
        <span className="grow" />
        <span className="row wrap lab-deeds">
          <Link className="btn" to="/lab/compare" search={{ first: Number(second), second: Number(first) }}>
            Swap
          </Link>
          <Link className="btn" to="/lab">
            Back to the lab
          </Link>
        </span>
      </div>
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

function Rows({ comparison: { first, second, sameSetUp, rows } }: { comparison: ExperimentComparison }) {
  return (
    <>
      {!sameSetUp && (
        <p className="note warn">
          The runs differ in machine, versions or values, so a difference may come from there. The set-up below marks
          what differs.
        </p>
      )}
      <Panel title="Measures" aside={<span className="muted">{tally(rows) || "no measure of both runs"}</span>}>
        <Wide label="Measures">
          <table className="cards">
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
              {rows.map((row) => (
                <tr key={row.measure}>
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
    </>
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
