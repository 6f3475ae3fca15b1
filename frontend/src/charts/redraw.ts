/**
 * One redraw clock for all charts: at most four times per second, in animation frames, visible charts only. With
 * prefers-reduced-motion once per second. What does not fit into a frame waits for the next: a page of many charts still answers
 * input between them.
 */
type Draw = () => void;

const draws = new Set<Draw>();
const drawOf = new WeakMap<Element, Draw>();
let frame = 0;
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

function loop(now: number): void {
  frame = requestAnimationFrame(loop);
  if (due.length === 0) {
    if (now - last < interval() - 8) return;
    last = now;
    due = [...draws];
  }
  const began = performance.now();
  do {
    const draw = due.shift();
    if (draw && draws.has(draw)) draw();
  } while (due.length > 0 && performance.now() - began < BUDGET_MS);
}

/** Calls `draw` in the next frame, then at every redraw while `element` is visible. Returns the function that stops it. */
export function whileVisible(element: Element, draw: Draw): () => void {
  const observer = new IntersectionObserver(([entry]) => {
    if (entry?.isIntersecting) {
      draws.add(draw);
      due.push(draw);
      if (frame === 0) frame = requestAnimationFrame(loop);
    } else remove(draw);
  });
  observer.observe(element);
  drawOf.set(element, draw);
  return () => {
    observer.disconnect();
    drawOf.delete(element);
    remove(draw);
  };
}

/** Draws an element that may be out of sight, and so was not drawn for long, or never. */
export const drawNow = (element: Element) => drawOf.get(element)?.();

function remove(draw: Draw): void {
  draws.delete(draw);
  if (draws.size === 0) {
    cancelAnimationFrame(frame);
    frame = 0;
    due = [];
  }
}
