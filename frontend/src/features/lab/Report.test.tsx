// @vitest-environment jsdom
import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { ExperimentChart, ExperimentMeasure, ExperimentReport } from "@/api/types";
import type { Xy } from "@/charts/xy";
import { Report } from "./Report";

vi.mock("@/charts/XyChart", () => ({
  XyChart: ({ xy: { lines, sentence } }: { xy: Xy }) => (
    <p>{`${lines.map(({ name, slot }) => `${name} ${slot}`).join(", ")}: ${sentence}`}</p>
  ),
}));
afterEach(cleanup);

const NOTHING: ExperimentReport = { findings: [], charts: [], measures: [], tables: [], notes: [] };

const shown = (report: Partial<ExperimentReport>) =>
  render(<Report id="12" experiment="sweep" report={{ ...NOTHING, ...report }} />).container;
const panel = (title: string) => within(screen.getByRole("region", { name: title }));
const cellsOf = (row: HTMLElement | undefined) => [...(row?.children ?? [])].map((cell) => cell.textContent);

const axis = (title: string) => ({ title, unit: "", logarithmic: false });
const chart = (title: string, names: string[]): ExperimentChart => ({
  title,
  x: axis("size"),
  y: axis("time"),
  lines: names.map((name) => ({ name, style: "line", x: [1], y: [2] })),
  sentence: `Of ${title.toLowerCase()}.`,
});
const measure = (name: string, better: ExperimentMeasure["better"], samples: number[]): ExperimentMeasure => ({
  name,
  unit: "ms",
  better,
  median: samples[Math.floor(samples.length / 2)] ?? 0,
  samples,
});

it("says of each finding whether it holds, by a word, and what was seen here", () => {
  shown({
    findings: [
      { claim: "Errors cost more", verdict: "holds", here: "3 ms, 5 ms." },
      { claim: "Queues are fair", verdict: "differs", here: "1.2 times." },
      { claim: "The cap is kept", verdict: "undecided", here: "These are 14 seconds." },
    ],
  });
  const findings = panel("Findings");
  expect(findings.getByText("1 of 3 hold, 1 cannot be told")).toBeTruthy();
  expect(findings.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
    "✓ holdsErrors cost more3 ms, 5 ms.",
    "✕ does not hold hereQueues are fair1.2 times.",
    "? cannot be toldThe cap is keptThese are 14 seconds.",
  ]);
});

it("draws every chart with its sentence, a name in one colour, and offers each as a file of its own", () => {
  shown({ charts: [chart("Latency", ["auction", "bank"]), chart("Pages / s", ["bank"])] });
  expect(panel("Latency").getByText("auction 0, bank 1: Of latency.")).toBeTruthy();
  expect(panel("Pages / s").getByText("bank 1: Of pages / s.")).toBeTruthy();
  const files = screen.getAllByRole("link", { name: /^SVG/ });
  expect(files.map((file) => file.textContent)).toEqual(["SVG of Latency", "SVG of Pages / s"]);
  expect(files.map((file) => [file.getAttribute("href"), file.getAttribute("download")])).toEqual([
    ["/api/v1/experiments/runs/12/charts/0", "sweep-12-latency.svg"],
    ["/api/v1/experiments/runs/12/charts/1", "sweep-12-pages-s.svg"],
  ]);
});

it("shows a measure with its spread, and what is wished for", () => {
  shown({
    measures: [
      measure("page", "less", [1.5, 2, 2.5]),
      measure("pages", "more", [1_234]),
      measure("size", "neither", [7, 7]),
    ],
  });
  const [, ...rows] = panel("Measures").getAllByRole("row");
  expect(rows.map(cellsOf)).toEqual([
    ["page", "ms", "2", "1.5", "2.5", "3", "", "less is better"],
    ["pages", "ms", "1,234", "1,234", "1,234", "1", "", "more is better"],
    ["size", "ms", "7", "7", "7", "2", "", ""],
  ]);
  const [page, pages, size] = rows.map((row) =>
    [...row.querySelectorAll("circle")].map((dot) => dot.getAttribute("cx")),
  );
  expect(page).toEqual(["4", "60", "116"]);
  expect(pages).toEqual([]); // one sample has no spread
  expect(size).toEqual(["60", "60"]);
});

it("shows the tables as they come, with columns of figures to the right", () => {
  shown({
    tables: [
      {
        title: "Every size",
        columns: ["way", "ms", "kept"],
        rows: [
          ["1, again", "3.2", "95 %"],
          ["latency-cap", "–", "100 %"],
        ],
      },
    ],
  });
  const [head, ...rows] = panel("Every size").getAllByRole("row");
  expect(rows.map(cellsOf)).toEqual([
    ["1, again", "3.2", "95 %"],
    ["latency-cap", "–", "100 %"],
  ]);
  for (const row of [head, ...rows]) {
    expect([...(row?.children ?? [])].map((cell) => cell.className)).toEqual(["", "r", "r"]);
  }
  expect(screen.getByRole("region", { name: "Table: Every size" }).tabIndex).toBe(0);
});

it("shows the notes, also one that is made twice", () => {
  shown({ notes: ["The generator was late.", "The generator was late."] });
  expect(panel("Notes").getAllByRole("listitem")).toHaveLength(2);
});

it("has no panel for what a report does not have", () => {
  shown({});
  expect(screen.queryByRole("region")).toBeNull();
});
