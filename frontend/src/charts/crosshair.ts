/** The point in time under the pointer, shared by every chart on the page. */
const listeners = new Set<() => void>();
let time: number | null = null;
let scheduled = false;

export const crosshair = {
  get time(): number | null {
    return time;
  },
  set(next: number | null): void {
    if (next === time) return;
    time = next;
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      for (const listener of listeners) listener();
    });
  },
  listen(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
