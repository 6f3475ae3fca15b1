/**
 * One redraw clock for all charts: at most four times per second, in an animation frame, visible charts only. With
 * prefers-reduced-motion once per second.
 */
type Draw = () => void;

const draws = new Set<Draw>();
const drawOf = new WeakMap<Element, Draw>();
let frame = 0;
let last = 0;

const calm = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");
const interval = () => (calm?.matches ? 1000 : 250);

function loop(now: number): void {
  frame = requestAnimationFrame(loop);
  if (now - last < interval() - 8) return;
  last = now;
  for (const draw of draws) draw();
}

/** Calls `draw` at once, then at every redraw while `element` is visible. Returns the function that stops it. */
export function whileVisible(element: Element, draw: Draw): () => void {
  const observer = new IntersectionObserver(([entry]) => {
    if (entry?.isIntersecting) {
      draws.add(draw);
      draw();
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
  }
}
