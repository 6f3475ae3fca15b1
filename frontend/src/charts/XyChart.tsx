import "./xy.css";
import {
  Chart,
  type ChartDataset,
  type Scale as ChartScale,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  type Plugin,
  PointElement,
} from "chart.js";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { figure, withUnit } from "@/format/figure";
import { Drawer } from "@/ui/layers";
import { SERIES, token } from "./colors";
import { FigureTable } from "./FigureTable";
import {
  caption,
  isMarked,
  markOf,
  nearest,
  placesOf,
  pointsOf,
  rowsOf,
  said,
  scaleOf,
  sentenceAt,
  valuesAt,
  type Xy,
  type XyLine,
} from "./xy";

Chart.register(LineController, LineElement, PointElement, LinearScale, LogarithmicScale);

const FONT = '"Inter Variable", system-ui, sans-serif';

/** More points than these are drawn small. */
const CROWD = 200;

const colorOf = (slot: number) => SERIES[slot % SERIES.length] as (typeof SERIES)[number];

/**
 * A chart of numbers over numbers on a canvas, with its legend. The pointer and the arrow keys visit its places, whose values are
 * shown and said; a button shows all of them as a table.
 */
export function XyChart({ xy, height }: { xy: Xy; height: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useScheme();
  const places = useMemo(() => placesOf(xy.lines), [xy]);
  const [place, setPlace] = useState<number | null>(null);
  const at = useRef<number | null>(null);
  const drawn = useRef<Chart>(null);
  const [spot, setSpot] = useState<{ left: number; late: boolean } | null>(null);
  const [table, setTable] = useState(false);
  const descriptionId = useId();

  const visit = (next: number | null) => {
    at.current = next;
    setPlace(next);
    const chart = drawn.current;
    if (!chart) return;
    chart.draw();
    const left = next === null ? undefined : chart.scales.x?.getPixelForValue(next);
    setSpot(left === undefined ? null : { left, late: left > chart.width / 2 });
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: a canvas takes its colours from the scheme.
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const chart = new Chart(element, {
      type: "line",
      data: { datasets: xy.lines.map((line) => dataset(line, xy)) },
      plugins: [placeLine(() => at.current)],
      options: {
        animation: false,
        parsing: false,
        normalized: true,
        responsive: true,
        maintainAspectRatio: false,
        events: [],
        layout: { padding: { top: 10, right: 10 } },
        scales: { x: axis(xy, "x"), y: axis(xy, "y") },
      },
    });
    drawn.current = chart;
    return () => {
      drawn.current = null;
      chart.destroy();
    };
  }, [xy, scheme]);

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const move = (event: PointerEvent) => {
      const scale = drawn.current?.scales.x;
      const apart = (a: number, b: number) =>
        Math.abs((scale?.getPixelForValue(a) ?? 0) - (scale?.getPixelForValue(b) ?? 0));
      const value = scale?.getValueForPixel(event.offsetX);
      visit(value === undefined ? null : (nearest(places, value, apart) ?? null));
    };
    const leave = (event: PointerEvent) => {
      if (event.pointerType !== "touch") visit(null); // what a tap visited stays
    };
    element.addEventListener("pointerdown", move);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerleave", leave);
    return () => {
      element.removeEventListener("pointerdown", move);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerleave", leave);
    };
  });

  const step = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return; // the button's and the table's own keys
    const now = place === null ? -1 : places.indexOf(place);
    const next = {
      ArrowRight: now + 1,
      ArrowLeft: now < 0 ? places.length - 1 : now - 1,
      Home: 0,
      End: places.length - 1,
    }[event.key];
    if (event.key === "Escape") visit(null);
    if (next === undefined) return;
    event.preventDefault();
    visit(places[Math.min(places.length - 1, Math.max(0, next))] ?? null);
  };

  return (
    <>
      {/* Focusable, so that the arrow keys can visit the values (biome.json allows it here). */}
      <div
        className="timechart xy-chart"
        style={{ height }}
        role="group"
        aria-label={xy.title}
        aria-describedby={descriptionId}
        tabIndex={0}
        onKeyDown={step}
        onBlur={() => visit(null)}
      >
        <canvas ref={canvas} />
        <p className="sr-only" aria-live="polite">
          {place !== null && sentenceAt(xy, place)}
        </p>
        {place !== null && spot && <Values xy={xy} place={place} {...spot} />}
        <button type="button" className="btn small values-button" onClick={() => setTable(true)}>
          Values<span className="sr-only"> of {xy.title}</span>
        </button>
      </div>
      <ul className="legend xy-legend">
        {xy.lines.map((line) => (
          <li key={line.name} className={line.paler ? "paler" : undefined}>
            <Key line={line} />
            {line.name}
          </li>
        ))}
      </ul>
      <p className="muted xy-sentence" id={descriptionId}>
        {xy.sentence}
      </p>
      <Drawer opened={table} onClose={() => setTable(false)} position="right" size={520} title={xy.title}>
        <ValuesTable xy={xy} />
      </Drawer>
    </>
  );
}

/** The scheme that `token` reads. Mantine's own hook would cost the other pages a chunk. */
function useScheme(): string | undefined {
  return useSyncExternalStore(
    (changed) => {
      const observer = new MutationObserver(changed);
      observer.observe(document.documentElement, { attributeFilter: ["data-mantine-color-scheme"] });
      return () => observer.disconnect();
    },
    () => document.documentElement.dataset.mantineColorScheme,
  );
}

function Key({ line: { slot, style } }: { line: XyLine }) {
  const [mark] = markOf(slot);
  return (
    <span className="xy-key" style={{ color: `var(${colorOf(slot)})` }} aria-hidden="true">
      {style !== "points" && <i className={style === "dashed" ? "dash" : ""} />}
      {style !== "dashed" && mark}
    </span>
  );
}

type ValuesProps = { xy: Xy; place: number; left: number; late: boolean };

/** The values at a place, beside it: on its left if it is late on the axis. Stays within the chart. */
function Values({ xy, place, left, late }: ValuesProps) {
  const moved = late ? `max(-${left}px, calc(-100% - 10px))` : `min(10px, calc(100cqw - 100% - ${left}px))`;
  return (
    <div className="xy-values" aria-hidden="true" style={{ left, transform: `translateX(${moved})` }}>
      <b>
        {xy.x.title} {withUnit(place, xy.x.unit)}
      </b>
      {xy.lines
        .map((line) => ({ line, values: valuesAt(line, place) }))
        .filter(({ values }) => values.length > 0)
        .map(({ line, values }) => (
          <span key={line.name}>
            <Key line={line} /> {line.name} <b>{said(values, xy.y.unit)}</b>
          </span>
        ))}
    </div>
  );
}

function ValuesTable({ xy }: { xy: Xy }) {
  const { rows, of } = useMemo(() => rowsOf(xy), [xy]);
  return (
    <div className="stack">
      <p>{xy.sentence}</p>
      {rows.length < of && (
        <p className="muted">
          {rows.length} of {of} places, evenly picked. The JSON of the run has all.
        </p>
      )}
      <FigureTable
        label={xy.title}
        caption={caption(xy.y)}
        className="xy-table"
        corner={caption(xy.x)}
        columns={xy.lines.map(({ name }) => ({ key: name, head: xy.y.unit ? `${name}, ${xy.y.unit}` : name }))}
        rows={rows.map(({ x, values }) => ({ key: x, head: figure(x), figures: values }))}
      />
    </div>
  );
}

function dataset(line: XyLine, xy: Xy): ChartDataset<"line"> {
  const color = `${token(colorOf(line.slot))}${line.paler ? "80" : ""}`;
  const radius = line.style === "points" && line.x.length > CROWD ? 1.6 : line.paler ? 2.5 : 3.5;
  return {
    data: pointsOf(line, xy),
    label: line.name,
    showLine: line.style !== "points",
    stepped: line.style === "steps" ? "before" : false,
    borderColor: color,
    backgroundColor: color,
    borderWidth: line.paler ? 1.2 : 1.8,
    borderDash: line.style === "dashed" ? [6, 4] : [],
    borderJoinStyle: "round",
    pointStyle: markOf(line.slot)[1],
    pointRadius: ({ dataIndex }) => (isMarked(line, dataIndex) ? radius : 0),
    clip: 8,
    order: line.paler ? 1 : 0,
  };
}

function axis(xy: Xy, side: "x" | "y") {
  const { logarithmic } = xy[side];
  const values = xy.lines.flatMap((line) => pointsOf(line, xy).map((point) => point[side]));
  const { min, max, ticks } = scaleOf(values, logarithmic, side === "y", side === "y" ? 5 : 8);
  return {
    type: logarithmic ? ("logarithmic" as const) : ("linear" as const),
    min,
    max,
    border: { display: false },
    grid: { display: side === "y", drawTicks: false, color: token("--grid") },
    title: {
      display: true,
      text: caption(xy[side]),
      color: token("--muted"),
      font: { size: 11, family: FONT },
      padding: 4,
    },
    afterBuildTicks: (scale: ChartScale) => {
      scale.ticks = ticks.map((value) => ({ value }));
    },
    ticks: {
      autoSkip: side === "x",
      maxRotation: 0,
      padding: 6,
      color: token("--faint-text"),
      font: { size: 11, family: FONT },
      callback: (value: number | string) => figure(Number(value)),
    },
  };
}

/** The line through the place that is visited. */
function placeLine(at: () => number | null): Plugin<"line"> {
  return {
    id: "headgate-place",
    beforeDatasetsDraw({ ctx, chartArea: area, scales }) {
      const place = at();
      const pixel = place === null ? undefined : scales.x?.getPixelForValue(place);
      if (pixel === undefined) return;
      ctx.save();
      ctx.strokeStyle = token("--faint");
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(Math.round(pixel) + 0.5, area.top);
      ctx.lineTo(Math.round(pixel) + 0.5, area.bottom);
      ctx.stroke();
      ctx.restore();
    },
  };
}
