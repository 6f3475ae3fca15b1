import type { ReplayFigures } from "@/api/types";
import { count, duration } from "@/format/format";

type Row = { name: string; of: (figures: ReplayFigures) => number; show: (value: number) => string };

const ROWS: readonly Row[] = [
  { name: "wait p99", of: (f) => f.waitP99Ms, show: duration },
  { name: "longest wait", of: (f) => f.waitMaxMs, show: duration },
  { name: "refused", of: (f) => f.refused, show: count },
  { name: "latency mean", of: (f) => f.meanMs, show: duration },
  { name: "latency p99", of: (f) => f.p99Ms, show: duration },
  { name: "connections, mean", of: (f) => f.meanSize, show: (value) => value.toFixed(1) },
  { name: "connections, most", of: (f) => f.mostSize, show: count },
];

type Props = { title: string; actual: ReplayFigures; replayed: ReplayFigures; testId?: string };

/** Compares the recorded figures with the replayed ones. */
export function Figures({ title, actual, replayed, testId }: Props) {
  return (
    <table className="plan" data-testid={testId}>
      <thead>
        <tr>
          <th>{title}</th>
          <th className="r">actual</th>
          <th className="r">replayed</th>
        </tr>
      </thead>
      <tbody>
        {ROWS.map(({ name, of, show }) => {
          const [was, is] = [show(of(actual)), show(of(replayed))];
          return (
            <tr key={name}>
              <td className="muted">{name}</td>
              <td className="r">{was}</td>
              <td className="r">{was === is ? is : <b>{is}</b>}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
