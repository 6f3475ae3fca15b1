import { describe, expect, it } from "vitest";
import type { ExperimentChart } from "@/api/types";
import { chartsOf, overlaid } from "./charts";

const axis = (title: string) => ({ title, unit: "", logarithmic: false });
const chart = (title: string, names: string[], y: number): ExperimentChart => ({
  title,
  x: axis("size"),
  y: axis("time"),
  lines: names.map((name) => ({ name, style: "line", x: [1], y: [y] })),
  sentence: `It is ${y}.`,
});

it("draws a name in the same colour in every chart of a report", () => {
  const [latency, throughput] = chartsOf([
    chart("Latency", ["auction", "auction's cap", "bank"], 3),
    chart("Throughput", ["auction", "bank", "gallery"], 5),
  ]);
  expect(latency?.lines.map(({ name, slot, x, y }) => [name, slot, x, y])).toEqual([
    ["auction", 0, [1], [3]],
    ["auction's cap", 1, [1], [3]],
    ["bank", 2, [1], [3]],
  ]);
  expect(latency?.sentence).toBe("It is 3.");
  expect(throughput?.lines.map(({ name, slot }) => [name, slot])).toEqual([
    ["auction", 0],
    ["bank", 2],
    ["gallery", 3],
  ]);
});

describe("two runs", () => {
  const first = { name: "run 1", charts: [chart("Latency", ["auction", "bank"], 3), chart("Old", ["auction"], 1)] };
  const second = { name: "run 2", charts: [chart("Latency", ["bank", "gallery"], 4)] };
  const [latency, old] = overlaid(first, second);

  it("are drawn over one another, lines of one name in one colour, the first run paler", () => {
    expect(latency?.lines.map(({ name, slot, paler, y }) => [name, slot, paler, y[0]])).toEqual([
      ["bank (run 2)", 0, false, 4],
      ["bank (run 1)", 0, true, 3],
      ["gallery (run 2)", 1, false, 4],
      ["auction (run 1)", 2, true, 3],
    ]);
    expect(latency?.sentence).toBe("Of run 1: It is 3. Of run 2: It is 4.");
  });

  it("keep a chart that only one of them has", () => {
    expect(old?.lines.map(({ name, paler }) => [name, paler])).toEqual([["auction (run 1)", true]]);
    expect(old?.sentence).toContain("Only run 1 has this chart.");
    expect(overlaid(first, second)).toHaveLength(2);
  });

  it("say once what both show", () => {
    const again = { name: "run 3", charts: second.charts };
    expect(overlaid(second, again)[0]?.sentence).toBe("It is 4.");
  });
});
