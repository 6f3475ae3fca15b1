import { crosshair } from "./crosshair";

/** A pointer that moved less has clicked. In pixels. */
const LEAST = 5;

type Options = {
  /** The time at a horizontal offset in the element, within the plot. Null beside it. */
  timeAt: (offset: number, clamped: boolean) => number | null;
  /** Called with the instant that was clicked or tapped. Undefined if none can be picked. */
  onPick: () => ((time: number) => void) | undefined;
  /** Called with the two ends of a drag in order. Undefined if nothing can be selected. */
  onSelect: () => ((from: number, to: number) => void) | undefined;
};

/**
 * Picks an instant of the time axis by a click or a tap, and selects a part of it by dragging; Escape gives up. The place of
 * the press counts, and the pointer is captured from then on: a page that moves between press and release, because an alarm
 * came in above, takes nothing away. Returns the function that stops listening.
 */
export function selecting(element: HTMLElement, { timeAt, onPick, onSelect }: Options): () => void {
  let start: { offset: number; time: number } | null = null;
  let moved = false;
  /** Where the press that ended without a drag began, until its click is here. */
  let clicked: number | null = null;

  const end = () => {
    start = null;
    moved = false;
    crosshair.drag(null);
    window.removeEventListener("keydown", giveUp, true);
  };
  const giveUp = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopImmediatePropagation();
    end();
  };
  const down = (event: PointerEvent) => {
    end();
    clicked = null;
    const time = event.button === 0 ? timeAt(event.offsetX, false) : null;
    if (time === null || !(onPick() || onSelect())) return;
    start = { offset: event.offsetX, time };
    element.setPointerCapture(event.pointerId);
    window.addEventListener("keydown", giveUp, true);
  };
  const move = (event: PointerEvent) => {
    if (!start || (!moved && Math.abs(event.offsetX - start.offset) < LEAST)) return;
    moved = true;
    const to = onSelect() ? timeAt(event.offsetX, true) : null;
    if (to !== null) crosshair.drag({ from: start.time, to });
  };
  const up = () => {
    const { dragged } = crosshair;
    if (start && !moved) clicked = start.time;
    end();
    if (dragged) onSelect()?.(Math.min(dragged.from, dragged.to), Math.max(dragged.from, dragged.to));
  };
  // Not at the release: what opens there would get the click of a tap itself.
  const click = () => {
    if (clicked !== null) onPick()?.(clicked);
    clicked = null;
  };
  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", end);
  element.addEventListener("click", click);
  return () => {
    end();
    element.removeEventListener("pointerdown", down);
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", up);
    element.removeEventListener("pointercancel", end);
    element.removeEventListener("click", click);
  };
}
