import { useEffect } from "react";

/** What scrolls the page, or the sheet over it. */
const SCROLLERS = ".main, .mantine-Drawer-content";

const FIELDS = "input, select, textarea";

/**
 * Keeps what has the focus where it is in the window while the page grows or shrinks above it. A field moved out of sight under
 * somebody's fingers when a prediction arrived: a browser anchors the page to whatever comes first in it, which may be a chart in
 * another column. So it does not anchor while a field that has the focus is in sight; both at once would each make up for the other. A
 * link in a list of live rows stays with its row, which the browser keeps in sight. What was scrolled out of sight stays there.
 */
export function useFocusInPlace(): void {
  useEffect(() => {
    let focused: Element | null = null;
    let scroller: HTMLElement | null = null;
    let top = 0;
    let scrolled = 0;
    let arriving = false;

    const topOf = (element: Element) => element.getBoundingClientRect().top;
    // A page scrolls by whole pixels: what is left of one does not add up.
    const look = () => {
      if (!focused || !scroller) return;
      if (Math.abs(topOf(focused) - top) >= 1) top = topOf(focused);
      arriving = false;
      scroller.style.overflowAnchor = focused.matches(FIELDS) && isInSight(scroller) ? "none" : "";
    };
    // The browser brings a field that gets the focus into sight, and tells of it later. What the page has grown by meanwhile is still to be
    // made up for, so only the way that it was scrolled counts.
    const follow = ({ target }: Event) => {
      if (!arriving || !scroller || target !== scroller) return look();
      top -= scroller.scrollTop - scrolled;
      arriving = false;
    };
    const isInSight = (window: Element) => top > topOf(window) && top < window.getBoundingClientRect().bottom;
    // Whatever grows between the scroller and the focus changes the height of something that holds the focus.
    const sizes = new ResizeObserver(() => {
      if (!focused?.isConnected || !scroller) return;
      const moved = topOf(focused) - top;
      if (Math.abs(moved) >= 1 && isInSight(scroller)) scroller.scrollBy({ top: moved, behavior: "instant" });
      look();
    });
    const enter = ({ target }: FocusEvent) => {
      sizes.disconnect();
      focused = target as Element;
      scroller = focused.parentElement?.closest<HTMLElement>(SCROLLERS) ?? null;
      top = topOf(focused);
      arriving = scroller !== null && focused.matches(FIELDS);
      scrolled = scroller?.scrollTop ?? 0;
      if (scroller) scroller.style.overflowAnchor = arriving ? "none" : "";
      for (let each = focused.parentElement; scroller && each && each !== scroller; each = each.parentElement)
        sizes.observe(each);
    };
    const leave = () => {
      sizes.disconnect();
      if (scroller) scroller.style.overflowAnchor = "";
      focused = scroller = null;
    };

    document.addEventListener("focusin", enter);
    document.addEventListener("focusout", leave);
    document.addEventListener("scroll", follow, { capture: true, passive: true });
    return () => {
      leave();
      document.removeEventListener("focusin", enter);
      document.removeEventListener("focusout", leave);
      document.removeEventListener("scroll", follow, { capture: true });
    };
  }, []);
}
