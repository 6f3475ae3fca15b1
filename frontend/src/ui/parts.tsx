/** Components that every page uses. */
import type { ReactNode } from "react";
import { useId } from "react";
import { sentence } from "@/api/problem";
import type { Health } from "@/api/types";
import { count, duration } from "@/format/format";
import { Help } from "./Help";
import { shapeOf, toneOf } from "./health";

const TIERS: Record<string, { shape: string; color: string }> = {
  gold: { shape: "▲", color: "var(--gold)" },
  silver: { shape: "■", color: "var(--silver)" },
  bronze: { shape: "●", color: "var(--bronze)" },
};

export function TierMark({ tier }: { tier: string | null | undefined }) {
  const { shape, color } = TIERS[tier ?? ""] ?? { shape: "◇", color: "var(--faint)" };
  return (
    <span className="tier" style={{ color }} aria-hidden="true">
      {shape}
    </span>
  );
}

/** A short word in a box. With help it is a button that opens it. */
export function Chip({ tone = "", help, children }: { tone?: string; help?: string | null; children: ReactNode }) {
  if (!help) return <span className={`chip ${tone}`}>{children}</span>;
  return (
    <Help className={`chip ${tone}`} text={help}>
      {children}
    </Help>
  );
}

type StateProps = { health: Health; label?: string; detail?: string };

/** @param label in place of the state's own @param detail what else is known of it */
export function StateChip({ health, label = health.label, detail }: StateProps) {
  const tone = toneOf(health);
  const help = detail ? `${health.sentence}: ${detail}` : health.sentence;
  return (
    <Chip tone={tone === "quiet" ? "" : tone} help={health.severity === "fine" ? null : help}>
      <span aria-hidden="true">{shapeOf(health)}</span>
      <span>{label}</span>
    </Chip>
  );
}

/** Names the files that manage a policy set. Renders nothing if the set is edited here. */
export function ManagedChip({ managedBy }: { managedBy: string | null | undefined }) {
  if (!managedBy) return null;
  return (
    <Chip help={`The policy set is managed by ${managedBy}, and read-only here`}>
      managed by {managedBy.split(":")[0]}
    </Chip>
  );
}

type PanelProps = { title: ReactNode; aside?: ReactNode; children: ReactNode; className?: string; live?: boolean };

export function Panel({ title, aside, children, className = "", live = false }: PanelProps) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <span className="grow" />
        {aside}
      </header>
      {live ? <div className="live-data">{children}</div> : children}
    </section>
  );
}

type SegProps<T extends string> = {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
  /** It has the focus when the dialog that it is in opens. */
  first?: boolean;
};

/** A segmented control: a choice between a few options, all visible. */
export function Seg<T extends string>({ label, value, options, onChange, first = false }: SegProps<T>) {
  const name = useId();
  return (
    <span className="seg" role="radiogroup" aria-label={label}>
      {options.map(([option, text]) => (
        <label key={option}>
          <input
            type="radio"
            name={name}
            value={option}
            checked={option === value}
            onChange={() => onChange(option)}
            data-autofocus={(first && option === value) || undefined}
          />
          {text}
        </label>
      ))}
    </span>
  );
}

/** A number. Zero is grey. */
export function Num({ value, loud = false }: { value: number | null | undefined; loud?: boolean }) {
  if (!value) return <span className="zero">{count(value)}</span>;
  return loud ? <b className="loud">{count(value)}</b> : count(value);
}

export function Ms({ value, strong = false }: { value: number | null | undefined; strong?: boolean }) {
  if (!value) return <span className="zero">{duration(value)}</span>;
  return strong ? <b>{duration(value)}</b> : duration(value);
}

/** A figure with its name, in a list of such. @param wide: on a narrow screen it has a row for itself */
export function Stat({ label, wide, children }: { label: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? "wide" : undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** An error as a sentence, with a button to try again. */
export function Fault({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div className="note bad row" role="alert">
      <span className="grow">{sentence(error)}</span>
      {retry && (
        <button type="button" className="btn small" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
