import { Popover } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { serverNow } from "@/stream/browser";
import { Seg } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { between, fieldOf, LIVE, PRESETS, type Preset, RANGE_OPTIONS, type Range, said, spanOf, timeOf } from "./range";

type Props = { range: Range; onRange: (range: Range) => void };

/** Chooses what time the charts show. */
export function RangeBar({ range, onRange }: Props) {
  const zone = useZone();
  const shown = range.kind === "last" ? range.preset : range.kind;
  const choose = (option: string) => onRange(option in PRESETS ? { kind: "last", preset: option as Preset } : LIVE);
  return (
    <div className="row wrap range-bar">
      <span className="only-wide">
        <Seg label="Range" value={shown as "live" | Preset} options={RANGE_OPTIONS} onChange={choose} />
      </span>
      <span className="inp only-narrow">
        <select aria-label="Range" value={shown} onChange={(event) => choose(event.target.value)}>
          {RANGE_OPTIONS.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
          {range.kind === "fixed" && (
            <option value="fixed" disabled>
              From … to …
            </option>
          )}
        </select>
      </span>
      <FromTo key={`${shown} ${zone}`} range={range} onRange={onRange} />
      {range.kind === "fixed" && (
        <span className="num" data-testid="range">
          {said(range, zone)} <span className="faint">{zone === "utc" ? "UTC" : "local time"}</span>
        </span>
      )}
    </div>
  );
}

/** The begin and the end as fields. */
function FromTo({ range, onRange }: Props) {
  const zone = useZone();
  const [open, setOpen] = useState(false);
  const [fault, setFault] = useState("");
  const now = spanOf(range, serverNow());
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [from, to] = ["from", "to"].map((name) => timeOf(String(form.get(name)), zone)) as [number, number];
    if (!(from < to)) return setFault("The begin must be before the end.");
    setFault("");
    setOpen(false);
    onRange(between(from, to));
  };
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" withinPortal={false} trapFocus>
      <Popover.Target>
        <button type="button" className="btn" aria-expanded={open} onClick={() => setOpen(!open)}>
          From … to …
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label="From and to">
        <form className="stack from-to" onSubmit={apply}>
          {(["from", "to"] as const).map((name) => (
            <label key={name}>
              <span className="muted">{name === "from" ? "From" : "To"}</span>
              <span className="inp">
                <input
                  type="datetime-local"
                  step={1}
                  required
                  name={name}
                  defaultValue={fieldOf(now[name], zone)}
                  key={open ? "open" : "closed"}
                />
              </span>
            </label>
          ))}
          {fault && (
            <p className="fault" role="alert">
              {fault}
            </p>
          )}
          <span className="row">
            <span className="faint small grow">{zone === "utc" ? "UTC" : "local time"}</span>
            <button type="submit" className="btn pri">
              Show
            </button>
          </span>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
