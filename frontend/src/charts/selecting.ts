import { crosshair } from "./crosshair";

/** A pointer that moved less has clicked. In pixels. */
const LEAST = 5;

type Options = {
  /** The time at a horizontal offset in the element, within the plot. Null beside it. */
  timeAt: (offset: number, clamped: boolean) => number | null;
  /** Called with the two ends in order. Undefined if nothing can be selected. */
  onSelect: () => ((from: number, to: number) => void) | undefined;
};

/**
 * Selects a part of the time axis by dragging; Escape gives it up. `isDrag` tells whether the pointer's last press was a
 * drag, so that the click that follows is none. Returns it, and the function that stops listening.
 */
export function selecting(element: HTMLElement, { timeAt, onSelect }: Options) {
  let start: { offset: number; time: number } | null = null;
  let moved = false;

  const end = () => {
    start = null;
    crosshair.drag(null);
    window.removeEventListener("keydown", giveUp, true);
  };
  const giveUp = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopImmediatePropagation();
    end();
  };
  const down = (event: PointerEvent) => {
    moved = false;
    const time = event.button === 0 && onSelect() ? timeAt(event.offsetX, false) : null;
    if (time === null) return;
    start = { offset: event.offsetX, time };
    window.addEventListener("keydown", giveUp, true);
  };
  const move = (event: PointerEvent) => {
    if (!start || (!moved && Math.abs(event.offsetX - start.offset) < LEAST)) return;
    if (!moved) element.setPointerCapture(event.pointerId);
    moved = true;
    const to = timeAt(event.offsetX, true);
    if (to !== null) crosshair.drag({ from: start.time, to });
  };
  const up = () => {
    const dragged = crosshair.dragged;
    const selected = start !== null && moved && dragged !== null;
    end();
    if (selected) onSelect()?.(Math.min(dragged.from, dragged.to), Math.max(dragged.from, dragged.to));
  };
  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", end);
  return {
    isDrag: () => moved,
    stop: () => {
      end();
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", end);
    },
  };
}
