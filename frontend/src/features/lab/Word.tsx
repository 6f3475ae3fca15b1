import type { ReactNode } from "react";

/** A state, a verdict or an outcome: a shape and a word in a box. */
export function Word({ of: { shape, label, tone } }: { of: { shape: string; label: string; tone: string } }) {
  return (
    <span className={`chip ${tone}`}>
      <span aria-hidden="true">{shape}</span> {label}
    </span>
  );
}

/** A table that scrolls sideways where it is too wide. */
export function Wide({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className="scroll-x" aria-label={`Table: ${label}`} tabIndex={0}>
      {children}
    </section>
  );
}
