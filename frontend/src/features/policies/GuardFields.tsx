import type { GuardDraft } from "./guard";

type Props = { value: GuardDraft; fault: string | null; onChange: (value: GuardDraft) => void };

/** The fields of a change's guard: whether it has one, and its bounds. */
export function GuardFields({ value, fault, onChange }: Props) {
  const field = (label: string, name: "p99Ms" | "waitP99Ms" | "refusedPercent" | "withinSeconds", unit: string) => (
    <span className="inp" style={{ width: 92 }}>
      <input
        inputMode="decimal"
        aria-label={label}
        placeholder="any"
        value={value[name]}
        onChange={(event) => onChange({ ...value, [name]: event.target.value })}
      />
      <span className="faint">{unit}</span>
    </span>
  );
  return (
    <div className="small" style={{ marginBottom: 8 }}>
      <label className="row" style={{ gap: 6 }}>
        <input
          type="checkbox"
          checked={value.on}
          onChange={(event) => onChange({ ...value, on: event.target.checked })}
        />
        Guard: restore the former set if a bound is exceeded, or try the new one for a time
      </label>
      {value.on && (
        <>
          <div className="row wrap" style={{ gap: 6, marginTop: 6 }}>
            <span className="muted">Take back if p99 is above</span>
            {field("Guard: p99 in milliseconds", "p99Ms", "ms")}
            <span className="muted">or the p99 of waits above</span>
            {field("Guard: p99 of waits in milliseconds", "waitP99Ms", "ms")}
            <span className="muted">or refused above</span>
            {field("Guard: percent refused", "refusedPercent", "%")}
          </div>
          <div className="row wrap" style={{ gap: 6, marginTop: 6 }}>
            <span className="muted">Otherwise, after</span>
            {field("Guard: within seconds", "withinSeconds", "s")}
            <span className="inp">
              <select
                aria-label="Guard: at the end"
                value={value.atEnd}
                onChange={(event) => onChange({ ...value, atEnd: event.target.value as GuardDraft["atEnd"] })}
              >
                <option value="keep">keep the new set</option>
                <option value="restore-unjudged">restore the former one if a bound was not judged</option>
                <option value="restore">restore the former one</option>
              </select>
            </span>
          </div>
        </>
      )}
      {fault && (
        <p style={{ color: "var(--bad)" }} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
