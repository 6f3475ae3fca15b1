import type { PoolRow } from "@/stream/schemas";
import { FilterBox } from "@/ui/FilterBox";
import { fits } from "@/ui/findDomains";
import { isTrouble } from "@/ui/health";
import { Seg } from "@/ui/parts";
import { byLabel, type Grouping, labelNames, labelOf } from "./groups";

type Change = { q?: string | undefined; group?: Grouping | undefined };
type Props = { pools: readonly PoolRow[]; q: string | undefined; group: Grouping | undefined } & {
  onChange: (change: Change) => void;
};

/** Chooses what a list of domains shows. The choice stands in the address. */
export function FilterBar({ pools, q = "", group, onChange }: Props) {
  const shown = found(pools, q);
  const troubled = shown.filter((pool) => isTrouble(pool.health)).length;
  return (
    <search className="filters" aria-label="Filter domains">
      <FilterBox label="Filter domains" value={q} onChange={(text) => onChange({ q: text || undefined })} />
      <Groups labels={labelNames(pools)} group={group} onChange={(next) => onChange({ group: next })} />
      <span className="muted" role="status">
        {q === "" ? pools.length : `${shown.length} of ${pools.length}`} {pools.length === 1 ? "domain" : "domains"}
        {troubled > 0 && `, ${troubled} in trouble`}
      </span>
    </search>
  );
}

/** So many labels, with so many letters in all, have room beside the other groups on a narrow screen. */
const FEW = 3;
const SHORT = 24;

type GroupsProps = {
  labels: readonly string[];
  group: Grouping | undefined;
  onChange: (group: Grouping | undefined) => void;
};

/** Chooses the groups, one after another or, if there are many labels, from a list. */
function Groups({ labels, group, onChange }: GroupsProps) {
  const chosen = group && labelOf(group);
  const names = chosen && !labels.includes(chosen) ? [...labels, chosen] : labels;
  const options: (readonly [Grouping | "", string])[] = [
    ["", "no groups"],
    ["database", "database"],
    ["tier", "tier"],
    ...names.map((name) => [byLabel(name), name] as const),
  ];
  const choose = (next: string) => onChange(next === "" ? undefined : (next as Grouping));
  if (names.length <= FEW && names.join("").length <= SHORT)
    return <Seg label="Groups" value={group ?? ""} options={options} onChange={choose} />;
  return (
    <span className="inp">
      <select aria-label="Groups" value={group ?? ""} onChange={(event) => choose(event.target.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}

/** The domains that fit the filter. */
export function found(pools: readonly PoolRow[], q: string | undefined): readonly PoolRow[] {
  return q ? pools.filter((pool) => fits(pool, q)) : pools;
}
