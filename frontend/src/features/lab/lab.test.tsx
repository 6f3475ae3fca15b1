// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { runQuery } from "@/api/experiments";
import type { Experiment, ExperimentRun } from "@/api/types";
import { Drawer } from "@/ui/layers";
import { MayChange } from "@/ui/role";
import { Running } from "./Lab";
import { RemoveRun } from "./RemoveRun";
import { StartRun } from "./StartRun";

const stage = vi.hoisted(() => ({ navigate: vi.fn() }));
vi.mock("@tanstack/react-router", () => ({
  useNavigate: () => stage.navigate,
  Link: ({ children }: { children: ReactNode }) => <span>{children}</span>,
}));
beforeEach(() => stage.navigate.mockReset());
afterEach(cleanup);

const experiment: Experiment = {
  name: "sweep",
  question: "How large?",
  source: "A report",
  parameters: [
    { name: "seconds", description: "Measured", unit: "s", quick: 2, full: 8, least: 1, most: 120, whole: true },
  ],
};
const run = {
  id: "12",
  experiment: "sweep",
  form: "quick",
  values: { seconds: 2 },
  seed: 7,
  state: "running",
  startedAt: "2026-11-24T03:00:00Z",
  endedAt: null,
} as unknown as ExperimentRun;

/** Answers as the service does, and keeps what it was asked. */
function service(started: () => Response = () => Response.json(run, { status: 202 }), runs: ExperimentRun[] = []) {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const body = request.method === "POST" ? await request.text() : "";
    asked.push(`${request.method} ${new URL(request.url).pathname} ${body}`.trim());
    if (request.method === "DELETE") return new Response(null, { status: 204 });
    return request.method === "POST" ? started() : Response.json({ items: runs, nextCursor: null });
  });
  return { asked, changes: () => asked.filter((each) => !each.startsWith("GET")) };
}

const page = (children: ReactNode, mayChange = true) => (
  <MantineProvider env="test">
    <QueryClientProvider client={new QueryClient()}>
      <MayChange.Provider value={mayChange}>{children}</MayChange.Provider>
    </QueryClientProvider>
  </MantineProvider>
);
const press = async (name: string) => userEvent.click(await screen.findByRole("button", { name }));

it("starts a run after a question, and leads to it", async () => {
  const { changes } = service();
  render(page(<StartRun experiment={experiment} like={undefined} onClose={() => {}} />));
  await userEvent.clear(screen.getByLabelText("seconds"));
  await userEvent.type(screen.getByLabelText("seconds"), "0");
  expect(screen.getByRole("alert").textContent).toBe("must be 1 to 120 s");
  await userEvent.type(screen.getByLabelText("seconds"), "{backspace}3");
  await press("Start…");
  expect(changes()).toEqual([]);
  await press("Start the run");
  await waitFor(() => expect(stage.navigate).toHaveBeenCalledWith({ to: "/lab/runs/$id", params: { id: "12" } }));
  expect(changes()).toEqual(['POST /api/v1/experiments/sweep/runs {"form":"quick","values":{"seconds":3}}']);
});

it("opens with the focus on its first field", async () => {
  service();
  render(
    page(
      <Drawer opened onClose={() => {}}>
        <StartRun experiment={experiment} like={undefined} onClose={() => {}} />
      </Drawer>,
    ),
  );
  const quick = await screen.findByRole("radio", { name: "Quick" });
  await waitFor(() => expect(document.activeElement).toBe(quick));
});

it("says beside the field what the service refuses", async () => {
  const fault = { pointer: "/values/seconds", message: "must be even" };
  const refusal = { type: "x/invalid-request", title: "Wrong", status: 422, errors: [fault] };
  service(() => Response.json(refusal, { status: 422, headers: { "content-type": "application/problem+json" } }));
  render(page(<StartRun experiment={experiment} like={undefined} onClose={() => {}} />));
  await press("Start…");
  await press("Start the run");
  await waitFor(() => expect(screen.getByRole("alert").textContent).toBe("must be even"));
  expect(stage.navigate).not.toHaveBeenCalled();
});

it("starts none while another runs, and says which", async () => {
  service(undefined, [run]);
  render(page(<StartRun experiment={experiment} like={undefined} onClose={() => {}} />));
  expect((await screen.findByRole("status")).textContent).toContain("Run 12 of sweep is in progress");
  expect(screen.getByRole("button", { name: "Start…" })).toHaveProperty("disabled", true);
});

it("cancels a run, but deletes none that has ended while it asked", async () => {
  const { changes } = service();
  const queries = new QueryClient();
  const shown = (state: ExperimentRun["state"]) => (
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <RemoveRun run={{ ...run, state }} />
      </QueryClientProvider>
    </MantineProvider>
  );
  const { rerender } = render(shown("running"));
  await press("Cancel the run…");
  rerender(shown("done"));
  await press("Cancel the run");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(changes()).toEqual(["POST /api/v1/experiments/runs/12/cancel"]);

  const { queryKey } = runQuery("12");
  queries.setQueryData(queryKey, { ...run, state: "done" } as ExperimentRun);
  await press("Delete…");
  await press("Delete run 12");
  await waitFor(() => expect(changes()).toContain("DELETE /api/v1/experiments/runs/12"));
  // whoever goes back to its page is told that it is gone
  await waitFor(() => expect(queries.getQueryState(queryKey)?.isInvalidated).toBe(true));
});

it("shows no progress of a run that was cancelled, which the lists still call running", async () => {
  vi.stubGlobal("fetch", async (request: Request) =>
    request.url.endsWith("/runs/12")
      ? Response.json({ ...run, state: "cancelled", progress: 1, doing: null })
      : Response.json({ items: [run], nextCursor: null }),
  );
  render(page(<Running listed={{ ...run, progress: 0.3, doing: "8 connections" }} />));
  expect(screen.getByRole("progressbar")).toHaveProperty("value", 0.3);
  await screen.findByText("cancelled");
  expect(screen.queryByRole("progressbar")).toBeNull();
  expect(screen.queryByText("It begins.")).toBeNull();
});

it("shows a reader nothing that ends or deletes a run", () => {
  service();
  render(page(<RemoveRun run={run} />, false));
  expect(screen.queryByRole("button")).toBeNull();
});
