import { fieldOf, frozen, instant, instantOf, lengthOf, type Range, spanOf, timeOf } from "@/range/range";
import { serverNow } from "@/stream/browser";
import { useZone } from "@/ui/preferences";
import { COMPARE_OPTIONS } from "./compare";

type Props = {
  range: Range;
  compare: string | undefined;
  onCompare: (compare: string | undefined, range: Range) => void;
};

/** Chooses the earlier range that is drawn beneath. An own one is fixed, and so is then the range beside it. */
export function Compare({ range, compare, onCompare }: Props) {
  const zone = useZone();
  const own = compare !== undefined && !COMPARE_OPTIONS.some(([option]) => option === compare);
  const choose = (option: string) => {
    if (option !== "own") return onCompare(option || undefined, range);
    const fixed = range.kind === "fixed" ? range : frozen(range, serverNow());
    onCompare(instant(spanOf(fixed, serverNow()).from - lengthOf(fixed)), fixed);
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
        </select>
      </span>
      {own && range.kind === "fixed" && (
        <span className="inp">
          <input
            type="datetime-local"
            step={1}
            aria-label="Compare with the range from"
            key={compare}
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
