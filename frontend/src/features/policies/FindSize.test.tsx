// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { MayChange } from "@/ui/role";
import { FindSize } from "./FindSize";

vi.mock("@/charts/XyChart", () => ({ XyChart: ({ xy }: { xy: { title: string } }) => <p>{xy.title}</p> }));
afterEach(cleanup);

const trial = (size: number, perSecond: number, ruledOut = "") => ({
  size,
  leases: 1000,
  perSecond,
  refused: 0,
  waitMs: 0.5,
  latencyMs: 2,
  p99Ms: 4,
  responseMs: 2.5,
  ruledOut,
});

const running = {
  id: "3",
  domain: "bank",
  state: "running",
  doing: "a size of 4, trial 1",
  startedAt: "2026-11-24T12:00:00Z",
  endedAt: null,
  startedBy: "admin",
  mostSeconds: 170,
  trialSeconds: 6.538,
  least: 1,
  most: 20,
  before: 4,
  trials: [],
  answer: null,
  problem: null,
};

const policySet = { policies: [{ plugin: "min-max", parameters: { min: 2, max: 4 } }] };
const done = {
  ...running,
  state: "done",
  doing: null,
  endedAt: "2026-11-24T12:01:20Z",
  trials: [trial(4, 800), trial(8, 810), trial(2, 0, "a caller waited 1200 ms")],
  answer: { size: 4, revision: 7, sentence: "4 connections give 800 leases a second.", policySet },
};

/** Answers as the service does, and keeps what it was asked. */
function show(search: object | null, { mayChange = true, onTake = vi.fn() } = {}) {
  const asked: { method: string; path: string; body: unknown }[] = [];
  let newest = search;
  vi.stubGlobal("fetch", async (request: Request) => {
    const body = request.method === "POST" ? await request.json() : null;
    asked.push({ method: request.method, path: new URL(request.url).pathname, body });
    if (request.method === "POST") {
      newest = running;
      return Response.json(running, { status: 202 });
    }
    if (request.method === "DELETE") {
      newest = { ...running, state: "cancelled" };
      return new Response(null, { status: 204 });
    }
    return Response.json({ items: newest ? [newest] : [], nextCursor: null });
  });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <MayChange.Provider value={mayChange}>
          <FindSize domain="bank" revision={7} onTake={mayChange ? onTake : undefined} />
        </MayChange.Provider>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { asked, onTake };
}

it("is started with what was written, tells what it measures, and can be cancelled", async () => {
  const { asked } = show(null);
  await userEvent.type(await screen.findByLabelText("most connections"), "12");
  await userEvent.click(screen.getByRole("button", { name: "Search on the live load" }));
  expect(asked.find(({ method }) => method === "POST")).toBeUndefined();
  await screen.findByText(/For up to 170 s it sets the size of the live pool, from 1 to 12\./);
  await userEvent.click(screen.getByRole("button", { name: "Search" }));
  expect(await screen.findByText("Measures a size of 4, trial 1.")).toBeDefined();
  expect(asked.find(({ method }) => method === "POST")?.body).toEqual({ mostSeconds: 170, most: 12 });
  expect(screen.queryByLabelText("most connections")).toBeNull();

  await userEvent.click(screen.getByRole("button", { name: "Cancel the search" }));
  expect(await screen.findByText(/It was cancelled/)).toBeDefined();
  expect(asked.find(({ method }) => method === "DELETE")?.path).toBe("/api/v1/domains/bank/size-searches/3");
});

it("offers its answer as a draft, with charts and trials", async () => {
  const { onTake } = show(done);
  expect(await screen.findByText("4 connections give 800 leases a second.")).toBeDefined();
  expect(screen.getByText("throughput by size")).toBeDefined();
  expect(screen.getByText("ruled out: a caller waited 1200 ms")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Use as draft" }));
  expect(onTake).toHaveBeenCalledWith(policySet);
});

it("says why there is no answer, and that the set has changed since", async () => {
  show({ ...running, state: "failed", problem: "bank gave 0 leases in 5.5 s." });
  expect((await screen.findByRole("alert")).textContent).toBe("It has no answer. bank gave 0 leases in 5.5 s.");
  cleanup();
  show({ ...done, answer: { ...done.answer, revision: 6 } });
  expect(await screen.findByText("It was found under rev 6; rev 7 is in force now.")).toBeDefined();
});

it("shows a reader the search, and nothing to press", async () => {
  show(done, { mayChange: false });
  await waitFor(() => screen.getByText("4 connections give 800 leases a second."));
  expect(screen.queryByRole("button", { name: /Search|Use as draft|Cancel/ })).toBeNull();
});
