/** The items that a scrolled view shows, and the room before and after them. Items are `from` to `to`, without `to`. */
export type Span = { from: number; to: number; before: number; after: number };

/** Of items of the same size. `spare` more on either side are shown, so that scrolling meets no gap. */
export function spanOfRows(count: number, size: number, scrolled: number, room: number, spare: number): Span {
  const from = Math.min(count, Math.max(0, Math.floor(scrolled / size) - spare));
  const to = Math.min(count, Math.ceil((scrolled + room) / size) + spare);
  return { from, to, before: from * size, after: (count - to) * size };
}

/** Of items of different sizes. */
export function spanOfColumns(sizes: readonly number[], scrolled: number, room: number): Span {
  let from = 0;
  let before = 0;
  while (from < sizes.length && before + sizes[from]! <= scrolled) before += sizes[from++]!;
  let to = from;
  let end = before;
  while (to < sizes.length && end < scrolled + room) end += sizes[to++]!;
  return { from, to, before, after: sizes.slice(to).reduce((sum, size) => sum + size, 0) };
}
