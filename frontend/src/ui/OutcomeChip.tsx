import type { Outcome } from "@/sql/execution";

export const OUTCOMES: Record<Outcome, { shape: string; label: string; tone: string }> = {
  running: { shape: "▶", label: "running", tone: "acc" },
  complete: { shape: "●", label: "complete", tone: "good" },
  failed: { shape: "■", label: "failed", tone: "bad" },
  refused: { shape: "▲", label: "refused", tone: "warn" },
  cut: { shape: "◆", label: "broken off", tone: "bad" },
  cancelled: { shape: "‖", label: "cancelled", tone: "" },
};

/** How an execution ended, or that it is running. */
export function OutcomeChip({ outcome }: { outcome: Outcome }) {
  const { shape, label, tone } = OUTCOMES[outcome];
  return (
    <span className={`chip ${tone}`}>
      <span aria-hidden="true">{shape}</span> {label}
    </span>
  );
}
