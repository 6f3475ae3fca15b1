import {
  Chart,
  type ChartDataset,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
} from "chart.js";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { timeText, type Zone } from "@/format/format";
import { token } from "./colors";
import { crosshair } from "./crosshair";
import { decimate, type Kept, measureOf, type Point } from "./decimate";
import { type Overlay, overlayPlugin, STRIP } from "./overlay";
import { whileVisible } from "./redraw";
import type { RingBuffer } from "./ringBuffer";
import { selecting } from "./selecting";
import { type LogAxis, logAxis, robustMax, steadyAxis, timeTicks, type ValueAxis } from "./timeAxis";
import { ValueTable } from "./ValueTable";
import { type Earlier, sentenceAt, sentenceOf, shifted, toldOf, valueAt } from "./values";

Chart.register(LineController, LineElement, PointElement, LinearScale, LogarithmicScale, Filler);

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

type Props<C extends string> = {
  label: string;
  lines: readonly Line<C>[];
  source: () => TimeSource<C>;
  earlier?: (() => Earlier<C>) | undefined;
  overlay: () => Overlay;
  format: (value: number) => string;
  zone: Zone;
  height: number;
  leastMax?: number;
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
  /** Called with the two ends of the time that was dragged over. */
  onSelect?: (from: number, to: number) => void;
  /** Called with each line's value under the crosshair, by label. Null without a crosshair. */
  onValues?: (values: ReadonlyMap<string, number> | null) => void;
};

const AXIS_WIDTH = 52;
const TIMES_PADDING = 3;

/**
 * A line chart over time on a canvas. React mounts it. After that it draws itself from `source`, at the redraw clock's
 * pace. It describes itself in a sentence when it is focused, says the values that the arrow keys visit, and shows all of
 * them as a table on demand.
 */
export function TimeChart<C extends string>(props: Props<C>) {
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: the chart is created once per set of lines and reads the newest props through the ref.
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const points: Point[][] = props.lines.map(() => []);
    const compared = props.earlier ? props.lines.filter((line) => !line.nowOnly) : [];
    const earlierSets = compared.map((line) => earlierDataset(line));
    let shown: ValueAxis | undefined;
    let shownLog: LogAxis | undefined;
    let lastSeries: unknown;
    const chart = new Chart(element, {
      type: "line",
      data: { datasets: [...props.lines.map((line, i) => dataset(line, points[i] as Point[])), ...earlierSets] },
      plugins: [
        overlayPlugin({
          overlay: () => latest.current.overlay(),
          timeText: (time) => timeText(time, latest.current.zone, latest.current.source()),
          nothing: () => nothing.current,
        }),
      ],
      options: {
        animation: false,
        parsing: false,
        normalized: true,
        responsive: true,
        maintainAspectRatio: false,
        events: [],
        layout: { padding: { top: 4, right: 2 } },
        elements: { point: { radius: 0 } },
        scales: {
          x: {
            type: "linear",
            border: { display: false },
            grid: { display: false, tickLength: props.timeAxis === false ? 8 : STRIP - TIMES_PADDING },
            ticks: {
              padding: TIMES_PADDING,
              display: props.timeAxis ?? true,
              autoSkip: false,
              maxRotation: 0,
              font: { size: 11, family: '"Inter Variable", system-ui, sans-serif' },
              callback: (_, index, ticks) => (ticks[index] as { label?: string } | undefined)?.label ?? "",
            },
            // No padding for labels that extend past the edge: the plot's width would change with every tick.
            afterFit: (axis) => {
              axis.paddingLeft = axis.paddingRight = 0;
            },
            afterBuildTicks: (axis) => {
              const width = axis.width || 400;
              const edge = ((axis.max - axis.min) * 26) / width;
              axis.ticks = timeTicks(axis.min, axis.max, width, latest.current.zone).filter(
                (t) => t.value <= axis.max - edge,
              );
            },
          },
          y: {
            type: props.log ? "logarithmic" : "linear",
            ...(props.log ? {} : { min: 0 }),
            afterBuildTicks: (axis) => {
              if (shownLog) axis.ticks = shownLog.ticks.map((value) => ({ value }));
            },
            border: { display: false },
            afterFit: (axis) => {
              axis.width = AXIS_WIDTH;
            },
            grid: { drawTicks: false, lineWidth: 1 },
            ticks: {
              autoSkip: false,
              padding: 8,
              font: { size: 11, family: '"Inter Variable", system-ui, sans-serif' },
              callback: (value) => latest.current.format(Number(value)),
            },
          },
        },
      },
    });

    const draw = () => {
      const { source, lines, leastMax } = latest.current;
      const { series, until, spanMs, gapMs } = source();
      if (lastSeries !== series) {
        shown = shownLog = undefined;
        lastSeries = series;
      }
      const from = until - spanMs;
      // The lines are sorted from the lowest to the highest statistic.
      const highest = lines.at(-1)?.column;
      // Buckets are at least one second: a percentile of fewer samples has no meaning.
      const buckets = Math.min(spanMs / 1000, Math.max(60, Math.floor((chart.chartArea?.width ?? 400) / 1.5)));
      let max = 0;
      let least = Number.POSITIVE_INFINITY;
      const shownValues: number[] = [];
      lines.forEach((line, i) => {
        const data = decimate(series, measureOf(series, line), from, until, buckets, points[i] as Point[]);
        if (!line.silent)
          for (const point of data) {
            if (point.x < from) continue;
            if (point.y > max) max = point.y;
            if (point.y > 0 && point.y < least) least = point.y;
            if (line.column === highest) shownValues.push(point.y);
          }
        const set = chart.data.datasets[i] as ChartDataset<"line">;
        set.spanGaps = Math.max(gapMs, (2.5 * spanMs) / buckets);
        paint(set, line);
      });
      const isEmpty = series.indexAt(from) < series.length && !points.some((line) => line.some(({ x }) => x >= from));
      const unsaid = isEmpty ? (latest.current.nothing ?? "Nothing measured in this range") : "";
      if (unsaid !== nothing.current) {
        nothing.current = unsaid;
        describe();
      }
      const earlier = latest.current.earlier?.();
      if (earlier)
        compared.forEach((line, i) => {
          const set = earlierSets[i] as ChartDataset<"line">;
          const data = decimate(
            shifted(earlier),
            measureOf(earlier.series, line),
            from,
            until,
            buckets,
            set.data as Point[],
          );
          for (const { x, y } of data) {
            if (x < from) continue;
            if (y > max) max = y;
            if (y > 0 && y < least) least = y;
            if (line.column === highest) shownValues.push(y);
          }
          set.spanGaps = Math.max(earlier.gapMs, (2.5 * spanMs) / buckets);
          set.borderColor = withAlpha(token(line.color), 0.5);
        });
      let cap = 0;
      const overlay = latest.current.overlay();
      for (const { points } of overlay.traces ?? [])
        for (const point of points) {
          if (point.x < from) continue;
          max = Math.max(max, point.y);
          shownValues.push(point.y);
        }
      for (const { y } of overlay.caps ?? []) cap = Math.max(cap, y);
      if (latest.current.log) shownLog = logAxis(shownLog, cap > 0 ? Math.min(least, cap) : least, Math.max(max, cap));
      max = latest.current.clipSpikes ? robustMax(shownValues, cap) : Math.max(max, cap);
      shown = steadyAxis(shown, max, latest.current.yTicks ?? 3, leastMax, latest.current.whole);
      const x = chart.options.scales!.x as { min?: number; max?: number; ticks: { color?: string } };
      const y = chart.options.scales!.y as {
        min?: number;
        max?: number;
        ticks: { color?: string; stepSize?: number };
        grid: { color?: string };
      };
      x.min = from;
      x.max = until;
      x.ticks.color = y.ticks.color = token("--faint-text");
      y.grid.color = token("--grid");
      y.max = shownLog?.max ?? shown.max;
      if (shownLog) y.min = shownLog.min;
      else y.ticks.stepSize = shown.step;
      chart.update("none");
      element.dataset.from = String(Math.round(from));
      element.dataset.until = String(Math.round(until));
      element.dataset.scale = chart.scales.y?.type;
      element.dataset.rows = String(series.length);
    };
    const stopDrawing = whileVisible(element, draw);

    const showValues = () => {
      chart.draw();
      const { onValues } = latest.current;
      const time = crosshair.time;
      onValues?.(time === null ? null : new Map(told(latest.current).map((each) => [each.label, valueAt(each, time)])));
    };
    const stopListening = crosshair.listen(showValues);
    const timeAt = (offset: number, clamped: boolean) => {
      const { chartArea: area } = chart;
      if (!area || (!clamped && (offset < area.left || offset > area.right))) return null;
      return chart.scales.x?.getValueForPixel(Math.min(area.right, Math.max(area.left, offset))) ?? null;
    };
    const move = (event: PointerEvent) => crosshair.set(timeAt(event.offsetX, false));
    const stopSelecting = selecting(element, {
      timeAt,
      onPick: () => latest.current.onPick,
      onSelect: () => latest.current.onSelect,
    });
    const leave = () => crosshair.set(null);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerleave", leave);
    return () => {
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerleave", leave);
      stopSelecting();
      stopListening();
      stopDrawing();
      chart.destroy();
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
    const { source, format, onPick } = latest.current;
    const explain = onPick ? " Enter explains the moment under the crosshair." : "";
    const sentence = nothing.current ? `${nothing.current}.` : sentenceOf(told(latest.current), source(), format);
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
        told={() => told(latest.current)}
        span={() => latest.current.source()}
        format={props.format}
        zone={props.zone}
        opened={table}
        onClose={() => setTable(false)}
      />
    </div>
  );
}

const told = <C extends string>({ lines, source, earlier, overlay }: Props<C>) =>
  toldOf(lines, source(), earlier?.(), overlay());

/** "12:04:31: p50 3.1 ms, p99 9 ms" */
function valuesAt<C extends string>(props: Props<C>, time: number): string {
  const { source, format, zone } = props;
  return `${timeText(time, zone, source())}: ${sentenceAt(told(props), time, format)}`;
}

function dataset<C extends string>(line: Line<C>, data: Point[]): ChartDataset<"line"> {
  return {
    data,
    label: line.label,
    borderWidth: line.width ?? 1.5,
    borderDash: line.dash,
    borderJoinStyle: "round",
    pointRadius: 0,
    stepped: line.stepped ? "before" : false,
    fill: line.fill ?? false,
    spanGaps: 2_500,
  };
}

/** Thinner and paler, and beneath: of a higher order. */
function earlierDataset<C extends string>(line: Line<C>): ChartDataset<"line"> {
  return { ...dataset(line, []), borderWidth: 1, fill: false, order: 1 };
}

function paint<C extends string>(set: ChartDataset<"line">, line: Line<C>): void {
  set.borderColor = line.width === 0 ? "transparent" : token(line.color);
  if (line.fill) set.backgroundColor = withAlpha(token(line.fillColor ?? line.color), line.alpha ?? 1);
}

function withAlpha(color: string, alpha: number): string {
  if (alpha === 1 || !color.startsWith("#")) return color;
  return `${color}${Math.round(alpha * 255)
    .toString(16)
    .padStart(2, "0")}`;
}
