/** A palette that colour-blind people can tell apart. Lines also differ in dash, tiers in shape. */
export const SERIES = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6"] as const;
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [1, 3]];

/** A domain's colour depends on its place in the list of names. */
export function seriesColor(names: readonly string[], name: string): (typeof SERIES)[number] {
  const at = Math.max(0, [...names].sort().indexOf(name));
  return SERIES[at % SERIES.length] as (typeof SERIES)[number];
}

export function seriesDash(index: number): number[] {
  return [...(DASHES[index % DASHES.length] as number[])];
}

let cached: { scheme: string; values: Map<string, string> } | undefined;

/** The value of a design token for canvas. Read once per colour scheme. */
export function token(name: string): string {
  const scheme = document.documentElement.dataset.mantineColorScheme ?? "light";
  if (cached?.scheme !== scheme) cached = { scheme, values: new Map() };
  let value = cached.values.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    if (value !== "") cached.values.set(name, value);
  }
  return value;
}
