import type { ReplayFigures, ReplayOutcome } from "@/api/types";
import { count, duration } from "@/format/format";

type Misses = ReplayOutcome["fit"]["misses"];

type Row = {
  name: string;
  of: (figures: ReplayFigures) => number;
  show: (value: number) => string;
  /** The figure whose miss tells whether the model can be used for this one. */
  judgedBy: Misses[number]["figure"];
};

const size = (value: number) => value.toFixed(1);
const ROWS: readonly Row[] = [
  { name: "wait p99", of: (f) => f.waitP99Ms, show: duration, judgedBy: "waits" },
  { name: "longest wait", of: (f) => f.waitMaxMs, show: duration, judgedBy: "waits" },
  { name: "refused", of: (f) => f.refused, show: count, judgedBy: "refused" },
  { name: "latency mean", of: (f) => f.meanMs, show: duration, judgedBy: "latency" },
  { name: "latency p99", of: (f) => f.p99Ms, show: duration, judgedBy: "latency" },
  { name: "connections, mean", of: (f) => f.meanSize, show: size, judgedBy: "connections" },
  { name: "connections, most", of: (f) => f.mostSize, show: count, judgedBy: "connections" },
];

type Props = { title: string; outcome: ReplayOutcome; testId?: string };

/**
 * What happened, what the model makes of the set in force, and what it makes of the candidate. Where the model misses what happened,
 * the candidate's figure is struck out.
 */
export function Figures({ title, outcome, testId }: Props) {
  const { actual, baseline, replayed, fit, ceiling } = outcome;
  const usable = new Map(fit.misses.map((miss) => [miss.figure, miss.usable]));
  return (
    <>
      <table className="plan" data-testid={testId}>
        <thead>
          <tr>
            <th>{title}</th>
            <th className="r">actual</th>
            <th className="r">model</th>
            <th className="r">draft</th>
          </tr>
        </thead>
        <tbody>
          {ROWS.map(({ name, of, show, judgedBy }) => {
            const [was, modelled, is] = [show(of(actual)), show(of(baseline)), show(of(replayed))];
            const text = modelled === is ? is : <b>{is}</b>;
            return (
              <tr key={name}>
                <td className="muted">{name}</td>
                <td className="r">{was}</td>
                <td className="r muted">{modelled}</td>
                <td className="r">
                  {usable.get(judgedBy) ? (
                    text
                  ) : (
                    <s className="faint">
                      {is}
                      <span className="sr-only"> (cannot be used)</span>
                    </s>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="small muted">
        {ceiling.least === ceiling.most
          ? `The draft's ceiling is ${ceiling.last} all the time.`
          : `The draft's ceiling goes from ${ceiling.least} to ${ceiling.most}; at the end it is ${ceiling.last}.`}
      </p>
      <p className={`note small ${fit.usable ? "" : "warn"}`}>{fit.sentence}</p>
    </>
  );
}
