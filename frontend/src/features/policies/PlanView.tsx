import type { Plan, PolicySet, Predicted } from "@/api/types";
import { policyName } from "@/policy/attribution";
import { Help } from "@/ui/Help";
import { answerText } from "@/ui/parts";
import { Diff } from "./Diff";
import { Figures } from "./Figures";

type Props = { base: PolicySet; set: PolicySet; plan: Plan | undefined; pending: boolean };

/** Shows the plan of a draft: the differences, live limits against planned ones, violations and warnings. */
export function PlanView({ base, set, plan, pending }: Props) {
  const { now, planned, predicted, warnings = [], violations = [] } = plan ?? {};
  return (
    <div className="pol" aria-busy={pending}>
      <h3>Plan</h3>
      <div style={{ marginTop: 8 }}>
        <Diff from={base} to={set} />
      </div>
      {violations.length > 0 && (
        <p className="note bad small" style={{ marginTop: 10 }} role="status">
          {violations.length === 1
            ? "One fault prevents this change"
            : `${violations.length} faults prevent this change`}
          : {violations.map((v) => `${v.pointer} ${v.message}`).join("; ")}
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
      {predicted?.domains.map((domain, i) =>
        i === 0 || changed(domain) ? (
          <Figures
            key={domain.domain}
            title={i === 0 ? `replay of the last ${predicted.seconds} s` : domain.domain}
            actual={domain.actual}
            replayed={domain.replayed}
            testId={i === 0 ? "predicted" : undefined}
          />
        ) : null,
      )}
      {predicted && <p className="faint small">{predicted.load}</p>}
      {warnings.map((warning) => (
        <p key={warning} className="note warn small" style={{ marginTop: 8 }}>
          {warning}
        </p>
      ))}
    </div>
  );
}

/** Whether the replay differs noticeably for a sibling domain. */
function changed({ actual, replayed }: Predicted["domains"][number]): boolean {
  return replayed.refused !== actual.refused || replayed.waitP99Ms > 2 * actual.waitP99Ms + 5;
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
