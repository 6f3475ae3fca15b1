/** A palette that colour-blind people can tell apart. Lines also differ in dash, tiers in shape. */
export const SERIES = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6"] as const;
export type SeriesColor = (typeof SERIES)[number];
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [1, 3]];

/** A domain's colour follows from its name alone: it stays the same on every page, whatever other domains there are. */
export function seriesColor(name: string): SeriesColor {
  return SERIES[hash(name) % SERIES.length] as SeriesColor;
}

/** FNV-1a, with its bits mixed at the end: names often differ in their last letter only. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  return (sum ^ (sum >>> 13)) >>> 0;
}

export function seriesDash(index: number): number[] {
  return [...(DASHES[index % DASHES.length] as number[])];
}

let cached: { scheme: string; values: Map<string, string> } | undefined;

/** The colour scheme that the page shows. */
export const scheme = () => document.documentElement.dataset.mantineColorScheme ?? "light";

/** The value of a design token for canvas. Read once per colour scheme. */
export function token(name: string): string {
  if (cached?.scheme !== scheme()) cached = { scheme: scheme(), values: new Map() };
  let value = cached.values.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    if (value !== "") cached.values.set(name, value);
  }
  return value;
}
