/** The point in time under the pointer, and the part of it that is being dragged over: shared by every chart on the page. */
const listeners = new Set<() => void>();
let time: number | null = null;
let dragged: Dragged | null = null;
let scheduled = false;

/** In ms since 1970, from where the drag began to where the pointer is. */
export type Dragged = { from: number; to: number };

function tell(): void {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    for (const listener of listeners) listener();
  });
}

export const crosshair = {
  get time(): number | null {
    return time;
  },
  set(next: number | null): void {
    if (next === time) return;
    time = next;
    tell();
  },
  get dragged(): Dragged | null {
    return dragged;
  },
  drag(next: Dragged | null): void {
    if (next === dragged) return;
    dragged = next;
    tell();
  },
  listen(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
