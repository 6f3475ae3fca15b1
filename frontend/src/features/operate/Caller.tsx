import type { LeaseCaller } from "@/api/types";
import { KINDS, nameOf, originOf } from "@/format/callers";

/** Who it is, and below what else is known. */
export function Caller({ caller }: { caller: LeaseCaller }) {
  return (
    <span className="caller">
      <b>{nameOf(caller)}</b>
      <span className="muted small">{originOf(caller)}</span>
    </span>
  );
}

export function Kind({ caller }: { caller: LeaseCaller }) {
  return <span className="chip">{KINDS[caller.kind]}</span>;
}
