import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { usePrediction } from "@/api/rehearsal";
import type { Plan, PolicySet, ReplayOutcome } from "@/api/types";
import { whenText } from "@/format/format";
import { answerAt, answerText, placed } from "@/policy/answer";
import { policyName } from "@/policy/attribution";
import type { Statistic } from "@/policy/summary";
import { serverNow } from "@/stream/browser";
import { Help } from "@/ui/Help";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Diff } from "./Diff";
import { DrawnReplay } from "./DrawnReplay";
import { subject } from "./draft";
import { Faults } from "./Faults";
import { Figures } from "./Figures";

type Props = {
  base: PolicySet;
  set: PolicySet;
  plan: Pick<UseQueryResult<Plan>, "data" | "isFetching" | "isError" | "error" | "refetch">;
  prediction: ReturnType<typeof usePrediction>;
  /** Whether they are of the draft as it is, and not as it was before the last change. */
  isPlanned: boolean;
  isPredicted: boolean;
  /** Of the latency, to be drawn. */
  statistics: readonly Statistic[];
  onForm: () => void;
};

/**
 * Shows the plan of a draft: the differences, live limits against planned ones, violations, warnings, and what is predicted. While the
 * draft is edited, what is known of it before is named so.
 */
export function PlanView({ base, set, plan, isPlanned, prediction, isPredicted, statistics, onForm }: Props) {
  const { now, planned, warnings = [], violations = [] } = plan.data ?? {};
  return (
    <div className="pol" aria-busy={plan.isFetching}>
      <h3>Plan</h3>
      <div style={{ marginTop: 8 }}>
        <Diff from={base} to={set} />
      </div>
      {plan.isError && <Fault error={plan.error} retry={() => void plan.refetch()} />}
      {violations.length > 0 && (
        <p className="note bad small" style={{ marginTop: 10 }} role="status">
          {violations.length === 1
            ? "One fault prevents this change"
            : `${violations.length} faults prevent this change`}
          : <Faults set={set} violations={violations} onForm={onForm} />
        </p>
      )}
      {planned && violations.length === 0 && (
        <table className="plan" data-testid="plan">
          <thead>
            <tr>
              <th>limits under the current load</th>
              <th className="r">live</th>
              <th className="r">{isPlanned ? "plan" : "earlier draft"}</th>
            </tr>
          </thead>
          <tbody>
            <Line name="floor" live={now?.floor} plan={planned.floor} />
            <Line name="ceiling" live={now?.ceiling} plan={planned.ceiling} />
            {placed(planned.answers ?? []).map(({ answer, place }) => {
              const name = subject(policyName(answer.policy), place);
              const live = answerAt(now?.answers ?? [], answer.policy, place);
              const [is, becomes] = [live ? answerText(live) : "–", answerText(answer)];
              return (
                <tr key={name}>
                  <td className="muted">
                    {name} {answer.reason && <Help label={`Why ${name} answers so`} text={answer.reason} />}
                  </td>
                  <td className="r">{is}</td>
                  <td className="r">{is === becomes ? becomes : <b>{becomes}</b>}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="note warn small" style={{ marginTop: 8 }}>
          {warning}
        </p>
      ))}
      {plan.data && violations.length === 0 && (
        <Prediction prediction={prediction} isPredicted={isPredicted} statistics={statistics} />
      )}
    </div>
  );
}

function Prediction({ prediction, isPredicted, statistics }: Pick<Props, "prediction" | "isPredicted" | "statistics">) {
  const zone = useZone();
  const { data, progress, isFetching, isError, error, cancel, refetch } = prediction;
  const again = (
    <button type="button" className="btn small" onClick={() => void refetch()}>
      Predict
    </button>
  );
  if (isFetching)
    return (
      <div className="row small" style={{ gap: 8, marginTop: 10 }} role="status">
        <span className="muted">Replays the last seconds under this draft…</span>
        <progress aria-label="Progress of the prediction" value={progress.share} max={1} style={{ width: 70 }} />
        <button type="button" className="btn small" onClick={cancel}>
          Cancel
        </button>
      </div>
    );
  if (isError) return <Fault error={error} retry={() => void refetch()} />;
  if (!data)
    return (
      <p style={{ marginTop: 10 }}>{isPredicted ? again : <span className="muted small">Predicts shortly…</span>}</p>
    );
  const until = whenText(Date.parse(data.from) + 1_000 * data.seconds, zone, serverNow());
  const candidate = isPredicted ? "draft" : "earlier draft";
  const shown = data.domains.filter((outcome, i) => i === 0 || changed(outcome));
  return (
    <>
      {shown.map((outcome, i) => (
        <Figures
          key={outcome.domain}
          title={i === 0 ? `replay of ${data.seconds - data.settlingSeconds} s until ${until}` : outcome.domain}
          outcome={outcome}
          candidate={candidate}
          testId={i === 0 ? "predicted" : undefined}
        />
      ))}
      <SecondBySecond>
        {() =>
          shown.map((outcome) => (
            <DrawnReplay
              key={outcome.domain}
              outcome={outcome}
              settling={data.settlingSeconds}
              statistics={statistics}
              candidate={candidate}
            />
          ))
        }
      </SecondBySecond>
      <p className="faint small">{data.load}</p>
      {again}
    </>
  );
}

/** Charts of the prediction, drawn once they are asked for. */
function SecondBySecond({ children }: { children: () => ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="small" style={{ marginTop: 6 }} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Second by second</summary>
      {open && children()}
    </details>
  );
}

/** Whether the draft changes something noticeable for a sibling domain. */
function changed({ baseline, replayed }: ReplayOutcome): boolean {
  return replayed.refused !== baseline.refused || replayed.waitP99Ms > 2 * baseline.waitP99Ms + 5;
}

function Line({
  name,
  live,
  plan,
}: {
  name: string;
  live: number | null | undefined;
  plan: number | null | undefined;
}) {
  return (
    <tr>
      <td>{name}</td>
      <td className="r">{live ?? "–"}</td>
      <td className="r">{live === plan ? (plan ?? "–") : <b>{plan ?? "–"}</b>}</td>
    </tr>
  );
}
