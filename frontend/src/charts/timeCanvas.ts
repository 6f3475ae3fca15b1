/**
 * Draws a time chart with Chart.js. This is most of the code of a page with charts and no part of what is read first, so TimeChart
 * loads it when it is on the page.
 */
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
import { timeText } from "@/format/format";
import { token } from "./colors";
import { crosshair } from "./crosshair";
import { decimate, measureOf, type Point } from "./decimate";
import { overlayPlugin, STRIP } from "./overlay";
import { whileVisible } from "./redraw";
import { selecting } from "./selecting";
import type { Line, TimeChartProps } from "./TimeChart";
import { type LogAxis, logAxis, robustMax, steadyAxis, timeTicks, type ValueAxis } from "./timeAxis";
import { shifted, toldNow, valueAt } from "./values";

Chart.register(LineController, LineElement, PointElement, LinearScale, LogarithmicScale, Filler);

const AXIS_WIDTH = 52;
const TIMES_PADDING = 3;

/**
 * Draws on a canvas until the function that it returns is called. Which lines there are, and which axes, is decided once; all else
 * is read with each drawing.
 *
 * @param onNothing called with what is said in place of lines, and with "" when there are some again
 */
export function drawTimes<C extends string>(
  element: HTMLCanvasElement,
  latest: () => TimeChartProps<C>,
  onNothing: (said: string) => void,
): () => void {
  const first = latest();
  let nothing = "";
  const points: Point[][] = first.lines.map(() => []);
  const compared = first.earlier ? first.lines.filter((line) => !line.nowOnly) : [];
  const earlierSets = compared.map((line) => earlierDataset(line));
  let shown: ValueAxis | undefined;
  let shownLog: LogAxis | undefined;
  let lastSeries: unknown;
  /** Made when it is first drawn: many charts of a long page are never seen. */
  let made: Chart | undefined;
  const make = () =>
    new Chart(element, {
      type: "line",
      data: { datasets: [...first.lines.map((line, i) => dataset(line, points[i] as Point[])), ...earlierSets] },
      plugins: [
        overlayPlugin({
          overlay: () => latest().overlay(),
          timeText: (time) => timeText(time, latest().zone, latest().source()),
          nothing: () => nothing,
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
            grid: { display: false, tickLength: first.timeAxis === false ? 8 : STRIP - TIMES_PADDING },
            ticks: {
              padding: TIMES_PADDING,
              display: first.timeAxis ?? true,
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
              axis.ticks = timeTicks(axis.min, axis.max, width, latest().zone).filter(
                (t) => t.value <= axis.max - edge,
              );
            },
          },
          y: {
            type: first.log ? "logarithmic" : "linear",
            ...(first.log ? {} : { min: 0 }),
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
              callback: (value) => latest().format(Number(value)),
            },
          },
        },
      },
    });

  const draw = () => {
    made ??= make();
    const chart = made;
    const { source, lines, leastMax } = latest();
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
    const unsaid = isEmpty ? (latest().nothing ?? "Nothing measured in this range") : "";
    if (unsaid !== nothing) {
      nothing = unsaid;
      onNothing(nothing);
    }
    const earlier = latest().earlier?.();
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
    const overlay = latest().overlay();
    for (const { points } of overlay.traces ?? [])
      for (const point of points) {
        if (point.x < from) continue;
        max = Math.max(max, point.y);
        shownValues.push(point.y);
      }
    for (const { y } of overlay.caps ?? []) cap = Math.max(cap, y);
    if (latest().log) shownLog = logAxis(shownLog, cap > 0 ? Math.min(least, cap) : least, Math.max(max, cap));
    max = latest().clipSpikes ? robustMax(shownValues, cap) : Math.max(max, cap);
    shown = steadyAxis(shown, max, latest().yTicks ?? 3, leastMax, latest().whole, latest().most);
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
    element.dataset.plot = `${chart.chartArea.left} ${chart.chartArea.right}`;
    element.dataset.scale = chart.scales.y?.type;
    element.dataset.rows = String(series.length);
  };
  const picture = () => {
    const { series, until, spanMs } = latest().source();
    return { until, spanMs, width: made?.chartArea?.width ?? 400, of: [latest(), series] };
  };
  const stopDrawing = whileVisible(element, draw, picture);

  const showValues = () => {
    made?.draw();
    const { onValues } = latest();
    const time = crosshair.time;
    onValues?.(time === null ? null : new Map(toldNow(latest()).map((each) => [each.label, valueAt(each, time)])));
  };
  const stopListening = crosshair.listen(showValues);
  const timeAt = (offset: number, clamped: boolean) => {
    const area = made?.chartArea;
    if (!area || (!clamped && (offset < area.left || offset > area.right))) return null;
    return made?.scales.x?.getValueForPixel(Math.min(area.right, Math.max(area.left, offset))) ?? null;
  };
  const move = (event: PointerEvent) => crosshair.set(timeAt(event.offsetX, false));
  const stopSelecting = selecting(element, {
    timeAt,
    onPick: () => latest().onPick,
    onSelect: () => latest().onSelect,
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
    made?.destroy();
  };
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
