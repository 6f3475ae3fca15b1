import type { UseQueryResult } from "@tanstack/react-query";
import type { usePrediction } from "@/api/rehearsal";
import type { Plan, PolicySet, ReplayOutcome } from "@/api/types";
import { answerText } from "@/policy/answer";
import { policyName } from "@/policy/attribution";
import { Help } from "@/ui/Help";
import { Fault } from "@/ui/parts";
import { Diff } from "./Diff";
import { Faults } from "./Faults";
import { Figures } from "./Figures";

type Props = {
  base: PolicySet;
  set: PolicySet;
  plan: Pick<UseQueryResult<Plan>, "data" | "isFetching" | "isError" | "error" | "refetch">;
  prediction: ReturnType<typeof usePrediction>;
  onForm: () => void;
};

/** Shows the plan of a draft: the differences, live limits against planned ones, violations, warnings, and what is predicted. */
export function PlanView({ base, set, plan, prediction, onForm }: Props) {
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
              <th className="r">plan</th>
            </tr>
          </thead>
          <tbody>
            <Line name="floor" live={now?.floor} plan={planned.floor} />
            <Line name="ceiling" live={now?.ceiling} plan={planned.ceiling} />
            {(planned.answers ?? []).map((answer) => (
              <tr key={answer.policy}>
                <td className="muted">
                  {policyName(answer.policy)}{" "}
                  {answer.reason && <Help label={`Why ${policyName(answer.policy)} answers so`} text={answer.reason} />}
                </td>
                <td />
                <td className="r">{answerText(answer)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="note warn small" style={{ marginTop: 8 }}>
          {warning}
        </p>
      ))}
      {plan.data && violations.length === 0 && <Prediction prediction={prediction} />}
    </div>
  );
}

function Prediction({ prediction }: Pick<Props, "prediction">) {
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
  if (!data) return <p style={{ marginTop: 10 }}>{again}</p>;
  const counted = data.seconds - data.settlingSeconds;
  return (
    <>
      {data.domains.map((outcome, i) =>
        i === 0 || changed(outcome) ? (
          <Figures
            key={outcome.domain}
            title={i === 0 ? `replay of the last ${counted} s` : outcome.domain}
            outcome={outcome}
            testId={i === 0 ? "predicted" : undefined}
          />
        ) : null,
      )}
      <p className="faint small">{data.load}</p>
      {again}
    </>
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
