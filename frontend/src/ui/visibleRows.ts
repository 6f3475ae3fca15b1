import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useState } from "react";

type Options = {
  /** Holds the rows. It scrolls itself, or it stands in the page's part that does. */
  container: RefObject<HTMLElement | null>;
  count: number;
  /** A row's usual height in pixels; rows are measured once they are drawn. */
  estimate: number;
  /** Whether all rows are drawn, because there are few. */
  all?: boolean;
};

type VisibleRow = { index: number; measure: (row: Element | null) => void };

/** The rows on the screen and a few around them, with the heights of what is above and below. */
export function useVisibleRows({ container, count, estimate, all = false }: Options) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const element = all ? null : container.current;
    if (!element) return; // where all rows are drawn, nothing is measured: the browser would lay out the page for it
    const scrolling = scrollerOf(element);
    setScroller(scrolling);
    if (scrolling === element) return;
    const top = element.getBoundingClientRect().top - scrolling.getBoundingClientRect().top + scrolling.scrollTop;
    if (Math.abs(top - offset) > 1) setOffset(top);
  });
  const virtual = useVirtualizer({
    count,
    enabled: !all,
    getScrollElement: () => scroller,
    estimateSize: () => estimate,
    overscan: 6,
    scrollMargin: offset,
    initialRect: { width: 0, height: 900 },
  });
  if (all)
    return {
      visible: Array.from({ length: count }, (_, index): VisibleRow => ({ index, measure: nothing })),
      before: 0,
      after: 0,
      show: nothing,
    };
  const rows = virtual.getVirtualItems();
  return {
    visible: rows.map(({ index }): VisibleRow => ({ index, measure: virtual.measureElement })),
    before: Math.max(0, (rows[0]?.start ?? offset) - offset),
    after: Math.max(0, virtual.getTotalSize() - ((rows.at(-1)?.end ?? offset) - offset)),
    /** Scrolls until the row is visible. */
    show: (index: number) => virtual.scrollToIndex(index),
  };
}

function nothing(): void {}

/** The element itself if it scrolls, else the nearest around it that does. */
function scrollerOf(element: HTMLElement): HTMLElement {
  for (let each: HTMLElement | null = element; each; each = each.parentElement)
    if (!each.matches(".scroll-x") && /auto|scroll/.test(getComputedStyle(each).overflowY)) return each;
  return document.documentElement;
}
