import { Popover } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { crosshair } from "@/charts/crosshair";
import { serverNow } from "@/stream/browser";
import { Help } from "@/ui/Help";
import { Seg } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import {
  between,
  faultBetween,
  fieldOf,
  frozen,
  LIVE,
  PRESETS,
  type Preset,
  RANGE_OPTIONS,
  type Range,
  said,
  spanOf,
  timeOf,
  zoomedOut,
} from "./range";
import "./range.css";

type FromToProps = { range: Range; onRange: (range: Range) => void };
type Props = FromToProps & {
  log: boolean;
  onLog: (log: boolean) => void;
  /** Explains the other controls, line by line. */
  about?: string;
  /** Between the choice of the range and the axis of the latency. */
  compare: ReactNode;
  /** Other controls of the time bar. */
  children?: ReactNode;
};

const ABOUT = `Freeze keeps what the charts show now; it pauses nothing. Key f on a chart.
Zoom out shows twice the range around its middle. Escape.
Compare needs a range, or frozen charts.`;

/** Chooses what time the charts of a page show. */
export function RangePicker({ range, onRange, log, onLog, about, compare, children }: Props) {
  const zone = useZone();
  const shown = range.kind === "last" ? range.preset : range.kind;
  const choose = (option: string) => onRange(option in PRESETS ? { kind: "last", preset: option as Preset } : LIVE);
  const zoomOut = () => onRange(zoomedOut(range, serverNow()));
  const freeze = () => onRange(frozen(range, serverNow()));
  useKeys((key, onChart) => {
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
      {compare}
      <label className="row log">
        <input type="checkbox" checked={log} onChange={(event) => onLog(event.target.checked)} />
        Log latency
      </label>
      {children}
      <Help label="About the time bar" text={about ? `${ABOUT}\n${about}` : ABOUT} />
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
export function useKeys(onKey: (key: string, onChart: boolean) => void) {
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as Element;
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest(OWN_KEYS)) return;
      if (document.querySelector(OPEN) || crosshair.dragged) return; // Escape ends what is dragged, and no more
      latest.current(event.key, target.closest(".timechart, .heat") !== null);
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
        <button
          type="button"
          className="btn"
          aria-expanded={open}
          onClick={() => {
            setFault(""); // of what was typed before: the fields begin anew
            setOpen(!open);
          }}
        >
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
