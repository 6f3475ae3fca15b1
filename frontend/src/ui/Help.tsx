import { type FocusEvent, type ReactNode, type ToggleEvent, useEffect, useId, useRef, useState } from "react";
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

/** Places a bubble below what it explains, or above it near the end of the window. */
function placeBeside(explained: HTMLElement, { style }: HTMLElement): void {
  const at = explained.getBoundingClientRect();
  style.left = `${Math.max(GAP, Math.min(at.left, window.innerWidth - WIDTH - GAP))}px`;
  const below = at.bottom < window.innerHeight * 0.7;
  style.top = below ? `${at.bottom + GAP}px` : "auto";
  style.bottom = below ? "auto" : `${window.innerHeight - at.top + GAP}px`;
}

/**
 * Explains what is itself a link or a button, while the keyboard's focus is on it. Spread `explained` on that; screen readers read the
 * text with it. Escape closes the bubble. Nothing is explained without a text.
 */
export function useFocusHelp(text: string | undefined) {
  const bubble = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const close = () => bubble.current?.hidePopover();
  useLayer(open, close);
  useEffect(() => {
    if (!text) bubble.current?.hidePopover();
  }, [text]);
  return {
    explained: {
      "aria-description": text,
      onFocus: ({ currentTarget }: FocusEvent<HTMLElement>) => {
        if (!text || !bubble.current || !currentTarget.matches(":focus-visible")) return;
        placeBeside(currentTarget, bubble.current);
        bubble.current.showPopover();
      },
      onBlur: close,
    },
    bubble: (
      <span
        ref={bubble}
        popover="manual"
        className="help-text"
        onBeforeToggle={(event: ToggleEvent<HTMLElement>) => setOpen(event.newState === "open")}
      >
        {open && text}
      </span>
    ),
  };
}

/** A button that explains itself: by click, by touch and by keyboard. Escape, or a click elsewhere, closes it. */
export function Help({ text, label, className = "help-mark", children = "?" }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const bubble = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  useLayer(open, () => bubble.current?.hidePopover());
  const toggled = ({ newState, currentTarget }: ToggleEvent<HTMLElement>) => {
    setOpen(newState === "open");
    if (newState === "open" && button.current) placeBeside(button.current, currentTarget);
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
      <span id={id} ref={bubble} popover="auto" className="help-text" onBeforeToggle={toggled}>
        {open && text}
      </span>
    </>
  );
}
