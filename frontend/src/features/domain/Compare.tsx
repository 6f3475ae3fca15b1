import { useQuery } from "@tanstack/react-query";
import { revisionsQuery, type Scope } from "@/api/policies";
import { stamp } from "@/format/format";
import { fieldOf, frozen, instant, instantOf, lengthOf, type Range, spanOf, timeOf } from "@/range/range";
import { serverNow } from "@/stream/browser";
import { useZone } from "@/ui/preferences";
import { useRested } from "@/ui/rested";
import { COMPARE_OPTIONS, inForce, revisionOf } from "./compare";

type Props = {
  /** Whose revisions are offered. */
  scope: Scope;
  range: Range;
  compare: string | undefined;
  onCompare: (compare: string | undefined, range: Range) => void;
};

/** As many revisions are offered, the newest. */
const MOST = 20;

/** Chooses the earlier range that is drawn beneath. An own one and that of a revision are fixed, and so is then the range beside it. */
export function Compare({ scope, range, compare, onCompare }: Props) {
  const zone = useZone();
  const revision = revisionOf(compare);
  const revisions = useRevisions(scope, range, revision);
  const own = compare !== undefined && revision === null && !COMPARE_OPTIONS.some(([option]) => option === compare);
  const choose = (option: string) => {
    if (option !== "own" && revisionOf(option) === null) return onCompare(option || undefined, range);
    const fixed = range.kind === "fixed" ? range : frozen(range, serverNow());
    const from = spanOf(fixed, serverNow()).from - lengthOf(fixed);
    onCompare(option === "own" ? instant(from) : option, fixed);
  };
  const live = range.kind === "live";
  return (
    <>
      <span className="inp">
        <select
          aria-label="Compare with"
          disabled={live}
          value={live ? "" : own ? "own" : (compare ?? "")}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">Compare with…</option>
          {COMPARE_OPTIONS.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
          <option value="own">from…</option>
          {revisions.length > 0 && (
            <optgroup label={`Policy set of ${scope.name}`}>
              {revisions.map(({ number, until }) => (
                <option key={number} value={`rev:${number}`}>
                  rev {number}
                  {until === null ? ", not in force before" : `, until ${stamp(until, zone)}`}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </span>
      {own && range.kind === "fixed" && (
        <span className="inp">
          <input
            type="datetime-local"
            step={1}
            aria-label="Compare with the range from"
            key={`${compare} ${zone}`}
            defaultValue={fieldOf(instantOf(compare), zone)}
            max={fieldOf(range.from - 1_000, zone)}
            onBlur={(event) => {
              const from = timeOf(event.target.value, zone);
              if (from < range.from && from !== instantOf(compare)) onCompare(instant(from), range);
            }}
          />
        </span>
      )}
    </>
  );
}

/** The revisions that were in force before the range, the newest first, and until when before it. One that is chosen is among them. */
function useRevisions(scope: Scope, range: Range, chosen: number | null) {
  const all = useQuery({ ...revisionsQuery(scope), enabled: useRested() && range.kind !== "live" }).data ?? [];
  const { from } = spanOf(range, serverNow());
  const numbers = [...new Set([...all.map((each) => each.revision), ...(chosen === null ? [] : [chosen])])];
  const before = numbers
    .sort((a, b) => b - a)
    .map((number) => ({ number, until: inForce(number, all, from)?.to ?? null }));
  const offered = before.filter(({ until }) => until !== null).slice(0, MOST);
  return before.filter((each) => offered.includes(each) || each.number === chosen);
}
