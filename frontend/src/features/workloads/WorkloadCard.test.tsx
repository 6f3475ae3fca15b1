// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Workload } from "@/api/types";
import { WorkloadCard, WorkloadList } from "./WorkloadCard";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const workload: Workload = {
  name: "bank",
  domain: "bank",
  kind: "demo",
  description: "",
  running: true,
  varies: false,
  ratePerSecond: 40,
  users: null,
  offeredPerSecond: 40,
  achievedPerSecond: 40,
  inFlight: 0,
  errors: 0,
  refused: 0,
  dropped: 0,
  lateMs: 0,
  totalLateMs: 0,
  lastError: null,
  latency: { p50Ms: 1, p95Ms: 2, p99Ms: 3, meanMs: 1 } as Workload["latency"],
  total: { p50Ms: 1, p95Ms: 2, p99Ms: 3, meanMs: 1 } as Workload["latency"],
  phase: null,
  phases: [],
};

const queries = new QueryClient();
const card = (shown: Workload) => (
  <MantineProvider env="test">
    <QueryClientProvider client={queries}>
      <WorkloadCard workload={shown} />
    </QueryClientProvider>
  </MantineProvider>
);
const show = (shown: Workload) => render(card(shown));

it("says where a load with phases is, and offers no rate to set", () => {
  show({ ...workload, phase: 1, phases: [{}, {}, {}] as Workload["phases"] });
  screen.getByText(/^Phase 2 of 3: 40\/s\./);
  expect(screen.queryByLabelText("Requests per second of bank, exactly")).toBeNull();
  cleanup();
  show({ ...workload, users: 7, ratePerSecond: 0 });
  screen.getByText("7 users.");
});

it("tells what it dropped itself apart from what was refused, which the pool counts too", () => {
  show({ ...workload, refused: 1_760, dropped: 1_756 });
  expect(screen.getByText("refused · errors, total").parentElement?.textContent).toContain("4 · 0");
  screen.getByText(/^1,756 arrivals were dropped here, before the pool was asked/);
  cleanup();
  show({ ...workload, refused: 4 });
  expect(screen.queryByText(/dropped/)).toBeNull();
});

it("marks new errors for half a minute, also those of a load that began anew and counts from 0", () => {
  vi.useFakeTimers();
  const { rerender, container } = show({ ...workload, errors: 90 });
  const loud = () => [...container.querySelectorAll(".loud")].map((each) => each.textContent);
  const errors = (errors: number) => rerender(card({ ...workload, errors }));
  const later = () => act(() => vi.advanceTimersByTime(31_000));
  expect(loud()).toEqual([]);
  errors(93);
  expect(loud()).toEqual(["93"]);
  errors(0);
  errors(2);
  expect(loud()).toEqual(["2"]);
  later();
  expect(loud()).toEqual([]);
  errors(3);
  expect(loud()).toEqual(["3"]);
});

it("keeps a rate out of range in the field, says what is allowed, and does not send it", async () => {
  const fetched = vi.fn(() => Promise.reject(new Error("must not be called")));
  vi.stubGlobal("fetch", fetched);
  show(workload);
  const field = screen.getByLabelText("Requests per second of bank, exactly") as HTMLInputElement;
  const user = userEvent.setup();
  await user.clear(field);
  await user.type(field, "9999");
  await user.tab();
  expect(field.value).toBe("9999");
  screen.getByText("Enter a rate from 0.1 to 5,000 per second.");
  expect(fetched).not.toHaveBeenCalled();
});

it("keeps a rate that is being typed while the service does not answer", async () => {
  vi.stubGlobal("fetch", async () => Response.json({ items: [workload], nextCursor: null }));
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queries}>
        <WorkloadList />
      </QueryClientProvider>
    </MantineProvider>,
  );
  const rate = () => screen.getByLabelText("Requests per second of bank, exactly") as HTMLInputElement;
  const user = userEvent.setup();
  await waitFor(rate);
  await user.clear(rate());
  await user.type(rate(), "75");
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  await act(() => queries.invalidateQueries());
  await screen.findByRole("button", { name: "Try again" });
  expect(rate().value).toBe("75");
});
