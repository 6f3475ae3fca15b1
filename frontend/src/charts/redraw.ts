/**
 * One redraw clock for all charts: at most four times per second, in animation frames, visible charts only. With
 * prefers-reduced-motion once per second. What does not fit into a frame waits for the next: a page of many charts still answers
 * input between them.
 */
import { scheme } from "./colors";

type Draw = () => void;

const draws = new Set<Draw>();
const drawOf = new WeakMap<Element, Draw>();
let frame = 0;
let pause: ReturnType<typeof setTimeout> | undefined;
let last = 0;

const calm = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");
const interval = () => (calm?.matches ? 1000 : 250);

/**
 * The milliseconds after which a frame begins no further chart: then it is no long task (50 ms). Not less, because each frame that
 * shows something new costs the browser a commit.
 */
const BUDGET_MS = 30;

/** Those that this turn of the clock has not drawn yet. */
let due: Draw[] = [];

function askForFrame(): void {
  clearTimeout(pause);
  if (frame === 0) frame = requestAnimationFrame(drawDue);
}

/** Between two turns no frame is asked for: each costs the browser a commit of the whole page, also where nothing is drawn. */
function awaitTurn(): void {
  pause = setTimeout(askForFrame, Math.max(0, last + interval() - performance.now()));
}

function drawDue(now: number): void {
  frame = 0;
  if (due.length === 0) {
    last = now;
    due = [...draws];
  }
  const began = performance.now();
  try {
    do {
      const draw = due.shift();
      if (draw && draws.has(draw)) draw();
    } while (due.length > 0 && performance.now() - began < BUDGET_MS);
  } finally {
    // also after a fault of one chart: the others go on
    if (due.length > 0) askForFrame();
    else if (draws.size > 0) awaitTurn();
  }
}

/** What a drawing shows. */
export type Shown = {
  /** The right edge of its time axis. */
  until: number;
  spanMs: number;
  /** Of the plot, in pixels. */
  width: number;
  /** Whatever else it depends on, each told from another by its identity. */
  of: readonly unknown[];
};

/** A drawing that would show the same is made anew after this, for what it does not tell. */
const LONGEST_STILL_MS = 1000;

/** Whether the time axis has moved by a pixel, or something else has changed. */
function hasMoved(from: Shown, to: Shown): boolean {
  return Math.abs(to.until - from.until) * to.width >= to.spanMs || to.of.some((each, i) => each !== from.of[i]);
}

/**
 * Calls `draw` in the next frame, then at every redraw while `element` is visible. Returns the function that stops it.
 *
 * @param shown what a drawing would show now; if it is given, redraws without a difference are left out
 */
export function whileVisible(element: Element, draw: Draw, shown?: () => Shown): () => void {
  let drawn: { at: number; shown: Shown; scheme: string } | undefined;
  const redraw = () => {
    const now = shown && { at: performance.now(), shown: shown(), scheme: scheme() };
    const isStill =
      now !== undefined &&
      drawn !== undefined &&
      now.scheme === drawn.scheme &&
      now.at - drawn.at < LONGEST_STILL_MS &&
      !hasMoved(drawn.shown, now.shown);
    if (isStill) return;
    draw();
    drawn = now;
  };
  const observer = new IntersectionObserver(([entry]) => {
    if (entry?.isIntersecting) {
      draws.add(redraw);
      due.push(redraw);
      askForFrame();
    } else remove(redraw);
  });
  observer.observe(element);
  drawOf.set(element, draw);
  return () => {
    observer.disconnect();
    drawOf.delete(element);
    remove(redraw);
  };
}

/** Draws an element that may be out of sight, and so was not drawn for long, or never. */
export const drawNow = (element: Element) => drawOf.get(element)?.();

function remove(draw: Draw): void {
  draws.delete(draw);
  if (draws.size === 0) {
    clearTimeout(pause);
    cancelAnimationFrame(frame);
    frame = 0;
    due = [];
  }
}
