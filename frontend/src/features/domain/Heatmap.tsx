import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from "react";
import { token } from "@/charts/colors";
import { crosshair } from "@/charts/crosshair";
import { drawNow, whileVisible } from "@/charts/redraw";
import { timeTicks } from "@/charts/timeAxis";
import { timeText } from "@/format/format";
import { serverNow } from "@/stream/browser";
import type { HeatMeasure } from "@/stream/heat";
import { useZone } from "@/ui/preferences";
import { HeatTable } from "./HeatTable";
import {
  cellAt,
  columnAt,
  type HeatCells,
  type HeatSource,
  heatCells,
  heatKey,
  intensity,
  placeOf,
  rowName,
  timeOf,
} from "./heatCells";
import { cellText, heatSentence } from "./heatWords";

type Props = {
  domain: string;
  measure: HeatMeasure;
  /** Asked at every drawing. */
  source: () => HeatSource;
  /** What a column is: "second by second". */
  pace: string;
  /** Called when an instant is clicked, or chosen with Enter. */
  onPick: (time: number) => void;
};

const LEAST_HEIGHT = 42;
/** Of a line of the rows' names, in px. */
const NAME_HEIGHT = 12;

/** How far each arrow key goes, in rows and columns. */
const ARROWS: Record<string, readonly [down: number, right: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * One cell per connection and second, or a longer time. Darker means slower (in the dark theme: brighter). It describes itself in
 * a sentence when it is focused, says the cells that the arrow keys visit, and shows its values as a table on demand.
 */
export function Heatmap({ domain, measure, source, pace, onPick }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  const names = useRef<HTMLDivElement>(null);
  const key = useRef<HTMLDivElement>(null);
  const cells = useRef<HeatCells | null>(null);
  /** The connection under the pointer, or where the arrow keys are. */
  const visited = useRef<string | null>(null);
  const description = useRef<HTMLParagraphElement>(null);
  const spoken = useRef<HTMLParagraphElement>(null);
  const descriptionId = useId();
  const [table, setTable] = useState(false);
  const zone = useZone();
  const latest = useRef({ domain, measure, source, zone });
  latest.current = { domain, measure, source, zone };
  const [readout, setReadout] = useState<string | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new measure or source redraws at once.
  useEffect(() => {
    const element = canvas.current;
    const ctx = element?.getContext("2d");
    if (!element || !ctx) return;
    const small = document.createElement("canvas");
    const draw = () => {
      const { domain, measure, source, zone } = latest.current;
      const grid = heatCells(source(), measure);
      cells.current = grid;
      const ratio = Math.min(2, window.devicePixelRatio || 1);
      const rows = Math.max(1, grid.rows.length);
      const rowHeight = Math.max(2, Math.min(16, Math.floor(280 / rows)));
      const height = Math.max(LEAST_HEIGHT, rows * rowHeight);
      const width = element.clientWidth || 600;
      if (element.width !== Math.round(width * ratio) || element.height !== Math.round(height * ratio)) {
        element.width = Math.round(width * ratio);
        element.height = Math.round(height * ratio);
        element.style.height = `${height}px`;
      }
      paint(small, grid, measure);
      ctx.imageSmoothingEnabled = false;
      ctx.clearRect(0, 0, element.width, element.height);
      const gap = rowHeight >= 6 ? ratio : 0;
      const each = element.height / rows;
      const [left, right] = [0, grid.columns].map((column) => placeOf(grid, timeOf(grid, column)) * element.width) as [
        number,
        number,
      ];
      for (let row = 0; row < grid.rows.length; row++)
        ctx.drawImage(small, 0, row, grid.columns, 1, left, row * each, right - left, each - gap);
      const at = crosshair.time;
      if (at !== null) {
        const x = placeOf(grid, at) * element.width;
        if (x >= 0 && x <= element.width) {
          ctx.fillStyle = token("--text");
          ctx.fillRect(Math.round(x), 0, ratio, element.height);
          const row = visited.current === null ? -1 : grid.rows.indexOf(visited.current);
          ctx.strokeStyle = token("--text");
          ctx.lineWidth = ratio;
          if (row >= 0) ctx.strokeRect(Math.round(x) - 3 * ratio, row * each, 7 * ratio, each - gap);
        }
      }
      if (axis.current) writeAxis(axis.current, grid, zone);
      if (names.current) writeNames(names.current, grid.rows, height, domain);
      if (key.current) writeKey(key.current, heatKey(grid.usual, measure));
    };
    const stops = [whileVisible(element, draw), crosshair.listen(draw)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [domain, measure, pace]);

  const now = () => heatCells(source(), measure);
  const timeIn = (grid: HeatCells) => {
    const { from, until } = grid;
    return (time: number) => timeText(time, zone, { until, spanMs: until - from, now: serverNow() });
  };
  const visit = (grid: HeatCells, row: number, column: number) => {
    visited.current = grid.rows[row] ?? null;
    crosshair.set(timeOf(grid, column + 0.5));
    const said = cellText(cellAt(grid, row, column), measure);
    const text = `${grid.rows[row]} · ${timeIn(grid)(timeOf(grid, column))} · ${said}`;
    setReadout(text);
    return text;
  };
  const leave = () => {
    visited.current = null;
    crosshair.set(null);
    setReadout(null);
  };
  const point = (event: PointerEvent<HTMLCanvasElement>) => {
    const grid = cells.current;
    if (!grid || grid.rows.length === 0) return;
    const box = event.currentTarget.getBoundingClientRect();
    const time = grid.from + ((event.clientX - box.left) / box.width) * (grid.until - grid.from);
    const row = Math.min(grid.rows.length - 1, Math.floor(((event.clientY - box.top) / box.height) * grid.rows.length));
    visit(grid, row, columnAt(grid, time));
  };
  const step = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return; // the button's and the table's own keys
    if (event.key === "Escape") leave();
    if (event.key === "Enter" && crosshair.time !== null) onPick(crosshair.time);
    const arrow = ARROWS[event.key];
    if (!arrow) return;
    event.preventDefault();
    const grid = now();
    const { rows, columns } = grid;
    if (rows.length === 0) return;
    const [down, right] = arrow;
    const row = visited.current === null ? 0 : rows.indexOf(visited.current) + down;
    const column = crosshair.time === null ? columns - 1 : columnAt(grid, crosshair.time) + right;
    const text = visit(grid, Math.max(0, Math.min(rows.length - 1, row)), Math.max(0, Math.min(columns - 1, column)));
    if (spoken.current) spoken.current.textContent = text;
    if (canvas.current) drawNow(canvas.current); // another row of the same time moves no crosshair
  };
  const describe = () => {
    const grid = now();
    const sentence = heatSentence(grid, measure, domain, timeIn(grid));
    if (description.current)
      description.current.textContent = `${sentence} Enter explains the moment under the crosshair.`;
  };
  const label = `${measure} of every connection of ${domain}, ${pace}`;

  return (
    // Focusable, so that the arrow keys can visit the cells (biome.json allows it here).
    <div
      className="heat"
      role="group"
      aria-label={label}
      aria-describedby={descriptionId}
      tabIndex={0}
      onKeyDown={step}
      onFocus={describe}
      onBlur={leave}
    >
      <div className="names" ref={names} aria-hidden="true" />
      <canvas
        ref={canvas}
        onPointerDown={point}
        onPointerMove={point}
        onPointerUp={({ pointerType, button }) => {
          if (pointerType !== "touch" && button === 0 && crosshair.time !== null) onPick(crosshair.time);
        }}
        onPointerLeave={(event) => {
          if (event.pointerType !== "touch") leave(); // what a tap pointed at stays
        }}
      />
      <div className="axis" ref={axis} aria-hidden="true" />
      <p className="sr-only" id={descriptionId} ref={description} />
      <p className="sr-only" aria-live="polite" ref={spoken} />
      <div className="row small muted heat-readout">
        <span>{readout}</span>
        <span className="grow" />
        <button type="button" className="btn small values-button" onClick={() => setTable(true)}>
          Values<span className="sr-only"> of {label}</span>
        </button>
        <div className={`heat-key ${measure}`} ref={key}>
          <span />
          <i aria-hidden="true" />
          <span />
        </div>
      </div>
      <HeatTable
        label={label}
        domain={domain}
        measure={measure}
        cells={now}
        timeIn={timeIn}
        opened={table}
        onClose={() => setTable(false)}
      />
    </div>
  );
}

function paint(canvas: HTMLCanvasElement, { rows, columns, values, usual }: HeatCells, measure: HeatMeasure): void {
  canvas.width = columns;
  canvas.height = Math.max(1, rows.length);
  const ctx = canvas.getContext("2d");
  if (!ctx) return;
  const image = ctx.createImageData(columns, canvas.height);
  const [low, mid, high] = ["--heat-low", "--heat-mid", "--heat-high"].map((t) => token(t).split(",").map(Number)) as [
    number[],
    number[],
    number[],
  ];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (Number.isNaN(value)) continue;
    const k = intensity(value, usual, measure);
    const [a, b, f] = k < 0.5 ? [low, mid, k * 2] : [mid, high, (k - 0.5) * 2];
    for (let c = 0; c < 3; c++) image.data[i * 4 + c] = (a[c] as number) + ((b[c] as number) - (a[c] as number)) * f;
    image.data[i * 4 + 3] = 255;
  }
  ctx.putImageData(image, 0, 0);
}

/** The rows' names; of narrow rows every second, third... one. */
function writeNames(element: HTMLElement, rows: readonly string[], height: number, domain: string): void {
  const each = height / Math.max(1, rows.length);
  const every = Math.ceil(NAME_HEIGHT / each);
  element.style.height = `${height}px`;
  const shown = rows
    .map((id, i) => ({ name: rowName(id, domain), top: (i + 0.5) * each }))
    .filter((_, i) => i % every === 0);
  const text = JSON.stringify(shown);
  if (element.dataset.shown === text) return;
  element.dataset.shown = text;
  element.replaceChildren(
    ...shown.map(({ name, top }) => {
      const label = document.createElement("span");
      label.textContent = name;
      label.style.top = `${top.toFixed(1)}px`;
      return label;
    }),
  );
}

function writeKey(element: HTMLElement, [low, high]: [string, string]): void {
  const [first, last] = [element.firstElementChild, element.lastElementChild];
  if (first && first.textContent !== low) first.textContent = low;
  if (last && last.textContent !== high) last.textContent = high;
}

/** Half the width of a label in pixels. A label nearer to an edge would be cut off. */
const HALF_LABEL = 27;

function writeAxis(element: HTMLElement, grid: HeatCells, zone: "utc" | "local"): void {
  const width = element.clientWidth;
  const html = timeTicks(grid.from, grid.until, width, zone)
    .map(({ value, label }) => ({ label, left: placeOf(grid, value) * width }))
    .filter(({ left }) => left >= HALF_LABEL && left <= width - HALF_LABEL)
    .map(({ label, left }) => `<span style="left:${left.toFixed(1)}px">${label}</span>`)
    .join("");
  if (element.innerHTML !== html) element.innerHTML = html;
}
