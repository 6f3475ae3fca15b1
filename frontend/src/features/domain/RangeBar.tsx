import { Popover } from "@mantine/core";
import { type ComponentProps, type FormEvent, useEffect, useRef, useState } from "react";
import { crosshair } from "@/charts/crosshair";
import { serverNow } from "@/stream/browser";
import { Help } from "@/ui/Help";
import { Seg } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Changes, useMayChange } from "@/ui/role";
import { Annotate } from "./Annotate";
import { Compare } from "./Compare";
import { ExportMenu } from "./ExportMenu";
import {
  between,
  faultBetween,
  fieldOf,
  frozen,
  isStreamed,
  LIVE,
  LIVE_EVENTS,
  PRESETS,
  type Preset,
  pastOf,
  RANGE_OPTIONS,
  type Range,
  said,
  spanOf,
  timeOf,
  zoomedOut,
} from "./range";

type FromToProps = { range: Range; onRange: (range: Range) => void };
type Props = { domain: string; log: boolean; onLog: (log: boolean) => void } & ComponentProps<typeof Compare> &
  FromToProps;

const ABOUT = `Freeze keeps what the charts show now; the pool goes on. Key f on a chart.
Zoom out shows twice the range around its middle. Escape.
Compare needs a range, or frozen charts.
Annotate marks a deploy, a failover or a note on the charts. Key a on a chart, at the crosshair.`;

/** Chooses what time the charts show. */
export function RangeBar({ domain, range, onRange, compare, onCompare, log, onLog }: Props) {
  const zone = useZone();
  const shown = range.kind === "last" ? range.preset : range.kind;
  const choose = (option: string) => onRange(option in PRESETS ? { kind: "last", preset: option as Preset } : LIVE);
  const zoomOut = () => onRange(zoomedOut(range, serverNow()));
  const freeze = () => onRange(frozen(range, serverNow()));
  const mayChange = useMayChange();
  const [marked, setMarked] = useState<number | null>(null);
  const mark = (time: number | null) => setMarked(time ?? spanOf(range, serverNow()).to);
  useKeys((key, onChart) => {
    if (key === "a" && onChart && mayChange) mark(crosshair.time);
    if (key === "Escape" && range.kind === "fixed") zoomOut();
    if (key === "f" && onChart && range.kind !== "fixed") freeze();
  });
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
      {range.kind === "fixed" ? (
        <button type="button" className="btn" onClick={zoomOut}>
          Zoom out
        </button>
      ) : (
        <button type="button" className="btn" onClick={freeze}>
          Freeze
        </button>
      )}
      <Compare range={range} compare={compare} onCompare={onCompare} />
      <label className="row log">
        <input type="checkbox" checked={log} onChange={(event) => onLog(event.target.checked)} />
        Log latency
      </label>
      <Changes>
        <button type="button" className="btn" onClick={() => mark(null)}>
          Annotate
        </button>
        <Annotate
          domain={domain}
          at={marked}
          past={isStreamed(range) ? LIVE_EVENTS : pastOf(range)}
          onClose={() => setMarked(null)}
        />
      </Changes>
      <ExportMenu domain={domain} range={range} />
      <Help label="About the time bar" text={ABOUT} />
      {range.kind === "fixed" && (
        <span className="num" role="status" data-testid="range">
          {said(range, zone)} <span className="faint">{zone === "utc" ? "UTC" : "local time"}</span>
        </span>
      )}
    </div>
  );
}

/** What keeps its own keys. */
const OWN_KEYS = "[role=dialog], [role=menu], input, select, textarea, [contenteditable]";
const OPEN = "[role=dialog], [role=menu], :popover-open";

/** Keys of the page, while nothing is open over it. `onChart` is true if a chart has the focus. */
function useKeys(onKey: (key: string, onChart: boolean) => void) {
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as Element;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest(OWN_KEYS)) return;
      if (document.querySelector(OPEN)) return;
      latest.current(event.key, target.closest(".timechart") !== null);
    };
    window.addEventListener("keydown", press, true);
    return () => window.removeEventListener("keydown", press, true);
  }, []);
}

/** The begin and the end as fields. */
function FromTo({ range, onRange }: FromToProps) {
  const zone = useZone();
  const [open, setOpen] = useState(false);
  const [fault, setFault] = useState("");
  const now = spanOf(range, serverNow());
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [from, to] = ["from", "to"].map((name) => timeOf(String(form.get(name)), zone)) as [number, number];
    const wrong = faultBetween(from, to);
    setFault(wrong);
    if (wrong) return;
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
