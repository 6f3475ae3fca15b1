/** What the charts of a report, or of two reports over one another, draw. */
import type { ExperimentChart } from "@/api/types";
import type { Xy } from "@/charts/xy";

export const chartOf = (chart: ExperimentChart): Xy => ({
  ...chart,
  lines: chart.lines.map((line, slot) => ({ ...line, slot })),
});

/** A run's charts, and what its lines are called where another run has the same ones. */
export type Drawn = { charts: readonly ExperimentChart[]; name: string };

/**
 * The charts of two runs, those of one title as one. Lines of one name have one colour; the first run's are paler. A chart or a line
 * that only one run has is drawn too, and says whose it is.
 */
export function overlaid(first: Drawn, second: Drawn): Xy[] {
  const titles = [...new Set([...second.charts, ...first.charts].map((chart) => chart.title))];
  return titles.map((title) => {
    const [before, after] = [first, second].map(({ charts }) => charts.find((chart) => chart.title === title));
    const shown = (after ?? before) as ExperimentChart;
    const names = [...new Set([after, before].flatMap((chart) => chart?.lines.map((line) => line.name) ?? []))];
    const linesOf = (chart: ExperimentChart | undefined, name: string, paler: boolean) =>
      (chart?.lines ?? []).map((line) => ({
        ...line,
        name: `${line.name} (${name})`,
        slot: names.indexOf(line.name),
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
