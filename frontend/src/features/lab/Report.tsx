import { useMemo } from "react";
import { filesOf } from "@/api/experiments";
import type { ExperimentMeasure, ExperimentReport, ExperimentTable } from "@/api/types";
import { XyChart } from "@/charts/XyChart";
import { figure } from "@/format/figure";
import { Panel } from "@/ui/parts";
import { chartsOf } from "./charts";
import { Wide, Word } from "./Word";
import { fileName, held, isFigures, VERDICTS } from "./words";

const CHART_HEIGHT = 280;

type Props = { id: string; experiment: string; report: ExperimentReport };

/** What a run found. */
export function Report({ id, experiment, report }: Props) {
  const charts = useMemo(() => chartsOf(report.charts), [report.charts]); // a report never changes
  return (
    <>
      {report.findings.length > 0 && (
        <Panel title="Findings" aside={<span className="muted">{held(report.findings)}</span>}>
          <ul className="lab-findings">
            {report.findings.map(({ claim, verdict, here }, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a claim may be judged twice
              <li key={n}>
                <Word of={VERDICTS[verdict]} />
                <div>
                  <b>{claim}</b>
                  <p className="muted">{here}</p>
                </div>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <div className="lab-charts">
        {charts.map((xy, number) => (
          <Panel
            key={xy.title}
            title={xy.title}
            aside={
              <a className="btn small" href={filesOf(id).chart(number)} download={fileName(experiment, id, xy.title)}>
                SVG<span className="sr-only"> of {xy.title}</span>
              </a>
            }
          >
            <div className="lab-chart">
              <XyChart xy={xy} height={CHART_HEIGHT} />
            </div>
          </Panel>
        ))}
      </div>
      {report.measures.length > 0 && <Measures measures={report.measures} />}
      {report.tables.map((table) => (
        <Figures key={table.title} table={table} />
      ))}
      {report.notes.length > 0 && (
        <Panel title="Notes">
          <ul className="lab-notes">
            {report.notes.map((note, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a note may be made twice
              <li key={n}>{note}</li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

const WISHED: Record<ExperimentMeasure["better"], string> = {
  more: "more is better",
  less: "less is better",
  neither: "",
};

function Measures({ measures }: { measures: readonly ExperimentMeasure[] }) {
  return (
    <Panel title="Measures">
      <Wide label="Measures">
        <table className="cards">
          <thead>
            <tr>
              <th>Measure</th>
              <th>Unit</th>
              <th className="r">Median</th>
              <th className="r">Least</th>
              <th className="r">Most</th>
              <th className="r">Samples</th>
              <th>Spread</th>
              <th>Wished for</th>
            </tr>
          </thead>
          <tbody>
            {measures.map(({ name, unit, better, median, samples }) => (
              <tr key={name}>
                <td className="title">{name}</td>
                <td className="muted" data-label="Unit">
                  {unit}
                </td>
                <td className="r" data-label="Median">
                  <b>{figure(median)}</b>
                </td>
                <td className="r" data-label="Least">
                  {figure(Math.min(...samples))}
                </td>
                <td className="r" data-label="Most">
                  {figure(Math.max(...samples))}
                </td>
                <td className="r" data-label="Samples">
                  {samples.length}
                </td>
                <td className="whole" data-label="Spread">
                  <Spread samples={samples} median={median} />
                </td>
                <td className="muted whole" data-label="Wished for">
                  {WISHED[better]}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </Panel>
  );
}

const SPREAD = 120;

/** Every sample as a dot, from the least to the most, and the median as a line. */
function Spread({ samples, median }: Pick<ExperimentMeasure, "samples" | "median">) {
  const [least, most] = [Math.min(...samples), Math.max(...samples)];
  if (samples.length < 2) return null;
  const at = (value: number) => 4 + (most > least ? (value - least) / (most - least) : 0.5) * (SPREAD - 8);
  return (
    <svg className="lab-spread" width={SPREAD} height={16} aria-hidden="true">
      {samples.map((value, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: samples have no name but their place
        <circle key={i} cx={at(value)} cy={8} r={2.5} />
      ))}
      <line x1={at(median)} x2={at(median)} y1={1} y2={15} />
    </svg>
  );
}

function Figures({ table: { title, columns, rows } }: { table: ExperimentTable }) {
  const right = columns.map((_, i) => (isFigures(rows.map((row) => row[i] ?? "")) ? "r" : ""));
  return (
    <Panel title={title}>
      <Wide label={title}>
        <table className="cards">
          <thead>
            <tr>
              {columns.map((column, i) => (
                <th key={column} className={right[i]}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name but their place
              <tr key={n}>
                {row.map((cell, i) => (
                  <td key={columns[i]} data-label={columns[i]} className={right[i]}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </Panel>
  );
}
