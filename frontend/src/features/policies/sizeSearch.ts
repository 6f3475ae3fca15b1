/** The form of a search for a pool's size, how far a search is, and its charts. */
import type { SizeSearch, SizeSearchCreate, SizeTrial } from "@/api/types";
import type { Xy } from "@/charts/xy";

type Name = keyof SizeSearchCreate;

export type SizeForm = Readonly<Record<Name, string>>;

export const USUAL: SizeForm = { mostSeconds: "170", most: "", mostWaitMs: "", mostP99Ms: "" };

type SizeField = { name: Name; label: string; least: number; most: number; empty: string; help: string };

export const FIELDS: readonly SizeField[] = [
  { name: "mostSeconds", label: "ends within, s", least: 60, most: 900, empty: "170", help: "longer trials tell more" },
  { name: "most", label: "most connections", least: 1, most: 10_000, empty: "what the budget leaves", help: "" },
  {
    name: "mostWaitMs",
    label: "longest wait, ms",
    least: 10,
    most: 60_000,
    empty: "1000, or twice today's",
    help: "a size at which a caller waits longer is given up at once",
  },
  {
    name: "mostP99Ms",
    label: "highest p99, ms",
    least: 1,
    most: 60_000,
    empty: "none",
    help: "of a statement's latency; a size beyond it is given up at once",
  },
];

/** What is wrong with a text; undefined if nothing is. Empty leaves the choice to the service. */
export function sizeFault({ least, most }: Pick<SizeField, "least" | "most">, text: string): string | undefined {
  if (text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isInteger(value) && value >= least && value <= most
    ? undefined
    : `must be a whole number, ${least} to ${most}`;
}

export const sizeRequest = (form: SizeForm): SizeSearchCreate =>
  Object.fromEntries(
    FIELDS.filter(({ name }) => form[name].trim() !== "").map(({ name }) => [name, Number(form[name])]),
  );

/** The share of its time that a search has used, 0 to 1. */
export const timeUsed = ({ startedAt, mostSeconds }: Pick<SizeSearch, "startedAt" | "mostSeconds">, now: number) =>
  Math.min(1, Math.max(0, (now - Date.parse(startedAt)) / (1_000 * mostSeconds)));

/**
 * Throughput and response by size, by which the search decides: the median of a size's trials, of two the better one. Sizes that were
 * ruled out are left out. None for fewer than two sizes.
 */
export function sizeCharts(trials: readonly SizeTrial[]): Xy[] {
  const out = new Set(trials.filter(({ ruledOut }) => ruledOut !== "").map(({ size }) => size));
  const sizes = [...new Set(trials.map(({ size }) => size))].filter((size) => !out.has(size)).sort((a, b) => a - b);
  if (sizes.length < 2) return [];
  /** @param sign 1 where less is better, -1 where more is */
  const medians = (sign: 1 | -1, figure: (trial: SizeTrial) => number) =>
    sizes.map((size) => {
      const some = trials.filter((trial) => trial.size === size).map(figure);
      return some.sort((a, b) => sign * (a - b))[(some.length - 1) >> 1] as number;
    });
  const chart = (title: string, unit: string, slot: number, y: number[], sentence: string): Xy => ({
    title: `${title} by size`,
    x: { title: "connections", unit: "", logarithmic: false },
    y: { title, unit, logarithmic: false },
    lines: [{ name: title, style: "line", x: sizes, y, slot }],
    sentence,
  });
  return [
    chart(
      "throughput",
      "leases/s",
      0,
      medians(-1, ({ perSecond }) => perSecond),
      "Beyond the knee more connections bring nothing.",
    ),
    chart(
      "response",
      "ms",
      1,
      medians(1, ({ responseMs }) => responseMs),
      "The wait for a connection, and how long it is held.",
    ),
  ];
}
