/** The charts of a replay: what happened, what the model makes of the set in force, and what it makes of the draft. */
import type { ReplayOutcome } from "@/api/types";
import type { Xy, XyLine } from "@/charts/xy";
import { duration } from "@/format/format";

type Seconds = ReplayOutcome["second"];

/** Second by second. None of a replay without a second. */
export function replayCharts({ domain, second }: Pick<ReplayOutcome, "domain" | "second">): Xy[] {
  if (second.length === 0) return [];
  const x = second.map((_, i) => i + 1);
  const chart = (title: string, actual: number[], model: number[], draft: number[]): Xy => {
    const lines: XyLine[] = [
      { name: "actual", style: "line", x, y: actual, slot: 1, paler: true },
      { name: "model of the set in force", style: "dashed", x, y: model, slot: 4 },
      { name: "draft", style: "line", x, y: draft, slot: 0 },
    ];
    return {
      title: `${title} in ${domain}, second by second`,
      x: { title: "second", unit: "", logarithmic: false },
      y: { title, unit: "ms", logarithmic: false },
      lines,
      sentence: `At most: ${lines.map(({ name, y }) => `${name} ${duration(Math.max(...y))}`).join(", ")}.`,
    };
  };
  const of = (figure: keyof Seconds[number]) => second.map((each) => each[figure]);
  return [
    chart("wait p99", of("actualWaitP99Ms"), of("baselineWaitP99Ms"), of("waitP99Ms")),
    chart("mean latency", of("actualMeanMs"), of("baselineMeanMs"), of("meanMs")),
  ];
}
