import { type ReactNode, type ToggleEvent, useId, useRef, useState } from "react";
import { useLayer } from "./layers";

type Props = {
  /** What it says when it is opened. Screen readers read it with the button. */
  text: string;
  /** The button's name, where its content is no words. */
  label?: string;
  className?: string;
  children?: ReactNode;
};

/** The gap to the button, and the least distance to the window's edge, in pixels. */
const GAP = 6;
const WIDTH = 320;

/** A button that explains itself: by click, by touch and by keyboard. Escape, or a click elsewhere, closes it. */
export function Help({ text, label, className = "help-mark", children = "?" }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const bubble = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  useLayer(open, () => bubble.current?.hidePopover());
  const place = ({ newState, currentTarget }: ToggleEvent<HTMLElement>) => {
    setOpen(newState === "open");
    const at = button.current?.getBoundingClientRect();
    if (newState !== "open" || !at) return;
    const { style } = currentTarget;
    style.left = `${Math.max(GAP, Math.min(at.left, window.innerWidth - WIDTH - GAP))}px`;
    const below = at.bottom < window.innerHeight * 0.7;
    style.top = below ? `${at.bottom + GAP}px` : "auto";
    style.bottom = below ? "auto" : `${window.innerHeight - at.top + GAP}px`;
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        popoverTarget={id}
        aria-label={label}
        aria-description={text}
      >
        {children}
      </button>
      <span id={id} ref={bubble} popover="auto" className="help-text" onBeforeToggle={place}>
        {open && text}
      </span>
    </>
  );
}
