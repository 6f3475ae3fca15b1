// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { ReplayDrawer } from "./Replay";

afterEach(() => {
  cleanup();
  shown = null;
});

const result = {
  from: "2026-11-21T12:00:00Z",
  seconds: 60,
  settlingSeconds: 2,
  tookMs: 400,
  load: "flat.",
  domains: [],
};

/** Answers as the service does, and keeps what it was asked. */
function service(runs: object[]) {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (request: Request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("Prefer") ?? ""}`.trim());
    if (request.method === "DELETE") return Promise.resolve(new Response(null, { status: 204 }));
    const run = {
      id: "r1",
      leases: 18_200,
      progress: 0,
      result: null,
      problem: null,
      ...(runs.length > 1 ? runs.shift() : runs[0]),
    };
    return Promise.resolve(Response.json(run, { status: request.method === "POST" ? 202 : 200 }));
  });
  draw();
  return asked;
}

const queries = new QueryClient();
let shown: ReturnType<typeof render> | null = null;

/** The drawer with a draft of so many connections, beside a revision in force. */
function draw(max = 20, revision = 7) {
  const policySet = (n: number) => ({ policies: [{ plugin: "min-max", parameters: { max: n } }] });
  const drawer = (
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <ReplayDrawer
          scope={{ kind: "domain", name: "bank" }}
          set={policySet(max)}
          current={{ revision, policySet: policySet(8) }}
          opened
          onClose={() => {}}
        />
      </QueryClientProvider>
    </MantineProvider>
  );
  if (shown) shown.rerender(drawer);
  else shown = render(drawer);
}

const figures = {
  arrivals: 500,
  refused: 0,
  waitP50Ms: 0,
  waitP99Ms: 4,
  waitMaxMs: 9,
  meanMs: 10,
  p95Ms: 20,
  p99Ms: 30,
  meanSize: 3,
  mostSize: 4,
};
const outcome = {
  domain: "bank",
  actual: figures,
  baseline: { ...figures, waitP99Ms: 40 },
  replayed: { ...figures, waitP99Ms: 77, meanMs: 12 },
  fit: {
    usable: false,
    missPercent: 257,
    misses: [
      { figure: "latency", actual: 10, modelled: 10, percent: 0, usable: true },
      { figure: "latency-p99", actual: 30, modelled: 60, percent: 100, usable: false },
      { figure: "waits", actual: 4, modelled: 40, percent: 257, usable: false },
      { figure: "longest-wait", actual: 9, modelled: 9, percent: 0, usable: true },
      { figure: "connections", actual: 3, modelled: 3, percent: 0, usable: true },
      { figure: "most-connections", actual: 4, modelled: 8, percent: 100, usable: false },
    ],
    sentence: "The model misses the waits.",
  },
  ceiling: { least: 2, most: 7, last: 2 },
  second: [],
};

it("strikes out a figure that the model misses, and tells the draft's ceiling", async () => {
  service([{ state: "done", result: { ...result, domains: [outcome] } }]);
  await userEvent.click(screen.getByRole("button", { name: "Replay under this draft" }));
  const row = async (name: string) => (await screen.findByRole("cell", { name })).closest("tr") as HTMLElement;
  expect((await row("wait p99")).querySelector("s")?.textContent).toContain("77 ms (cannot be used)");
  expect((await row("longest wait")).querySelector("s")).toBeNull();
  expect((await row("latency mean")).querySelector("s")).toBeNull();
  expect((await row("latency p99")).querySelector("s")?.textContent).toContain("30 ms");
  expect((await row("connections, mean")).querySelector("s")).toBeNull();
  expect((await row("connections, most")).querySelector("s")?.textContent).toContain("4");
  expect(screen.getByText("The model misses the waits.").className).toContain("warn");
  expect(screen.getByText("The draft's ceiling goes from 2 to 7; at the end it is 2.")).toBeTruthy();
});

it("shows how far a replay is, and its result when it is done", async () => {
  const asked = service([{ state: "running" }, { state: "running", progress: 0.5 }, { state: "done", result }]);
  await userEvent.click(screen.getByRole("button", { name: "Replay under this draft" }));
  expect(await screen.findByText("18,200 requests")).toBeTruthy();
  await waitFor(() => expect(screen.getByRole("progressbar")).toHaveProperty("value", 0.5));
  await screen.findByTestId("replay");
  expect(screen.queryByRole("progressbar")).toBeNull();
  expect(asked).toEqual([
    "POST /api/v1/domains/bank/policies/replay respond-async",
    "GET /api/v1/replays/r1",
    "GET /api/v1/replays/r1",
    "DELETE /api/v1/replays/r1",
  ]);
});

it("says when its figures are of an earlier draft, and replays the one that is edited", async () => {
  service([{ state: "done", result: { ...result, domains: [outcome] } }]);
  await userEvent.click(screen.getByRole("button", { name: "Replay under this draft" }));
  const head = async (name: string) =>
    (await screen.findByTestId("replay")).querySelector("th:last-child")?.textContent === name;
  expect(await head("draft")).toBe(true);
  expect(screen.queryByTestId("earlier")).toBeNull();

  draw(12);
  expect(screen.getByTestId("earlier").textContent).toBe(
    "This replay is of an earlier draft, which has changed since. Replay again for figures of what is here now.",
  );
  expect(await head("earlier draft")).toBe(true);
  expect(screen.getByTestId("replay").textContent).toContain("under the earlier draft and under the set in force");
  expect(screen.getByText("The earlier draft's ceiling goes from 2 to 7; at the end it is 2.")).toBeTruthy();

  draw(20); // changed back
  expect(screen.queryByTestId("earlier")).toBeNull();
  draw(12);
  await userEvent.click(screen.getByRole("button", { name: "Replay under this draft" }));
  await waitFor(() => expect(screen.queryByTestId("earlier")).toBeNull());
  expect(await head("draft")).toBe(true);
});

it("says that another set is in force than the one that was replayed beside the draft", async () => {
  service([{ state: "done", result: { ...result, domains: [outcome] } }]);
  await userEvent.click(screen.getByRole("button", { name: "Replay under this draft" }));
  await screen.findByTestId("replay");
  draw(20, 8);
  expect(screen.getByTestId("earlier").textContent).toContain("The set in force was rev 7 then, and is rev 8 now.");
});

it("says of a replay that runs that the draft has changed since it began", async () => {
  service([{ state: "running" }]);
  await userEvent.click(screen.getByRole("button", { name: "Replay under this draft" }));
  draw(12);
  expect(screen.getByTestId("earlier").textContent).toContain("This replay is of an earlier draft");
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(screen.queryByTestId("earlier")).toBeNull();
});

it("cancels a replay, in the service too", async () => {
  const asked = service([{ state: "running" }]);
  await userEvent.click(screen.getByRole("button", { name: "Replay under this draft" }));
  await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(asked).toContain("DELETE /api/v1/replays/r1"));
  expect(screen.getByRole("button", { name: "Replay under this draft" })).toHaveProperty("disabled", false);
  expect(screen.queryByRole("alert")).toBeNull();
});

it("says why a replay failed", async () => {
  service([
    { state: "running" },
    { state: "failed", problem: "The replay did not end within 30 s; try fewer seconds." },
  ]);
  await userEvent.click(screen.getByRole("button", { name: "Replay under this draft" }));
  await screen.findByText(/did not end within 30 s/);
});
