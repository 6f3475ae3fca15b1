// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { ConnectionPast } from "./ConnectionPast";

vi.mock("@/charts/TimeChart", () => ({ TimeChart: () => null }));
vi.mock("@/policy/overTime", () => ({ useOwnMarks: () => [] }));
vi.mock("@/range/Marks", () => ({ MarkerList: () => null, useMarks: () => () => [] }));
vi.mock("@/range/toDecisions", () => ({ useToDecisions: () => ({}) }));

const FROM = Date.UTC(2026, 10, 23, 12);
const service = setupServer(
  http.get("*/api/v1/domains/bank/connections/history", () =>
    HttpResponse.json({
      stepMs: 5_000,
      time: [new Date(FROM + 5_000).toISOString()],
      connections: [{ id: "bank-7", p99Ms: [9], meanMs: [2], busy: [0.3], requests: [40] }],
      leftOut: 0,
    }),
  ),
);
beforeAll(() => service.listen({ onUnhandledRequest: "error" }));
afterEach(cleanup);
afterAll(() => service.close());

it("names what each chart draws, and each of its lines", async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ConnectionPast domain="bank" id="bank-7" past={{ from: FROM, to: FROM + 600_000 }} />
    </QueryClientProvider>,
  );
  const latency = within(await screen.findByRole("region", { name: "Latency" }));
  expect(latency.getAllByText("mean")).not.toHaveLength(0);
  expect(latency.getAllByText("p99")).not.toHaveLength(0);
  within(screen.getByRole("region", { name: "Busy" })).getByText("share of the time spent in statements");
});
