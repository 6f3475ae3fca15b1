// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ExperimentComparison, ExperimentRun } from "@/api/types";
import { CompareRuns } from "./CompareRuns";

const stage = vi.hoisted(() => ({ navigate: vi.fn() }));
vi.mock("@tanstack/react-router", () => ({
  useNavigate: () => stage.navigate,
  Link: ({ children }: { children: ReactNode }) => <span>{children}</span>,
}));
beforeEach(() => stage.navigate.mockReset());
afterEach(cleanup);

const run = (id: string, experiment: string, state = "done") =>
  ({
    id,
    experiment,
    form: "quick",
    values: {},
    seed: 7,
    state,
    startedAt: "2026-11-24T03:00:00Z",
    setUp: { versions: {}, load: null },
    report: null,
  }) as unknown as ExperimentRun;

const RUNS = [run("9", "tiers", "running"), run("8", "tiers"), run("7", "pools"), run("6", "pools")];

function service(comparison: Partial<ExperimentComparison> = {}) {
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/comparison"))
      return Response.json({ sameSetUp: false, rows: [], firstOnly: [], secondOnly: [], ...comparison });
    const one = RUNS.find(({ id }) => pathname.endsWith(`/${id}`));
    return Response.json(one ?? { items: RUNS, nextCursor: null });
  });
}

const shown = (first?: string, second?: string) =>
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <CompareRuns first={first} second={second} />
      </QueryClientProvider>
    </MantineProvider>,
  );

it("offers every run that is done, of any experiment", async () => {
  service();
  shown(undefined, "7");
  const choice = await screen.findByLabelText<HTMLSelectElement>("beside run");
  await waitFor(() => expect([...choice.options].map(({ value }) => value)).toEqual(["", "7", "6", "8"]));
  await userEvent.selectOptions(choice, "8");
  expect(stage.navigate).toHaveBeenCalledWith({
    to: "/lab/compare",
    search: { first: 8, second: 7 },
    replace: true,
  });
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Compare two runs");
});

it("says of two experiments what only one of them measured", async () => {
  service({
    experiment: "pools",
    secondExperiment: "tiers",
    first: "6",
    second: "8",
    firstOnly: [{ measure: "fetches", unit: "1/s", median: 100 }],
    secondOnly: [{ measure: "gold's p99", unit: "ms", median: 3 }],
  });
  shown("6", "8");
  expect(await screen.findByText(/Run 8 is of tiers, run 6 of pools/)).toBeTruthy();
  expect(screen.getByText(/no measure in common/)).toBeTruthy();
  expect(screen.getByRole("region", { name: "Only run 8 measured" }).textContent).toContain("gold's p99");
  expect(screen.getByRole("region", { name: "Only run 6 measured" }).textContent).toContain("fetches");
  expect(screen.queryByText("Chance")).toBeNull();
});

it("shows what differs first", async () => {
  const row = (measure: string, outcome: ExperimentComparison["rows"][number]["outcome"]) => ({
    ...{ measure, outcome, unit: "ms", first: 1, second: 2, ratio: 2, chance: 0.5 },
  });
  service({
    ...{ experiment: "pools", secondExperiment: "pools", first: "6", second: "7" },
    rows: [row("wait", "no-difference"), row("fetch", "too-few-samples"), row("stall", "worse")],
  });
  shown("6", "7");
  await screen.findByText("stall");
  const measures = [...document.querySelectorAll("td.title")].map(({ textContent }) => textContent);
  expect(measures).toEqual(["stall", "wait", "fetch"]);
});
