/**
 * What lies over the page: dialogs, drawers, the palette, a help. Escape closes the one that was opened last, and no other; one that a
 * click outside does not close is closed by its buttons alone.
 */
import { type DrawerProps, Drawer as MantineDrawer, Modal as MantineModal, type ModalProps } from "@mantine/core";
import { useEffect, useEffectEvent } from "react";

/** How each open layer is closed, in the order in which they were opened. */
const layers: (() => void)[] = [];

function closeTopmost(event: KeyboardEvent): void {
  if (event.key === "Escape" && !event.isComposing) layers.at(-1)?.();
}

/** Counts as a layer while it is open. `onClose` is called for Escape if nothing lies over it. */
export function useLayer(opened: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (!opened) return;
    const layer = () => close();
    if (layers.push(layer) === 1) window.addEventListener("keydown", closeTopmost, { capture: true });
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      if (layers.length === 0) window.removeEventListener("keydown", closeTopmost, { capture: true });
    };
  }, [opened]);
}

/** What the Tab key stops at. */
const STOPS = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled)";

/** After Mantine has given the focus back by itself, which it does for what is closed and still has its opener. */
const AFTER_MANTINE_MS = 30;

/** Where the focus was when each open layer was opened, and around that, in the order of the layers. */
const origins: Element[][] = [];

/**
 * Gives the focus back when a layer closes, also if it is taken off the page while it is open, or if what opened it has gone: then to
 * the next control that stood beside it, or beside what opened the layer that it was in. Without that a reader would begin again at the
 * top of the page. On another page nothing stood beside it.
 */
function useFocusBack(opened: boolean): void {
  useEffect(() => {
    if (!opened) return;
    const page = document; // a page that is being closed has none any more when the time is over
    const path = page.location.pathname;
    const places: Element[] = [];
    for (let at = page.activeElement; at; at = at.parentElement) places.push(at);
    places.push(...(origins.at(-1) ?? []));
    origins.push(places);
    return () => {
      origins.splice(origins.indexOf(places), 1);
      setTimeout(() => {
        const at = page.activeElement; // within a dialog, it is one that is just going
        const left = at === null || at.matches("body, [role=dialog], [role=dialog] *");
        if (left && layers.length === 0 && page.location.pathname === path)
          stopIn(places)?.focus({ preventScroll: true });
      }, AFTER_MANTINE_MS);
    };
  }, [opened]);
}

/** What had the focus, or the first stop in the nearest of its surroundings that are still there. */
function stopIn(places: readonly Element[]): HTMLElement | null {
  for (const place of places) {
    if (!place.isConnected || place.matches("html, body, main, :has(main)")) continue; // nothing stands beside a whole page
    const stop = place.matches(STOPS) ? place : place.querySelector(STOPS);
    if (stop) return stop as HTMLElement;
  }
  return null;
}

// Each of Mantine's listens for Escape by itself, and closes also where another lies over it.

export function Modal(props: ModalProps) {
  useLayer(props.opened, () => props.closeOnClickOutside !== false && props.onClose());
  useFocusBack(props.opened);
  return <MantineModal {...props} closeOnEscape={false} />;
}

export function Drawer(props: DrawerProps) {
  useLayer(props.opened, props.onClose);
  useFocusBack(props.opened);
  return <MantineDrawer {...props} closeOnEscape={false} />;
}
