import type { ReplayFigures, ReplayOutcome } from "@/api/types";
import { count, duration } from "@/format/format";
import { missOf } from "@/policy/replayed";

type Miss = ReplayOutcome["fit"]["misses"][number];

type Row = {
  name: string;
  of: (figures: ReplayFigures) => number;
  show: (value: number) => string;
  /** Whose miss tells whether the model can be used for this figure. */
  miss: Miss["figure"];
};

const size = (value: number) => value.toFixed(1);
const ROWS: readonly Row[] = [
  { name: "wait p99", of: (f) => f.waitP99Ms, show: duration, miss: "waits" },
  { name: "longest wait", of: (f) => f.waitMaxMs, show: duration, miss: "longest-wait" },
  { name: "refused", of: (f) => f.refused, show: count, miss: "refused" },
  { name: "latency mean", of: (f) => f.meanMs, show: duration, miss: "latency" },
  { name: "latency p95", of: (f) => f.p95Ms, show: duration, miss: "latency-p95" },
  { name: "latency p99", of: (f) => f.p99Ms, show: duration, miss: "latency-p99" },
  { name: "connections, mean", of: (f) => f.meanSize, show: size, miss: "connections" },
  { name: "connections, most", of: (f) => f.mostSize, show: count, miss: "most-connections" },
];

type Props = {
  title: string;
  outcome: ReplayOutcome;
  /** How the draft is called, such as one that was edited since. */
  candidate?: string;
  testId?: string;
};

/**
 * What happened, what the model makes of the set in force, and what it makes of the candidate. Where the model misses what happened,
 * the candidate's figure is struck out.
 */
export function Figures({ title, outcome, candidate = "draft", testId }: Props) {
  const { actual, baseline, replayed, fit, ceiling } = outcome;
  return (
    <>
      <table className="plan" data-testid={testId}>
        <thead>
          <tr>
            <th>{title}</th>
            <th className="r">actual</th>
            <th className="r">model</th>
            <th className="r">{candidate}</th>
          </tr>
        </thead>
        <tbody>
          {ROWS.map(({ name, of, show, miss }) => {
            const [was, modelled, is] = [show(of(actual)), show(of(baseline)), show(of(replayed))];
            const text = modelled === is ? is : <b>{is}</b>;
            return (
              <tr key={name}>
                <td className="muted">{name}</td>
                <td className="r">{was}</td>
                <td className="r muted">{modelled}</td>
                <td className="r">
                  {missOf(outcome, miss)?.usable ? (
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
          ? `The ${candidate}'s ceiling is ${ceiling.last} all the time.`
          : `The ${candidate}'s ceiling goes from ${ceiling.least} to ${ceiling.most}; at the end it is ${ceiling.last}.`}
      </p>
      <p className={`note small ${fit.usable ? "" : "warn"}`}>{fit.sentence}</p>
    </>
  );
}
