import { useCallback, useRef } from "react";
import type { PoolRow } from "@/stream/schemas";
import { FilterBox } from "@/ui/FilterBox";
import { fits, GROUPINGS, type Grouping } from "@/ui/findDomains";
import { isTrouble } from "@/ui/health";
import { Seg } from "@/ui/parts";

type Change = { q?: string | undefined; group?: Grouping | undefined };
type Props = { pools: readonly PoolRow[]; q: string | undefined; group: Grouping | undefined } & {
  onChange: (change: Change) => void;
};

const OPTIONS = [["", "no groups"], ...GROUPINGS.map((each) => [each, each] as const)] as const;

/** Chooses what a list of domains shows. The choice stands in the address. */
export function FilterBar({ pools, q = "", group, onChange }: Props) {
  const latest = useRef(onChange);
  latest.current = onChange;
  const onText = useCallback((text: string) => latest.current({ q: text === "" ? undefined : text }), []);
  const shown = found(pools, q);
  const troubled = shown.filter((pool) => isTrouble(pool.health)).length;
  return (
    <search className="filters" aria-label="Filter domains">
      <FilterBox label="Filter domains" value={q} onChange={onText} />
      <Seg<Grouping | "">
        label="Groups"
        value={group ?? ""}
        options={OPTIONS}
        onChange={(next) => onChange({ group: next === "" ? undefined : next })}
      />
      <span className="muted" role="status">
        {q === "" ? `${pools.length} domains` : `${shown.length} of ${pools.length} domains`}
        {troubled > 0 && `, ${troubled} in trouble`}
      </span>
    </search>
  );
}

/** The domains that fit the filter. */
export function found(pools: readonly PoolRow[], q: string | undefined): readonly PoolRow[] {
  return q ? pools.filter((pool) => fits(pool, q)) : pools;
}
