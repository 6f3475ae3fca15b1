// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { connectionQuery } from "@/api/leases";
import type { ConnectionReport } from "@/api/types";
import { ConnectionReportView } from "./ConnectionReportView";

vi.mock("@tanstack/react-router", () => ({ Link: ({ children }: { children: ReactNode }) => <span>{children}</span> }));
vi.mock("./Deeds", () => ({ Deeds: () => null }));
afterEach(cleanup);

const report = (requests: number, maxMs: number) =>
  ({
    connection: { id: "bank-31", state: "active", ageMs: 400, requests, errors: 0, p50Ms: 0, p99Ms: maxMs, maxMs },
    openedAt: "2026-11-30T09:00:58Z",
    closed: null,
    lease: null,
    leases: [],
    distribution: [],
    prepared: null,
  }) as unknown as ConnectionReport;

it.each([
  ["none of statements that were counted, and not timed yet", 32, 0, "– · –"],
  ["those that were measured", 32, 4, "0 ms · 4 ms"],
])("tells latencies of a connection: %s", (_, requests, maxMs, said) => {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  queries.setQueryData(connectionQuery("bank", "bank-31").queryKey, report(requests, maxMs));
  render(
    <QueryClientProvider client={queries}>
      <ConnectionReportView domain="bank" id="bank-31" />
    </QueryClientProvider>,
  );
  expect(screen.getByText("p50 · p99").nextSibling?.textContent).toBe(said);
});
