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

// Each of Mantine's listens for Escape by itself, and closes also where another lies over it.

export function Modal(props: ModalProps) {
  useLayer(props.opened, () => props.closeOnClickOutside !== false && props.onClose());
  return <MantineModal {...props} closeOnEscape={false} />;
}

export function Drawer(props: DrawerProps) {
  useLayer(props.opened, props.onClose);
  return <MantineDrawer {...props} closeOnEscape={false} />;
}
