import type { Chart, ChartDataset, Plugin } from "chart.js";
import { token } from "./colors";
import { crosshair } from "./crosshair";
import { alone, type Point } from "./decimate";
import { labelBaseline, type Mark, placeEnds, placeLabels, placeNames, placeTime, touched } from "./marks";

/** Draws over the data what explains it: caps, named limits, revisions, alarms and annotations. */
export type Overlay = {
  /** The latency caps of the range as dashed steps, each for the time it was in force. */
  caps?: readonly Cap[];
  /** Dashed lines beside the measured ones, each with its name at its end. */
  traces?: readonly Trace[];
  /** Names for horizontal lines, written at the right edge. */
  label?: { y: number; text: string };
  markers?: readonly Mark[];
  /** For the small charts without an axis of times: no time at the crosshair, and no names of alarms, which stand beside those. */
  quiet?: boolean;
};

/** A cap and when it was in force. Those of one policy set on one statistic have the same name, and are oldest first. */
export type Cap = { from: number; to: number; y: number; name: string; label: string };

/** What would have been, such as under a shadow set. */
export type Trace = {
  label: string;
  /** Written at its end, instead of its name. */
  end?: string;
  color: string;
  stepped?: boolean;
  /** Dotted and thin, for what another trace is to be compared with. */
  finer?: boolean;
  points: readonly Point[];
};

/** What a chart draws over its data, and how it says a time. */
export type OverlayHolder = {
  overlay: () => Overlay;
  timeText: (time: number) => string;
  /** What is said in the middle of a plot without a value. Empty if there is one. */
  nothing: () => string;
};

/** The height in px of the strip for alarms, between the plot and the times: their bars and names cover no line there. */
export const STRIP = 18;

const FONT = '11px "Inter Variable", system-ui, sans-serif';

export function overlayPlugin(holder: OverlayHolder): Plugin<"line"> {
  return {
    id: "headgate-overlay",
    afterDatasetsDraw(chart) {
      const { ctx, chartArea: area } = chart;
      if (!area) return;
      const overlay = holder.overlay();
      ctx.save();
      ctx.font = FONT;
      ctx.lineWidth = 1;
      drawNothing(chart, holder.nothing());
      drawAlone(chart);
      drawClipped(chart);
      drawCaps(chart, overlay);
      drawTraces(chart, overlay);
      drawLabel(chart, overlay);
      drawMarkers(chart, overlay);
      drawDragged(chart);
      drawCrosshair(chart, overlay, holder.timeText);
      ctx.restore();
    },
  };
}

function scales(chart: Chart) {
  return { x: chart.scales.x!, y: chart.scales.y! };
}

function drawNothing(chart: Chart, text: string): void {
  const { ctx, chartArea: area } = chart;
  halo(ctx, text, (area.left + area.right) / 2, (area.top + area.bottom) / 2, token("--muted"), "center");
}

function drawCaps(chart: Chart, { caps = [] }: Overlay): void {
  const { ctx, chartArea: area } = chart;
  const { x, y } = scales(chart);
  const across = (time: number) => Math.min(area.right, Math.max(area.left, x.getPixelForValue(time)));
  ctx.strokeStyle = token("--bad");
  ctx.setLineDash([5, 4]);
  for (const [i, cap] of caps.entries()) {
    const at = y.getPixelForValue(cap.y);
    line(ctx, across(cap.from), at, across(cap.to), at);
    const next = caps[i + 1];
    if (next?.name !== cap.name || next.from !== cap.to) continue;
    line(ctx, across(cap.to), at, across(cap.to), y.getPixelForValue(next.y));
  }
  ctx.setLineDash([]);
  const labels = caps.map((cap) => {
    const at = y.getPixelForValue(cap.y);
    return { at: across(cap.from), line: at, width: ctx.measureText(cap.label).width };
  });
  for (const [i, place] of placeLabels(labels, area).entries())
    if (place) halo(ctx, caps[i]?.label ?? "", place.left, place.baseline, token("--bad"), "left");
}

function drawTraces(chart: Chart, { traces = [] }: Overlay): void {
  const { ctx, chartArea: area } = chart;
  const { x, y } = scales(chart);
  const seen = traces.flatMap((trace) => {
    const last = trace.points.findLast((point) => x.getPixelForValue(point.x) >= area.left);
    return last ? [{ trace, last }] : [];
  });
  for (const { trace } of seen) drawTrace(chart, trace);
  const baselines = placeEnds(
    seen.map(({ last }) => y.getPixelForValue(last.y)),
    area.top + 10,
  );
  for (const [i, { trace, last }] of seen.entries()) {
    const right = Math.min(area.right - 4, x.getPixelForValue(last.x));
    halo(ctx, trace.end ?? trace.label, right, baselines[i] ?? 0, token(trace.color), "right");
  }
}

function drawTrace(chart: Chart, { color, stepped, finer, points }: Trace): void {
  const { ctx, chartArea: area } = chart;
  const { x, y } = scales(chart);
  ctx.save();
  ctx.beginPath();
  ctx.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
  ctx.clip();
  ctx.strokeStyle = token(color);
  ctx.lineWidth = finer ? 1.2 : 1.8;
  ctx.setLineDash(finer ? [1.5, 3] : [6, 4]);
  ctx.beginPath();
  let before: number | undefined;
  for (const point of points) {
    const [across, up] = [x.getPixelForValue(point.x), y.getPixelForValue(point.y)];
    if (stepped && before !== undefined) ctx.lineTo(across, before);
    ctx.lineTo(across, up);
    before = up;
  }
  ctx.stroke();
  ctx.restore();
}

/** A dot for each measurement that no line leads to. */
function drawAlone(chart: Chart): void {
  const { ctx, chartArea: area } = chart;
  const { x, y } = scales(chart);
  for (const { data, spanGaps, borderColor, stepped } of chart.data.datasets as ChartDataset<"line">[]) {
    if (stepped || typeof spanGaps !== "number") continue;
    ctx.fillStyle = String(borderColor);
    for (const point of alone(data as { x: number; y: number }[], spanGaps)) {
      const at = x.getPixelForValue(point.x);
      if (at < area.left || at > area.right || point.y > y.max) continue;
      ctx.beginPath();
      ctx.arc(at, y.getPixelForValue(point.y), 2, 0, 2 * Math.PI);
      ctx.fill();
    }
  }
}

/** A small arrow at the top edge where a line is clipped. */
function drawClipped(chart: Chart): void {
  const { ctx, chartArea: area } = chart;
  const { x, y } = scales(chart);
  ctx.fillStyle = token("--bad");
  let before = Number.NEGATIVE_INFINITY;
  // The highest statistic is the last line; earlier ranges have a higher order.
  for (const dataset of chart.data.datasets.filter((each) => !each.order).slice(-1)) {
    for (const point of dataset.data as { x: number; y: number }[]) {
      if (point.y <= y.max) continue;
      const at = x.getPixelForValue(point.x);
      if (at < area.left || at > area.right || at - before < 6) continue;
      before = at;
      ctx.beginPath();
      ctx.moveTo(at, area.top - 4);
      ctx.lineTo(at - 3.5, area.top + 2);
      ctx.lineTo(at + 3.5, area.top + 2);
      ctx.fill();
    }
  }
}

function drawLabel(chart: Chart, { label }: Overlay): void {
  if (!label) return;
  const { ctx, chartArea: area } = chart;
  const at = scales(chart).y.getPixelForValue(label.y);
  halo(ctx, label.text, area.right - 4, labelAt(chart, label.text, at), token("--text"), "right");
}

/** The baseline of a label at the right edge, where `own` is its line. */
function labelAt(chart: Chart, text: string, own: number): number {
  const { ctx, chartArea: area } = chart;
  const { x, y } = scales(chart);
  const from = x.getValueForPixel(area.right - 8 - ctx.measureText(text).width) ?? Number.NEGATIVE_INFINITY;
  let top = own;
  for (const { data } of chart.data.datasets) {
    // The value at `from` was set earlier, so the last point before `from` counts too.
    let before: { x: number; y: number } | undefined;
    for (const point of data as { x: number; y: number }[]) {
      if (point.x >= from) top = Math.min(top, y.getPixelForValue(point.y));
      else before = point;
    }
    if (before) top = Math.min(top, y.getPixelForValue(before.y));
  }
  return labelBaseline(own, top, area);
}

function drawMarkers(chart: Chart, { markers = [], quiet }: Overlay): void {
  const { chartArea: area } = chart;
  const { x } = scales(chart);
  const alarms: Placed[] = [];
  const lines: Placed[] = [];
  for (const mark of markers) {
    const at = Math.round(x.getPixelForValue(mark.time)) + 0.5;
    const until = mark.kind === "alarm" ? x.getPixelForValue(mark.until ?? Number.POSITIVE_INFINITY) : at;
    if (at > area.right || until < area.left) continue;
    (mark.kind === "alarm" ? alarms : lines).push({ mark, at, until });
  }
  for (const alarm of alarms) drawAlarm(chart, alarm);
  for (const each of lines) drawLine(chart, each);
  // Names are drawn above all marks: those of lines at the top, those of alarms in their strip.
  drawNames(
    chart,
    lines.filter(({ at }) => at >= area.left),
    area.top + 10,
  );
  if (!quiet) drawNames(chart, alarms, area.bottom + 15);
}

type Placed = { mark: Mark; at: number; until: number };

const colorOf = ({ kind, critical }: Mark) =>
  token(kind === "policy" ? "--accent" : kind === "annotation" ? "--muted" : critical ? "--bad" : "--warn");

/** A revision is a solid line, an annotation a dashed one that hangs from a diamond. */
function drawLine(chart: Chart, { mark, at }: Placed): void {
  const { ctx, chartArea: area } = chart;
  if (at < area.left) return;
  ctx.strokeStyle = colorOf(mark);
  if (mark.kind === "annotation") ctx.setLineDash([3, 3]);
  line(ctx, at, area.top, at, area.bottom);
  ctx.setLineDash([]);
  if (mark.kind === "annotation")
    shape(ctx, colorOf(mark), [at, area.top - 4], [at + 4, area.top], [at, area.top + 4], [at - 4, area.top]);
}

/** An alarm is a bar under the plot for as long as its condition held, with a triangle where it began. */
function drawAlarm(chart: Chart, { mark, at, until }: Placed): void {
  const { ctx, chartArea: area } = chart;
  const from = Math.max(area.left, at);
  const to = Math.max(from + 2, Math.min(area.right, until));
  ctx.fillStyle = colorOf(mark);
  ctx.globalAlpha = 0.75;
  ctx.fillRect(from, area.bottom + 2, to - from, 3);
  ctx.globalAlpha = 1;
  if (at < area.left) return;
  shape(ctx, colorOf(mark), [at - 4, area.bottom + 10], [at, area.bottom + 2], [at + 4, area.bottom + 10]);
}

function drawNames(chart: Chart, placed: readonly Placed[], baseline: number): void {
  const { ctx, chartArea: area } = chart;
  const places = placeNames(
    placed.map(({ mark, at }) => ({ at, width: ctx.measureText(mark.text).width })),
    area,
  );
  placed.forEach(({ mark }, i) => {
    const left = places[i];
    if (left != null) halo(ctx, mark.text, left, baseline, colorOf(mark), "left");
  });
}

function shape(ctx: CanvasRenderingContext2D, color: string, ...corners: [number, number][]): void {
  ctx.beginPath();
  for (const [x, y] of corners) ctx.lineTo(x, y);
  ctx.closePath();
  ctx.fillStyle = color;
  ctx.fill();
}

/** Shades what lies outside of the time that is dragged over. */
function drawDragged(chart: Chart): void {
  const { dragged } = crosshair;
  if (!dragged) return;
  const { ctx, chartArea: area } = chart;
  const { x } = scales(chart);
  const [left, right] = [dragged.from, dragged.to]
    .map((time) => Math.min(area.right, Math.max(area.left, x.getPixelForValue(time))))
    .sort((a, b) => a - b) as [number, number];
  ctx.fillStyle = token("--bg");
  ctx.globalAlpha = 0.65;
  ctx.fillRect(area.left, area.top, left - area.left, area.bottom - area.top);
  ctx.fillRect(right, area.top, area.right - right, area.bottom - area.top);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = token("--accent");
  for (const at of [left, right]) line(ctx, Math.round(at) + 0.5, area.top, Math.round(at) + 0.5, area.bottom);
}

function drawCrosshair(chart: Chart, { quiet }: Overlay, timeText: OverlayHolder["timeText"]): void {
  const time = crosshair.time;
  if (time === null) return;
  const { ctx, chartArea: area } = chart;
  const { x } = scales(chart);
  const at = Math.round(x.getPixelForValue(time)) + 0.5;
  if (at < area.left || at > area.right) return;
  ctx.strokeStyle = token("--faint");
  line(ctx, at, area.top, at, area.bottom);
  if (quiet) return;
  const text = timeText(time);
  const width = ctx.measureText(text).width;
  const left = placeTime(at, width, area);
  const ticks = x.ticks.map(({ value, label }) => ({
    at: x.getPixelForValue(value),
    width: ctx.measureText(String(label ?? "")).width,
  }));
  const row = area.bottom + STRIP;
  for (const tick of touched(ticks, { left, right: left + width }))
    ctx.clearRect(tick.at - tick.width / 2 - 1, row, tick.width + 2, chart.height - row);
  halo(ctx, text, left, row + 10, token("--text"), "left");
}

function line(ctx: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

/** Text that stays readable on top of lines. */
function halo(
  ctx: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  color: string,
  align: CanvasTextAlign,
): void {
  ctx.save();
  ctx.setLineDash([]);
  ctx.textAlign = align;
  ctx.lineJoin = "round";
  ctx.lineWidth = 3;
  ctx.strokeStyle = token("--panel");
  ctx.strokeText(text, x, y);
  ctx.fillStyle = color;
  ctx.fillText(text, x, y);
  ctx.restore();
}
