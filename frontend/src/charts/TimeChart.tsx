import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { timeText, type Zone } from "@/format/format";
import { loadCode, useRaise } from "@/ui/loadCode";
import { crosshair } from "./crosshair";
import type { Kept } from "./decimate";
import type { Overlay } from "./overlay";
import type { RingBuffer } from "./ringBuffer";
import { ValueTable } from "./ValueTable";
import { type Earlier, sentenceAt, sentenceOf, toldNow } from "./values";

export type Line<C extends string> = Kept<C> & {
  /** What is told of the line under the crosshair and in the table, if it is drawn on top of others. */
  told?: C;
  label: string;
  color: string;
  width?: number;
  dash?: number[];
  stepped?: boolean;
  /** Fill down to zero, or to the line before this one; a token, drawn with `alpha`. */
  fill?: "origin" | "-1";
  fillColor?: string;
  alpha?: number;
  /** Drawn, but left out of the legend and the scale. */
  silent?: boolean;
  /** Not drawn of the earlier range. */
  nowOnly?: boolean;
};

export type TimeSource<C extends string> = {
  series: RingBuffer<C>;
  /** The current right edge of the time axis. */
  until: number;
  spanMs: number;
  /** A line breaks between points that are further apart than this, in ms. */
  gapMs: number;
  /** The service's time: times of a range that is not of today are said with their date. */
  now: number;
};

export type TimeChartProps<C extends string> = {
  label: string;
  lines: readonly Line<C>[];
  source: () => TimeSource<C>;
  earlier?: (() => Earlier<C>) | undefined;
  overlay: () => Overlay;
  format: (value: number) => string;
  zone: Zone;
  height: number;
  leastMax?: number;
  /** What no value exceeds. */
  most?: number;
  whole?: boolean;
  timeAxis?: boolean;
  /** Clips single spikes at the top, with a mark, so that a cap far below them stays readable. */
  clipSpikes?: boolean;
  /** A logarithmic value axis. Zero is not drawn on it. */
  log?: boolean;
  /** What is said where nothing was measured in the range. */
  nothing?: string;
  /** The approximate number of steps of the value axis. */
  yTicks?: number;
  /** Called when an instant is clicked, tapped, or chosen with Enter. */
  onPick?: (time: number) => void;
  /** What that does, as a sentence about Enter says it. */
  picking?: string;
  /** Called with the two ends of the time that was dragged over. */
  onSelect?: (from: number, to: number) => void;
  /** Called with each line's value under the crosshair, by label. Null without a crosshair. */
  onValues?: (values: ReadonlyMap<string, number> | null) => void;
};

/**
 * A line chart over time on a canvas. React mounts it. After that it draws itself from `source`, at the redraw clock's
 * pace, once what draws it (timeCanvas.ts) has arrived: a page that shows a chart does not wait for it. It describes itself in a
 * sentence when it is focused, says the values that the arrow keys visit, and shows all of them as a table on demand.
 */
export function TimeChart<C extends string>(props: TimeChartProps<C>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const description = useRef<HTMLParagraphElement>(null);
  const spoken = useRef<HTMLParagraphElement>(null);
  const nothing = useRef("");
  const descriptionId = useId();
  const [table, setTable] = useState(false);
  const kind =
    props.lines.map((l) => l.column + l.color).join() +
    (props.earlier ? " and earlier" : "") +
    (props.log ? " log" : "");

  const raise = useRaise();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chart is created once per set of lines and reads the newest props through the ref.
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    let stop = () => {};
    let gone = false;
    const onNothing = (said: string) => {
      nothing.current = said;
      describe();
    };
    loadCode(() => import("./timeCanvas")).then(({ drawTimes }) => {
      if (!gone) stop = drawTimes(element, () => latest.current, onNothing);
    }, raise);
    return () => {
      gone = true;
      stop();
    };
  }, [kind]);

  const step = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return; // the button's and the table's own keys
    const { until, spanMs } = latest.current.source();
    const by = { ArrowLeft: -spanMs / 120, ArrowRight: spanMs / 120 }[event.key];
    if (event.key === "Escape") crosshair.set(null);
    if (event.key === "Enter" && crosshair.time !== null) props.onPick?.(crosshair.time);
    if (by === undefined) return;
    event.preventDefault();
    const time = Math.min(until, Math.max(until - spanMs, (crosshair.time ?? until) + by));
    crosshair.set(time);
    if (spoken.current) spoken.current.textContent = valuesAt(latest.current, time);
  };
  const describe = () => {
    const { source, format, onPick, picking = "explains the moment under the crosshair" } = latest.current;
    const explain = onPick ? ` Enter ${picking}.` : "";
    const sentence = nothing.current ? `${nothing.current}.` : sentenceOf(toldNow(latest.current), source(), format);
    if (description.current) description.current.textContent = `${sentence}${explain}`;
  };

  return (
    // Focusable, so that the arrow keys can move the crosshair (biome.json allows it here).
    <div
      className="timechart"
      style={{ height: props.height }}
      role="group"
      aria-label={props.label}
      aria-describedby={descriptionId}
      tabIndex={0}
      onKeyDown={step}
      onFocus={describe}
      onBlur={() => crosshair.set(null)}
    >
      <canvas ref={canvas} />
      <p className="sr-only" id={descriptionId} ref={description} />
      <p className="sr-only" aria-live="polite" ref={spoken} />
      <button type="button" className="btn small values-button" onClick={() => setTable(true)}>
        Values<span className="sr-only"> of {props.label}</span>
      </button>
      <ValueTable
        label={props.label}
        told={() => toldNow(latest.current)}
        span={() => latest.current.source()}
        format={props.format}
        zone={props.zone}
        opened={table}
        onClose={() => setTable(false)}
      />
    </div>
  );
}

/** "12:04:31: p50 3.1 ms, p99 9 ms" */
function valuesAt<C extends string>(props: TimeChartProps<C>, time: number): string {
  const { source, format, zone } = props;
  return `${timeText(time, zone, source())}: ${sentenceAt(toldNow(props), time, format)}`;
}
