import type { PolicySet } from "@/api/types";
import { wholeNumber } from "@/format/wholeNumber";
import { Field, TextField } from "@/ui/Field";
import { WHEN_EXHAUSTED } from "./faultPlace";

type WhenExhausted = NonNullable<PolicySet["whenExhausted"]>;
type Props = {
  value: PolicySet["whenExhausted"];
  base: PolicySet["whenExhausted"];
  faultAt: (pointer: string) => string | undefined;
  onChange: (value: WhenExhausted) => void;
};

const MODES = [
  ["queue", "waits in a queue", "In order, for the longest wait at most."],
  ["fail", "fails", "At once."],
  ["reject", "is rejected", "Before any work is done for the caller."],
] as const;

/** Edits what happens to a request that finds no free connection. */
export function WhenExhaustedFields({ value, base, faultAt, onChange }: Props) {
  const mode = value?.mode ?? "queue";
  // Text that is no number stays as it is: the draft has a fault then.
  const number = (text: string) => (text.trim() === "" ? null : (wholeNumber(text) ?? (text as unknown as number)));
  const was = (name: keyof WhenExhausted) =>
    value?.[name] !== base?.[name] ? String(base?.[name] ?? "unset") : undefined;
  return (
    <section className="pol" aria-label="When exhausted">
      <h3>When exhausted</h3>
      <Field
        label={WHEN_EXHAUSTED.mode}
        name="mode"
        help={MODES.find(([name]) => name === mode)?.[2]}
        was={was("mode")}
        fault={faultAt("/mode")}
      >
        {(props) => (
          <select
            {...props}
            value={mode}
            onChange={(event) => {
              const next = event.target.value as WhenExhausted["mode"];
              onChange(
                next === "queue"
                  ? { timeoutMs: base?.timeoutMs ?? null, depth: base?.depth ?? null, mode: next }
                  : { timeoutMs: null, depth: null, mode: next },
              );
            }}
          >
            {MODES.map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        )}
      </Field>
      {mode === "queue" && (
        <>
          <TextField
            label={WHEN_EXHAUSTED.timeoutMs}
            name="timeoutMs"
            inputMode="decimal"
            value={value?.timeoutMs ?? ""}
            was={was("timeoutMs")}
            fault={faultAt("/timeoutMs")}
            onChange={(event) => onChange({ mode, depth: value?.depth ?? null, timeoutMs: number(event.target.value) })}
          />
          <TextField
            label={WHEN_EXHAUSTED.depth}
            name="depth"
            inputMode="numeric"
            value={value?.depth ?? ""}
            was={was("depth")}
            fault={faultAt("/depth")}
            onChange={(event) =>
              onChange({ mode, timeoutMs: value?.timeoutMs ?? null, depth: number(event.target.value) })
            }
          />
        </>
      )}
    </section>
  );
}
