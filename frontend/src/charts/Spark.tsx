import { useEffect, useRef } from "react";
import { token } from "./colors";
import { alone, decimate, measureOf, type Point } from "./decimate";
import { whileVisible } from "./redraw";
import type { RingBuffer } from "./ringBuffer";

type Props<C extends string> = {
  source: () => { series: RingBuffer<C>; until: number; spanMs: number };
  column: C;
  color: string;
  label: string;
};

const WIDTH = 96;
const HEIGHT = 22;
/** The line breaks between points that are further apart than this. */
const GAP_MS = 10_000;

/** A small line chart without axes. It shows the shape; the figures stand beside it. */
export function Spark<C extends string>(props: Props<C>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = canvas.current;
    const ctx = element?.getContext("2d");
    if (!element || !ctx) return;
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    element.width = WIDTH * ratio;
    element.height = HEIGHT * ratio;
    const points: Point[] = [];
    const draw = () => {
      const { source, column, color } = latest.current;
      const { series, until, spanMs } = source();
      const from = until - spanMs;
      decimate(series, measureOf(series, { column, keep: "max" }), from, until, WIDTH / 1.5, points);
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.clearRect(0, 0, WIDTH, HEIGHT);
      let low = Number.POSITIVE_INFINITY;
      let high = 0;
      for (const { y } of points) {
        low = Math.min(low, y);
        high = Math.max(high, y);
      }
      // The axis starts a little below the lowest value, to show the shape. A flat line stays flat.
      const base = Math.max(0, low - Math.max(high - low, high * 0.2));
      const range = high * 1.05 - base || 1;
      const across = (x: number) => ((x - from) / spanMs) * WIDTH;
      const up = (y: number) => HEIGHT - 2 - ((y - base) / range) * (HEIGHT - 4);
      ctx.strokeStyle = ctx.fillStyle = token(color);
      ctx.lineWidth = 1.4;
      ctx.lineJoin = "round";
      ctx.beginPath();
      let before = Number.NEGATIVE_INFINITY;
      for (const { x, y } of points) {
        if (x - before > GAP_MS) ctx.moveTo(across(x), up(y));
        else ctx.lineTo(across(x), up(y));
        before = x;
      }
      ctx.stroke();
      for (const { x, y } of alone(points, GAP_MS)) {
        ctx.beginPath();
        ctx.arc(across(x), up(y), 1.4, 0, 2 * Math.PI);
        ctx.fill();
      }
    };
    return whileVisible(element, draw, () => {
      const { series, until, spanMs } = latest.current.source();
      return { until, spanMs, width: WIDTH, of: [latest.current, series] };
    });
  }, []);
  return (
    <canvas
      ref={canvas}
      className="spark"
      style={{ width: WIDTH, height: HEIGHT }}
      role="img"
      aria-label={props.label}
    />
  );
}
