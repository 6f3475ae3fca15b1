import { type FocusEvent, useEffect, useMemo, useState } from "react";

type Held = { names: ReadonlyMap<string, number>; within: Element };

/**
 * Puts live rows in order, except while one of them has the focus: then all keep their places, and new ones come last. A row that went to
 * another place took the focus of whoever walked through the list out of the window. `holding` belongs to what holds the rows.
 */
export function useHeldOrder<T>(ordered: readonly T[], nameOf: (row: T) => string) {
  const [held, setHeld] = useState<Held | null>(null);
  // A row that is taken away, or is not drawn any more, takes its focus with it and tells nobody.
  useEffect(() => {
    if (held && !held.within.contains(document.activeElement)) setHeld(null);
  });
  const rows = useMemo(() => {
    if (!held) return ordered;
    const place = (row: T) => held.names.get(nameOf(row)) ?? held.names.size;
    return [...ordered].sort((a, b) => place(a) - place(b));
  }, [ordered, held, nameOf]);
  const holding = {
    onFocus: ({ currentTarget: within }: FocusEvent) =>
      setHeld((before) => before ?? { names: new Map(ordered.map((row, index) => [nameOf(row), index])), within }),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) setHeld(null);
    },
  };
  return { rows, holding };
}
