// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { RangeRow } from "@/range/RangeRow";
import type { Range } from "@/range/range";
import { StatRow } from "./StatRow";

vi.mock("@tanstack/react-router", () => ({ Link: () => null }));
vi.mock("./Why", () => ({ Why: () => null }));
vi.mock("@/stream/hooks", () => ({
  usePool: () => ({ inUse: 7, size: 8, floor: 2, ceiling: 9, latency: {}, wait: {} }),
}));

const total = {
  requests: 12345,
  errors: 2,
  arrivals: 6000,
  refused: 0,
  p50Ms: 4,
  p95Ms: 9.5,
  p99Ms: 20,
  waitP99Ms: null,
};
const service = setupServer(
  http.get("*/api/v1/domains/bank/history", () => HttpResponse.json({ time: [], columns: {}, markers: [], total })),
  http.get("*/api/v1/domains/bank/refusals", () => HttpResponse.json({ total: 0, items: [] })),
);
beforeAll(() => service.listen({ onUnhandledRequest: "error" }));
afterEach(cleanup);
afterAll(() => service.close());

const show = (range: Range) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <StatRow domain="bank" range={range} />
      <RangeRow domain="bank" range={range} />
    </QueryClientProvider>,
  );

it("tells the figures of a range, and says of the others that they are of now", async () => {
  show({ kind: "fixed", from: Date.parse("2026-11-21T12:00:00Z"), to: Date.parse("2026-11-21T12:05:00Z") });
  const figures = screen.getByTestId("range-figures");
  await screen.findByText("4 ms · 9.5 ms · 20 ms");
  expect([...figures.querySelectorAll("dd")].map((each) => each.textContent)).toEqual([
    "this range",
    "12,345 · 2",
    "6,000 · 0",
    "4 ms · 9.5 ms · 20 ms",
    "–",
  ]);
  expect(screen.getByText("now")).toBeTruthy();
});

it("has one row of figures beside live charts", () => {
  show({ kind: "live" });
  expect(screen.queryByText("now")).toBeNull();
  expect(screen.queryByTestId("range-figures")).toBeNull();
});
