/** What the charts of a report, or of two reports over one another, draw. */
import type { ExperimentChart } from "@/api/types";
import type { Xy } from "@/charts/xy";

/** Gives each line's name a slot: a name has one colour and mark in all of these charts. */
function slotsOf(charts: readonly ExperimentChart[]) {
  const names = [...new Set(charts.flatMap(({ lines }) => lines.map(({ name }) => name)))];
  return (name: string) => names.indexOf(name);
}

export function chartsOf(charts: readonly ExperimentChart[]): Xy[] {
  const slotOf = slotsOf(charts);
  return charts.map((chart) => ({
    ...chart,
    lines: chart.lines.map((line) => ({ ...line, slot: slotOf(line.name) })),
  }));
}

/** A run's charts, and what its lines are called where another run has the same ones. */
export type Drawn = { charts: readonly ExperimentChart[]; name: string };

/**
 * The charts of two runs, those of one title as one. Lines of one name have one colour; the first run's are paler. A chart or a line
 * that only one run has is drawn too, and says whose it is.
 */
export function overlaid(first: Drawn, second: Drawn): Xy[] {
  const all = [...second.charts, ...first.charts];
  const titles = [...new Set(all.map((chart) => chart.title))];
  const slotOf = slotsOf(all);
  return titles.map((title) => {
    const [before, after] = [first, second].map(({ charts }) => charts.find((chart) => chart.title === title));
    const shown = (after ?? before) as ExperimentChart;
    const linesOf = (chart: ExperimentChart | undefined, name: string, paler: boolean) =>
      (chart?.lines ?? []).map((line) => ({
        ...line,
        name: `${line.name} (${name})`,
        slot: slotOf(line.name),
        paler,
      }));
    const sentences =
      before?.sentence === after?.sentence
        ? [shown.sentence]
        : [
            before && `Of ${first.name}: ${before.sentence}`,
            after && `Of ${second.name}: ${after.sentence}`,
            !(before && after) && `Only ${(after ? second : first).name} has this chart.`,
          ];
    return {
      title,
      x: shown.x,
      y: shown.y,
      lines: [...linesOf(after, second.name, false), ...linesOf(before, first.name, true)].sort(
        (a, b) => a.slot - b.slot,
      ),
      sentence: sentences.filter(Boolean).join(" "),
    };
  });
}
